/**
 * Writes a history into a MetaStore as the core of a server would: each step is one commit of volume 1, and steps are collected
 * until `flush` makes them one group.
 */
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { RowWrite, StoredEntry, StoredVnode } from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import { updateSeq } from '../../shared/model/update.ts';
import {
  commitNumber,
  dataVersion,
  EMPTY_DIGEST,
  type CommitNumber,
  type Mtime,
  type VnodeKind,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { present } from '../../shared/util/assert.ts';

export const VOLUME = 1 as VolumeId;
export const ROOT = rootOf(VOLUME);
export const FIRST = {
  epoch: 'e'.repeat(32),
  volumeName: 'home',
  userName: 'ada',
  when: wallTime(1_700_000_000_000),
} as const;
export const DEVICE = 1;

export const fidOf = (vnode: number, uniquifier = 2): Fid => makeFid(VOLUME, vnode, uniquifier);

interface Place {
  readonly dir: Fid;
  readonly name: string;
}

export class MetaScript {
  readonly #store: MetaStore;
  readonly vnodes = new Map<Fid, StoredVnode>();
  readonly entries = new Map<string, StoredEntry>();
  readonly pending: RowWrite[] = [];
  #head = 1;
  #ordinal = 0;
  #used = 0;

  private constructor(store: MetaStore, root: StoredVnode) {
    this.#store = store;
    this.vnodes.set(ROOT, root);
  }

  /** Makes a script on an open, empty store. */
  static async on(store: MetaStore): Promise<MetaScript> {
    const [root] = await store.load([{ kind: 'vnode', fid: ROOT }]);
    return new MetaScript(store, root as StoredVnode);
  }

  get head(): CommitNumber {
    return commitNumber(this.#head);
  }

  status(fid: Fid): VnodeStatus {
    return present(this.vnodes.get(fid), 'the vnode is there').status;
  }

  create(fid: Fid, dir: Fid, name: string, kind: VnodeKind = 'file'): this {
    const status: VnodeStatus = {
      fid,
      kind,
      mode: 0o644,
      mtime: '-1' as Mtime,
      size: 0,
      version: dataVersion(0),
      commit: commitNumber(this.#head + 1),
      digest: null,
      target: kind === 'symlink' ? 'over/there' : null,
      links: 1,
      xattrs: kind === 'file' ? [{ name: 'colour', value: 'cmVk' }] : [],
    };
    this.#begin();
    this.#putVnode({ status, entries: 0 });
    this.#changeDir(dir, 1);
    this.#putEntry({ dir, name }, fid);
    return this.#end();
  }

  mkdir(fid: Fid, dir: Fid, name: string): this {
    return this.create(fid, dir, name, 'directory');
  }

  store(fid: Fid, size: number): this {
    this.#begin();
    const { status } = present(this.vnodes.get(fid), 'the file is there');
    const version = dataVersion(status.version + 1);
    this.#putVnode({ status: { ...status, size, digest: EMPTY_DIGEST, version }, entries: 0 });
    return this.#end();
  }

  link(fid: Fid, dir: Fid, name: string): this {
    this.#begin();
    this.#relink(fid, 1);
    this.#changeDir(dir, 1);
    this.#putEntry({ dir, name }, fid);
    return this.#end();
  }

  remove(dir: Fid, name: string): this {
    this.#begin();
    this.#relink(this.fidAt({ dir, name }), -1);
    this.#changeDir(dir, -1);
    this.#putEntry({ dir, name }, null);
    return this.#end();
  }

  /** Renames, also over the name of another vnode. */
  rename(from: Place, to: Place): this {
    this.#begin();
    const fid = this.fidAt(from);
    const over = this.entries.get(placeText(to));
    const gained = over === undefined ? 1 : 0;
    if (from.dir === to.dir) this.#changeDir(from.dir, gained - 1);
    else {
      this.#changeDir(from.dir, -1);
      this.#changeDir(to.dir, gained);
    }
    if (over !== undefined) this.#relink(over.fid, -1);
    this.#putEntry(from, null);
    this.#putEntry(to, fid);
    return this.#end();
  }

  fidAt(place: Place): Fid {
    return present(this.entries.get(placeText(place)), 'the name is in use').fid;
  }

  async flush(): Promise<void> {
    await this.#store.commit(this.pending.splice(0));
  }

  #begin(): void {
    this.#head++;
    this.#ordinal = 0;
  }

  #end(): this {
    const [commit, seq] = [commitNumber(this.#head), updateSeq(this.#head)];
    const when = wallTime(this.#head);
    this.pending.push({ kind: 'log', volume: VOLUME, commit, device: DEVICE, seq, when });
    return this;
  }

  #putVnode({ status, entries }: StoredVnode): void {
    const before = this.vnodes.get(status.fid);
    const row = { status: { ...status, commit: commitNumber(this.#head) }, entries };
    this.#count(bytesOf(row.status) - (before === undefined ? 0 : bytesOf(before.status)));
    const previous = before?.status.commit ?? null;
    this.pending.push({ kind: 'vnode', row, previous, ordinal: this.#ordinal++ });
    this.vnodes.set(status.fid, row);
  }

  #count(growth: number): void {
    if (growth === 0) return;
    const previous = this.#used;
    this.#used += growth;
    this.pending.push({ kind: 'used', volume: VOLUME, used: this.#used, previous });
  }

  #putEntry(place: Place, fid: Fid | null): void {
    const commit = commitNumber(this.#head);
    const previous = this.entries.get(placeText(place))?.since ?? null;
    this.pending.push({ kind: 'entry', ...place, fid, commit, previous });
    if (fid === null) this.entries.delete(placeText(place));
    else this.entries.set(placeText(place), { fid, since: commit });
  }

  #changeDir(dir: Fid, delta: number): void {
    const { status, entries } = present(this.vnodes.get(dir), 'the directory is there');
    const version = dataVersion(status.version + 1);
    this.#putVnode({ status: { ...status, version }, entries: entries + delta });
  }

  #relink(fid: Fid, delta: number): void {
    const { status, entries } = present(this.vnodes.get(fid), 'the vnode is there');
    this.#putVnode({ status: { ...status, links: status.links + delta }, entries });
  }
}

function bytesOf({ kind, links, size }: VnodeStatus): number {
  return kind === 'file' && links > 0 ? size : 0;
}

export function placeText({ dir, name }: Place): string {
  return `${dir}/${name}`;
}

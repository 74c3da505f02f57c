/**
 * A volume for tests of front ends: a small server and a client before it, in memory, with the semantics of the file-system
 * and feed ports: own updates are queued and committed in order, what is refused becomes a conflict, and `remote` changes
 * the volume as another device would.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeSet, VolumeInfo } from '../../shared/model/change.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { Update, UpdateSeq } from '../../shared/model/update.ts';
import {
  commitNumber,
  dataVersion,
  mtimeFromMs,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type Mtime,
  type VnodeStatus,
  type Xattr,
} from '../../shared/model/vnode.ts';
import type { Adjustment, Feed, SnapshotPage } from '../../shared/ports/feed.ts';
import type {
  Attributes,
  ChangeOptions,
  FileSystem,
  Handle,
  MakeOptions,
  NamedAttributes,
  OpenFile,
  Place,
} from '../../shared/ports/file-system.ts';
import type { Host } from '../../shared/ports/host.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { resolveConflict } from './fake-conflicts.ts';
import { FakeTree } from './fake-tree.ts';

export const VOLUME = 7 as VolumeId;
const OURS = 1;
export const THEIRS = 2;

export interface Queued {
  update: Update;
}

type Distributed<T> = T extends unknown ? Omit<T, 'id' | 'volume'> : never;

export class FakeVolume implements FileSystem, Feed {
  readonly server = new FakeTree(rootOf(VOLUME));
  view = new FakeTree(rootOf(VOLUME));
  readonly commits: ChangeSet[] = [];
  readonly queue: Queued[] = [];
  /** Every update of ours, as it was logged, with paths: `create a/b`, `rename a -> b` ... */
  readonly told: string[] = [];
  /** False: the server is away, and nothing is committed or obtained. */
  #connected = true;
  /** Called before contents are given out. */
  onObtain: (fid: Fid) => Promise<void> | void = () => undefined;
  /** Called before an update is logged; may throw. */
  onLog: (update: Update) => void = () => undefined;
  /** Commits at or below are not told one by one any more. */
  historyFrom = 0;
  obtained = 0;

  readonly #dir: string;
  readonly #host: Host;
  readonly #contents = new Map<string, Buffer>();
  readonly #handles = new Map<Handle, { fid: Fid; path: string; base: DataVersion | null }>();
  readonly #adjustments: Adjustment[] = [];
  #woken: () => void = () => undefined;
  readonly #listeners = new Set<() => void>();
  #numbers = { vnode: 1, handle: 0, adjustment: 0, seq: 0 };
  #pumping = false;
  /** The view is not what the server will have when the queue is empty. */
  #diverged = false;

  constructor(dir: string, host: Host) {
    this.#dir = dir;
    this.#host = host;
    mkdirSync(dir, { recursive: true });
  }

  get head(): CommitNumber {
    return commitNumber(this.commits.length);
  }

  get info(): VolumeInfo {
    return { id: VOLUME, name: 'home', root: rootOf(VOLUME), rights: 'write', head: this.head };
  }

  set connected(value: boolean) {
    this.#connected = value;
    this.#changed();
    void this.#pump();
  }

  // What tests look at

  /** Every path of the server: contents of files, `-> target`, and for directories `/`. */
  tree(): Record<string, string> {
    const tree: Record<string, string> = {};
    const walk = (dir: Fid, path: string): void => {
      const entries = [...(this.server.nodes.get(dir)?.entries ?? [])];
      for (const [name, fid] of entries.sort(([a], [b]) => compareNames(a, b))) {
        const status = this.server.get(fid);
        const at = `${path}${name}`;
        if (status === null) continue;
        if (status.kind === 'directory') {
          tree[`${at}/`] = '';
          walk(fid, `${at}/`);
        } else if (status.kind === 'symlink') tree[at] = `-> ${status.target}`;
        else tree[at] = status.digest === null ? '(none)' : this.textOf(status.digest);
      }
    };
    walk(this.server.root, '');
    return tree;
  }

  status(path: string): VnodeStatus {
    const fid = this.server.find(path);
    const status = fid === null ? null : this.server.get(fid);
    if (status === null) throw new Error(`the server has no ${path}`);
    return status;
  }

  textOf(digest: Digest): string {
    return this.#contents.get(digest)?.toString() ?? '(lost)';
  }

  bytesAt(path: string): Buffer {
    return this.#contents.get(this.status(path).digest ?? '') ?? Buffer.alloc(0);
  }

  /** Resolves when the condition holds; it is asked again after each change here. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  idle(): Promise<void> {
    return this.until(() => this.queue.length === 0);
  }

  // The other device: see fake-other-device.ts

  remote(update: Update): void {
    const applied = this.commit(update, THEIRS);
    if (!applied.ok) throw new Error(`the server refuses: ${applied.refusal}`);
    if (this.queue.length > 0) this.#diverged = true;
    else this.view.apply(update, this.head);
    this.#changed();
  }

  // The queue

  commit(update: Update, device: number) {
    const commit = commitNumber(this.commits.length + 1);
    const applied = this.server.apply(update, commit);
    if (applied.ok) {
      const seq = (this.#numbers.seq += 1) as UpdateSeq;
      this.commits.push({ commit, device, seq, vnodes: applied.vnodes, entries: applied.entries });
    }
    return applied;
  }

  offer(adjustment: Distributed<Adjustment>): void {
    const id = (this.#numbers.adjustment += 1);
    this.#adjustments.push({ ...adjustment, id, volume: VOLUME });
  }

  takeFid(device = OURS): Fid {
    this.#numbers.vnode += 1;
    return makeFid(VOLUME, device * 65536 + this.#numbers.vnode, device);
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#connected && this.queue.length > 0) {
      const { update } = this.queue[0] as Queued;
      const applied = this.commit(update, OURS);
      this.queue.shift();
      if (!applied.ok) {
        this.#diverged = true;
        resolveConflict(this, update, applied);
      }
      if (this.queue.length > 0) continue;
      if (this.#diverged) this.view = this.server.clone();
      this.#diverged = false;
      this.#changed();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#pumping = false;
  }

  #log(update: Update, told: string): void {
    this.onLog(update);
    this.told.push(told);
    this.queue.push({ update });
    if (!this.view.apply(update, this.head).ok) this.#diverged = true;
    this.#changed();
    void this.#pump();
  }

  #changed(): void {
    this.#woken();
    for (const listener of [...this.#listeners]) listener();
  }

  // FileSystem

  volumes(): Promise<VolumeInfo[]> {
    return Promise.resolve([this.info]);
  }

  lookup(dir: Fid, name: string): Promise<Attributes> {
    const fid = this.view.at(dir, name);
    return fid === null ? refuse('not-found', `no ${name}`) : this.getattr(fid);
  }

  getattr(fid: Fid): Promise<Attributes> {
    const status = this.view.get(fid);
    return status === null
      ? refuse('not-found', `no ${fid}`)
      : Promise.resolve(this.#attributes(status));
  }

  readdir(dir: Fid): Promise<NamedAttributes[]> {
    const entries = [...(this.view.nodes.get(dir)?.entries ?? [])];
    const found = entries.flatMap(([name, fid]) => {
      const status = this.view.get(fid);
      return status === null ? [] : [{ name, attributes: this.#attributes(status) }];
    });
    return Promise.resolve(found.sort((a, b) => compareNames(a.name, b.name)));
  }

  create(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make('create', dir, name, options);
  }

  mkdir(dir: Fid, name: string, options: MakeOptions): Promise<Attributes> {
    return this.#make('mkdir', dir, name, options);
  }

  async symlink(
    dir: Fid,
    name: string,
    target: string,
    options: Omit<MakeOptions, 'mode' | 'xattrs'>,
  ) {
    const { mtime = mtimeFromMs(Date.now()), at = mtime } = options;
    const fid = this.takeFid();
    this.#log(
      { op: 'symlink', fid, dir, name, target, mtime, at },
      `symlink ${this.#path({ dir, name })}`,
    );
    return this.#made(fid);
  }

  link(fid: Fid, place: Place, options: ChangeOptions = {}): Promise<Attributes> {
    const { at = mtimeFromMs(Date.now()) } = options;
    this.#log({ op: 'link', fid, ...place, at }, `link ${this.#path(place)}`);
    return this.getattr(fid);
  }

  async remove(place: Place, options: ChangeOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed } = options;
    const fid = observed?.fid ?? this.view.at(place.dir, place.name);
    if (fid === null) return refuse('not-found', place.name);
    const base = observed?.base ?? this.view.get(fid)?.version ?? dataVersion(0);
    this.#log({ op: 'remove', fid, ...place, base, at }, `remove ${this.#path(place)}`);
  }

  async rmdir(place: Place, options: ChangeOptions = {}): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed } = options;
    const fid = observed?.fid ?? this.view.at(place.dir, place.name);
    if (fid === null) return refuse('not-found', place.name);
    this.#log({ op: 'rmdir', fid, ...place, at }, `rmdir ${this.#path(place)}`);
  }

  async rename(
    from: Place,
    to: Place,
    options: ChangeOptions & { moved?: Fid } = {},
  ): Promise<void> {
    const { at = mtimeFromMs(Date.now()), observed, moved } = options;
    const fid = moved ?? this.view.at(from.dir, from.name);
    if (fid === null) return refuse('not-found', from.name);
    const told = `rename ${this.#path(from)} -> ${this.#path(to)}`;
    const places = { fromDir: from.dir, fromName: from.name, toDir: to.dir, toName: to.name };
    this.#log({ op: 'rename', fid, ...places, over: observed ?? null, at }, told);
  }

  setattr(fid: Fid, change: { mode?: number; mtime?: Mtime; xattrs?: readonly Xattr[] }) {
    const { mode = null, mtime = null, xattrs = null } = change;
    const told = `setattr ${this.#pathOf(fid)} ${Object.keys(change).join(' ')}`;
    this.#log({ op: 'setattr', fid, mode, mtime, xattrs }, told);
    return this.getattr(fid);
  }

  async open(fid: Fid, how: Parameters<FileSystem['open']>[1]): Promise<OpenFile> {
    const isObserved = how.mode === 'write' && how.base !== undefined;
    const status = this.view.get(fid) ?? (isObserved ? unknownStatus(fid) : null);
    if (status === null) return refuse('not-found', fid);
    const handle = (this.#numbers.handle += 1);
    const path = join(this.#dir, `handle-${handle}`);
    const present = status.digest === null ? Buffer.alloc(0) : this.#contents.get(status.digest);
    const isEmpty = how.mode === 'write' && how.truncate;
    writeFileSync(path, isEmpty ? '' : (present ?? ''));
    const base = how.mode === 'write' ? (how.base ?? status.version) : null;
    this.#handles.set(handle, { fid, path, base });
    return { handle, path, attributes: this.#attributes(status) };
  }

  async close(handle: Handle, changed: { mtime?: Mtime; digest?: Digest; size?: number } | null) {
    const open = this.#handles.get(handle);
    if (open === undefined) return refuse('bad-handle', String(handle));
    this.#handles.delete(handle);
    const bytes = readFileSync(open.path);
    rmSync(open.path);
    if (changed === null || open.base === null) return this.getattr(open.fid);
    const digest = await this.keep(bytes);
    if (changed.digest !== undefined && changed.digest !== digest) throw new Error('wrong digest');
    const mtime = changed.mtime ?? mtimeFromMs(Date.now());
    const { fid, base } = open;
    this.#log(
      { op: 'store', fid, base, size: bytes.length, digest, mtime },
      `store ${this.#pathOf(fid)}`,
    );
    const status = this.view.get(fid) ?? unknownStatus(fid);
    return { ...this.#attributes(status), version: dataVersion(base + 1) };
  }

  async abandon(handle: Handle): Promise<void> {
    rmSync(this.#handles.get(handle)?.path ?? '', { force: true });
    this.#handles.delete(handle);
    await Promise.resolve();
  }

  flush(): Promise<void> {
    return this.idle();
  }

  // Feed

  async snapshot(
    _volume: VolumeId,
    position: { at: CommitNumber; after: Fid } | null,
  ): Promise<SnapshotPage> {
    await this.until(() => this.#connected);
    const at = position?.at ?? this.head;
    const all = [...this.server.nodes.values()].map(({ status }) => status);
    all.sort((a, b) => compareNames(a.fid, b.fid));
    const rest = position === null ? all : all.filter(({ fid }) => fid > position.after);
    const page = rest.slice(0, 100);
    const vnodes = page.map((status) => ({ status, names: this.server.names(status.fid) }));
    return { at, vnodes, more: rest.length > page.length };
  }

  async changes(_volume: VolumeId, since: CommitNumber, signal: AbortSignal): Promise<ChangeSet[]> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await Promise.race([aborted, this.until(() => this.#connected && this.head > since)]);
    if (since < this.historyFrom) throw new GodwitError('history-gone');
    return this.commits.slice(since, since + 200);
  }

  async obtain(fid: Fid, version: DataVersion, digest: Digest) {
    await this.until(() => this.#connected);
    await this.onObtain(fid);
    const bytes = this.#contents.get(digest);
    if (bytes === undefined) throw new GodwitError('version-gone');
    this.obtained += 1;
    const path = join(this.#dir, `obtained-${fid}-${version}-${this.obtained}`);
    writeFileSync(path, bytes);
    return { path, length: bytes.length };
  }

  present(fid: Fid): Promise<VnodeStatus | null> {
    return Promise.resolve(this.server.get(fid));
  }

  pendingVnode(fid: Fid): boolean {
    return this.queue.some(
      ({ update }) => update.fid === fid || (update.op === 'rename' && update.over?.fid === fid),
    );
  }

  pendingEntry(dir: Fid, name: string): boolean {
    return this.queue.some(({ update }) => {
      if (update.op === 'rename') {
        const { fromDir, fromName, toDir, toName } = update;
        return (fromDir === dir && fromName === name) || (toDir === dir && toName === name);
      }
      return 'dir' in update && update.dir === dir && update.name === name;
    });
  }

  adjustments(): readonly Adjustment[] {
    return this.queue.length > 0 ? [] : this.#adjustments;
  }

  async adjusted(id: number): Promise<void> {
    const at = this.#adjustments.findIndex((adjustment) => adjustment.id === id);
    if (at >= 0) this.#adjustments.splice(at, 1);
    await Promise.resolve();
    this.#changed();
  }

  applied(): void {
    this.#changed();
  }

  onWoken(woken: () => void): void {
    this.#woken = woken;
  }

  // Parts

  place(path: string): Place {
    const cut = path.lastIndexOf('/');
    const dir = this.server.find(path.slice(0, Math.max(cut, 0)));
    if (dir === null) throw new Error(`the server has no directory for ${path}`);
    return { dir, name: path.slice(cut + 1) };
  }

  async #make(op: 'create' | 'mkdir', dir: Fid, name: string, options: MakeOptions) {
    const { mode, mtime = mtimeFromMs(Date.now()), at = mtime, xattrs = [] } = options;
    const fid = this.takeFid();
    this.#log(
      { op, fid, dir, name, mode, mtime, xattrs, at },
      `${op} ${this.#path({ dir, name })}`,
    );
    return this.#made(fid);
  }

  /** As logged; the view may know of somebody else's file there, and the server will decide. */
  async #made(fid: Fid): Promise<Attributes> {
    const status = this.view.get(fid);
    if (status !== null) return Promise.resolve(this.#attributes(status));
    const { update } = this.queue.find((queued) => queued.update.fid === fid) as Queued;
    const shadow = new FakeTree(rootOf(VOLUME));
    shadow.apply({ ...update, dir: shadow.root } as Update, this.head);
    const made = shadow.get(fid) as VnodeStatus;
    this.view.nodes.set(fid, { status: made, entries: new Map(), names: [] });
    return this.#attributes(made);
  }

  #attributes(status: VnodeStatus): Attributes {
    const isQueued = this.pendingVnode(status.fid);
    return { ...status, cached: true, sync: isQueued ? 'queued' : 'committed' };
  }

  /** Keeps contents for the server. */
  async keep(bytes: Buffer): Promise<Digest> {
    const path = join(this.#dir, `content-${(this.#numbers.handle += 1)}`);
    writeFileSync(path, bytes);
    const { digest } = await this.#host.digestFile(path);
    rmSync(path);
    this.#contents.set(digest, bytes);
    return digest as Digest;
  }

  #path({ dir, name }: Place): string {
    const above = this.#pathOf(dir);
    return above === '' ? name : `${above}/${name}`;
  }

  #pathOf(fid: Fid): string {
    if (fid === this.view.root) return '';
    const [place] = this.view.names(fid);
    return place === undefined ? '?' : this.#path(place);
  }
}

/** Observed calls are never refused: of a vnode that is gone from the view at least this can be said. */
function unknownStatus(fid: Fid): VnodeStatus {
  const shadow = new FakeTree(fid);
  return { ...shadow.nodes.get(fid)?.status, kind: 'file' } as VnodeStatus;
}

function refuse(code: 'not-found' | 'bad-handle', what: string): Promise<never> {
  return Promise.reject(new GodwitError(code, what));
}

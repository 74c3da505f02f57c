/** The feed port over the queue of a fake volume. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeSet } from '../../shared/model/change.ts';
import { parseFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { Update } from '../../shared/model/update.ts';
import {
  lacksContents,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import type { ConflictRepair, Feed, KeptNote, SnapshotPage } from '../../shared/ports/feed.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeQueue, versionKey } from './fake-queue.ts';
import type { FakeTree } from './fake-tree.ts';

/** The feed of a fake volume. */
export class FakeFeed extends FakeQueue implements Feed {
  /** Called before contents are obtained. */
  onObtain: (fid: Fid) => Promise<void> | void = () => undefined;
  /** The history is gone up to this commit. */
  historyFrom = 0;
  /** The bytes that a front end may keep; null for all. */
  bound: number | null = null;
  readonly pinned = new Set<Fid>();
  readonly excludes = new Set<Fid>();
  readonly conflicting = new Set<Fid>();
  /** The files that are shown without contents. */
  readonly notKept = new Set<Fid>();
  obtained = 0;
  /** False when the front end dies before it acknowledges notes. */
  letsNotesGo = true;
  /** The vnodes at the start of this run. */
  #madeBefore: ReadonlySet<Fid> = new Set();
  #applied = 0;
  /** The volume as it was when a walk over it began, by commits. */
  readonly #walked = new Map<CommitNumber, FakeTree>();

  /** The daemon starts: what is queued, committed and asked for is there as it was; what else the front end has said is not. */
  begin(): void {
    this.#madeBefore = new Set(this.server.nodes.keys());
    this.#applied = 0;
    this.notKept.clear();
  }

  async snapshot(
    _volume: VolumeId,
    position: { at: CommitNumber; after: Fid } | null,
    signal: AbortSignal,
  ): Promise<SnapshotPage> {
    await this.until(() => this.connected, signal);
    const at = position?.at ?? this.head;
    if (position === null) this.#walked.set(at, this.server.clone());
    const tree = this.#walked.get(at);
    if (tree === undefined) throw new GodwitError('history-gone');
    const all = [...tree.nodes.values()].map(({ status }) => status);
    all.sort((a, b) => compareNames(a.fid, b.fid));
    const rest = position === null ? all : all.filter(({ fid }) => fid > position.after);
    const page = rest.slice(0, 100);
    const vnodes = page.map((status) => ({ status, names: tree.names(status.fid) }));
    return { at, vnodes, more: rest.length > page.length };
  }

  async changes(_volume: VolumeId, since: CommitNumber, signal: AbortSignal): Promise<ChangeSet[]> {
    await this.until(() => this.connected && this.head !== since, signal);
    const isKnown = since >= this.historyFrom && since < this.head;
    if (!isKnown) throw new GodwitError('history-gone');
    return this.commits.slice(since, since + 200);
  }

  async obtain(fid: Fid, version: DataVersion, digest: Digest, signal: AbortSignal) {
    await this.until(() => this.connected, signal);
    await orAborted(signal, this.onObtain(fid));
    const bytes = this.contents.get(digest);
    if (bytes === undefined || !this.versions.has(versionKey(fid, version, digest))) {
      throw new GodwitError('version-gone');
    }
    this.obtained += 1;
    const path = join(this.dir, `obtained-${fid}-${version}-${this.obtained}`);
    writeFileSync(path, bytes);
    if ((await this.digestAt(path)) !== digest) throw new GodwitError('damaged-contents');
    return { path, length: bytes.length };
  }

  async present(fid: Fid, signal: AbortSignal): Promise<VnodeStatus | null> {
    await this.until(() => this.connected, signal);
    return this.server.get(fid);
  }

  pendingVnode(fid: Fid): boolean {
    return this.queue.some(
      ({ update }) => update.fid === fid || (update.op === 'rename' && update.over?.fid === fid),
    );
  }

  blocked(fid: Fid): readonly Update[] | null {
    const all = this.queue.filter(({ update }) => update.fid === fid);
    const isBlocked = all.length > 0 && all.every(({ aside }) => aside);
    return isBlocked ? all.map(({ update }) => update) : null;
  }

  isOutdated({ fid, commit }: VnodeStatus): boolean {
    return (this.server.get(fid)?.commit ?? 0) > commit;
  }

  isUnfinished(fid: Fid): boolean {
    const status = this.server.get(fid);
    const isOld = parseFid(fid)?.uniquifier === this.device && this.#madeBefore.has(fid);
    return isOld && status !== null && lacksContents(status) && !this.pendingVnode(fid);
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

  adjustments(): readonly ConflictRepair[] {
    return this.queue.length > 0 ? [] : this.asked;
  }

  async adjusted(id: number): Promise<void> {
    const at = this.asked.findIndex((adjustment) => adjustment.id === id);
    if (at >= 0) this.asked.splice(at, 1);
    await Promise.resolve();
    this.changed();
  }

  /** Adds a note as if it had come with a call. */
  note(note: KeptNote): void {
    this.kept.set(note.id, note);
  }

  notes(): readonly KeptNote[] {
    return [...this.kept.values()].sort((a, b) => a.id - b.id);
  }

  async noted(ids: readonly number[]): Promise<void> {
    await Promise.resolve();
    if (this.letsNotesGo) for (const id of ids) this.kept.delete(id);
  }

  applied(_volume: VolumeId, commit: CommitNumber): void {
    this.#applied = Math.max(this.#applied, commit);
    this.changed();
  }

  /** Whether the front end has declared its contents present. */
  protected hasContents({ fid, kind, digest, commit }: VnodeStatus): boolean {
    if (kind !== 'file' || this.pendingVnode(fid)) return true;
    return digest !== null && !this.notKept.has(fid) && this.#applied >= commit;
  }

  contentsBound(): number | null {
    return this.bound;
  }

  isPinned(fid: Fid): boolean {
    const above = this.view.names(fid).map(({ dir }) => dir);
    return this.pinned.has(fid) || above.some((dir) => this.isPinned(dir));
  }

  excluded(): readonly Fid[] {
    return [...this.excludes];
  }

  /** It, or a folder that it is in. */
  isExcluded(fid: Fid): boolean {
    const above = this.view.names(fid).map(({ dir }) => dir);
    return this.excludes.has(fid) || above.some((dir) => this.isExcluded(dir));
  }

  isConflicting(fid: Fid): boolean {
    return this.conflicting.has(fid);
  }

  /** A person does not want a folder on this disk, or wants it again. */
  exclude(fid: Fid, isExcluded = true): void {
    if (isExcluded) this.excludes.add(fid);
    else this.excludes.delete(fid);
    this.woken();
  }

  /** Changes the bound and wakes the front end. */
  bounded(bound: number | null): void {
    this.bound = bound;
    this.woken();
  }

  keeps(fid: Fid, isHere: boolean): void {
    if (isHere) this.notKept.delete(fid);
    else this.notKept.add(fid);
  }

  onWoken(woken: () => void): () => void {
    this.woken = woken;
    return () => {
      if (this.woken === woken) this.woken = () => undefined;
    };
  }
}

async function orAborted(signal: AbortSignal, work: Promise<void> | void): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop);
  try {
    await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

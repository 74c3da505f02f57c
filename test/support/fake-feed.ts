/** The feed port over the queue of a fake volume. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeSet } from '../../shared/model/change.ts';
import { parseFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import {
  lacksContents,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import type { Adjustment, Feed, SnapshotPage } from '../../shared/ports/feed.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeQueue, OURS } from './fake-queue.ts';

export class FakeFeed extends FakeQueue implements Feed {
  /** Called before contents are given out. */
  onObtain: (fid: Fid) => Promise<void> | void = () => undefined;
  /** Commits at or below are not told one by one any more. */
  historyFrom = 0;
  /** Bytes that a front end may have in place; null: all. */
  bound: number | null = null;
  readonly pinned = new Set<Fid>();
  /** Shown without their contents. */
  readonly notKept = new Set<Fid>();
  obtained = 0;
  /** What is there when a front end begins. */
  protected madeBefore: ReadonlySet<Fid> = new Set();

  async snapshot(
    _volume: VolumeId,
    position: { at: CommitNumber; after: Fid } | null,
  ): Promise<SnapshotPage> {
    await this.until(() => this.connected);
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
    await Promise.race([aborted, this.until(() => this.connected && this.head > since)]);
    if (since < this.historyFrom) throw new GodwitError('history-gone');
    return this.commits.slice(since, since + 200);
  }

  async obtain(fid: Fid, version: DataVersion, digest: Digest) {
    await this.until(() => this.connected);
    await this.onObtain(fid);
    const bytes = this.contents.get(digest);
    if (bytes === undefined) throw new GodwitError('version-gone');
    this.obtained += 1;
    const path = join(this.dir, `obtained-${fid}-${version}-${this.obtained}`);
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

  isOutdated({ fid, commit }: VnodeStatus): boolean {
    return (this.server.get(fid)?.commit ?? 0) > commit;
  }

  isUnfinished(fid: Fid): boolean {
    const status = this.server.get(fid);
    const isOld = parseFid(fid)?.uniquifier === OURS && this.madeBefore.has(fid);
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

  adjustments(): readonly Adjustment[] {
    return this.queue.length > 0 ? [] : this.asked;
  }

  async adjusted(id: number): Promise<void> {
    const at = this.asked.findIndex((adjustment) => adjustment.id === id);
    if (at >= 0) this.asked.splice(at, 1);
    await Promise.resolve();
    this.changed();
  }

  applied(): void {
    this.changed();
  }

  contentsBound(): number | null {
    return this.bound;
  }

  isPinned(fid: Fid): boolean {
    const above = this.view.names(fid).map(({ dir }) => dir);
    return this.pinned.has(fid) || above.some((dir) => this.isPinned(dir));
  }

  /** The bound, or what is pinned, has changed. */
  bounded(bound: number | null): void {
    this.bound = bound;
    this.woken();
  }

  keeps(fid: Fid, isHere: boolean): void {
    if (isHere) this.notKept.delete(fid);
    else this.notKept.add(fid);
  }

  onWoken(woken: () => void): void {
    this.woken = woken;
  }
}

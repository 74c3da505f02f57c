/**
 * A front end without a disk: it follows the Feed port as the folder does, with commits side by side, and keeps what the server committed as a
 * tree in memory, so that two laptops can be compared. It changes nothing itself; adjustments, which are about changes of
 * a front end's own, it only takes note of.
 *
 * It runs the suite of front ends that follow (test/conformance/front-end-follows.suite.ts). What programs do in a tree is not for it: it has no disk that they could write to.
 *
 * What it has put in place outlives the process (`ReplicaState`), with its position: the two change together.
 */
import type { WaitingStatus } from '../../../../shared/control/snapshot.ts';
import type { ChangeSet } from '../../../../shared/model/change.ts';
import { rootOf } from '../../../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import type {
  CommitNumber,
  DataVersion,
  Digest,
  VnodeStatus,
} from '../../../../shared/model/vnode.ts';
import type { Feed, ReplicaFrontEnd } from '../../../../shared/ports/feed.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import { assert } from '../../../../shared/util/assert.ts';
import { digestOf } from '../disk/content-digest.ts';
import { DiskError } from '../disk/memory-disk.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import { SideBySide } from './side-by-side.ts';

interface Vnode {
  readonly status: VnodeStatus;
  /** Null: no contents yet, or no file. */
  readonly bytes: Uint8Array | null;
}

/** What lies on the "disk" of the replica. */
export class ReplicaState {
  readonly volume: VolumeId;
  readonly vnodes = new Map<Fid, Vnode>();
  readonly entries = new Map<Fid, Map<string, Fid>>();
  /** Every commit up to here is in place. */
  applied: CommitNumber = commitNumber(0);
  /** Up to here they are in place or among those that wait: for contents, or for one that does. */
  heard: CommitNumber = commitNumber(0);
  readonly waiting = new Map<CommitNumber, ChangeSet>();
  /** Where the first walk over the volume has got to; null: it has not begun, or is done. */
  walk: { at: CommitNumber; after: Fid } | null = null;

  constructor(volume: VolumeId) {
    this.volume = volume;
  }

  /** All of it at once. */
  replace(
    vnodes: ReadonlyMap<Fid, Vnode>,
    entries: ReadonlyMap<Fid, Map<string, Fid>>,
    at: CommitNumber,
  ): void {
    this.vnodes.clear();
    this.entries.clear();
    for (const [fid, vnode] of vnodes) this.vnodes.set(fid, vnode);
    for (const [dir, names] of entries) this.entries.set(dir, names);
    this.walk = null;
    this.startAt(at);
  }

  /** All of a volume is in place as of this commit. */
  startAt(at: CommitNumber): void {
    this.waiting.clear();
    this.heard = at;
    this.applied = at;
  }

  heardOf(change: ChangeSet): void {
    this.heard = change.commit;
    this.waiting.set(change.commit, change);
  }

  /** What was heard of first is the first of those that wait. */
  inPlace({ commit }: ChangeSet): void {
    this.waiting.delete(commit);
    const first = this.waiting.keys().next();
    if (first.done === true) this.applied = this.heard;
    else this.applied = commitNumber(Math.max(this.applied, first.value - 1));
  }

  /** Every name in the volume that a user would see, with what is there. In order of paths. */
  tree(): Map<string, Vnode> {
    const found: Array<readonly [string, Vnode]> = [];
    const walk = (dir: Fid, path: string): void => {
      for (const [name, fid] of this.entries.get(dir) ?? []) {
        const vnode = this.vnodes.get(fid);
        assert(vnode !== undefined, 'an entry names a vnode', { dir, name, fid });
        // Rule W2: a file without contents is nothing to show yet.
        if (vnode.status.kind === 'file' && vnode.bytes === null) continue;
        found.push([`${path}/${name}`, vnode]);
        if (vnode.status.kind === 'directory') walk(fid, `${path}/${name}`);
      }
    };
    walk(rootOf(this.volume), '');
    return new Map(found.sort(([a], [b]) => compareNames(a, b)));
  }
}

/** Follows the feed of a volume, and keeps its tree in memory. */
export class MemoryReplica implements ReplicaFrontEnd {
  readonly state: ReplicaState;
  readonly #feed: Feed;
  readonly #disk: MemoryDisk;
  readonly #stop = new AbortController();
  readonly #waiting: Array<{ readonly commit: CommitNumber; readonly resolve: () => void }> = [];
  readonly #adjusted = new Set<number>();
  readonly #pause: () => Promise<void>;
  readonly #onApplied: (change: ChangeSet) => void;
  readonly #placing = new SideBySide();
  /** Of what is put in place: it ends where the server has lost what is followed. */
  #round = new AbortController();
  #failed: (error: unknown) => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    feed: Feed,
    disk: MemoryDisk,
    state: ReplicaState,
    onApplied: (change: ChangeSet) => void = () => {},
    /** Waits before it tries again. */
    pause: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#pause = pause;
    this.#onApplied = onApplied;
    this.#feed = feed;
    this.#disk = disk;
    this.state = state;
  }

  /** Begins to follow. `failed` hears what ends it but `close`. */
  start(failed: (error: unknown) => void): void {
    const ended = (error: unknown): void => {
      const isClosing = error instanceof GodwitError && error.code === 'not-running';
      if (!isClosing && !this.#signal.aborted) failed(error);
    };
    this.#failed = ended;
    this.#feed.onWoken(() => void this.#takeAdjustments().catch(ended));
    this.#running = this.#follow().catch(ended);
  }

  get volume(): VolumeId {
    return this.state.volume;
  }

  scan(): Promise<void> {
    return Promise.resolve();
  }

  unsettled(): { paths: number; commits: number } {
    return { paths: 0, commits: this.state.waiting.size };
  }

  waiting(): WaitingStatus[] {
    const commits = this.state.waiting.size;
    return commits === 0
      ? []
      : [{ path: null, reason: `${commits} commits are being put in place` }];
  }

  reached(commit: CommitNumber): Promise<void> {
    if (this.state.applied >= commit) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ commit, resolve }));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#round.abort();
    await this.#running;
    await this.#placing.ended();
  }

  get #signal(): AbortSignal {
    return this.#stop.signal;
  }

  async #follow(): Promise<void> {
    await this.#takeAdjustments();
    if (this.state.heard === 0) await this.#walkFirst();
    this.#tell();
    for (const change of this.state.waiting.values()) this.#begin(change);
    for (;;) {
      try {
        const { volume, heard } = this.state;
        const changes = await this.#feed.changes(volume, heard, this.#signal);
        for (const change of changes) {
          assert(change.commit > this.state.heard, 'commits come in order', { heard });
          this.state.heardOf(change);
          this.#begin(change);
        }
      } catch (error) {
        if (!isLost(error) || this.#signal.aborted) throw error;
        // The server lost what we follow (rule I1): from where we are, or from the beginning.
        if (error.code === 'history-gone') await this.#walkUntilWhole();
      }
    }
  }

  #begin(change: ChangeSet): void {
    const { signal } = this.#round;
    this.#placing
      .add(change, () => this.#apply(change, signal))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#failed(error);
      });
  }

  /** Where the server has lost the commit of the walk it begins with another one. */
  async #walkFirst(): Promise<void> {
    try {
      await this.#walk();
    } catch (error) {
      if (!isLost(error) || this.#signal.aborted) throw error;
      await this.#walkUntilWhole();
    }
  }

  /** The server may be put back once more meanwhile. */
  async #walkUntilWhole(): Promise<void> {
    await this.#endRound();
    for (;;) {
      try {
        return await this.#walkAnew();
      } catch (error) {
        if (!isLost(error) || this.#signal.aborted) throw error;
      }
    }
  }

  /** What is on its way is not wanted any more. */
  async #endRound(): Promise<void> {
    this.#round.abort();
    await this.#placing.ended();
    this.#round = new AbortController();
  }

  /** The whole volume once more; what is in place stays until all of it is here. */
  async #walkAnew(): Promise<void> {
    const { volume } = this.state;
    const vnodes = new Map<Fid, Vnode>();
    const entries = new Map<Fid, Map<string, Fid>>();
    let position: { at: CommitNumber; after: Fid } | null = null;
    for (;;) {
      const page = await this.#feed.snapshot(volume, position, this.#signal);
      for (const { status, names } of page.vnodes) {
        vnodes.set(status.fid, { status, bytes: await this.#wholeBytesOf(status) });
        for (const { dir, name } of names) {
          entries.set(dir, (entries.get(dir) ?? new Map<string, Fid>()).set(name, status.fid));
        }
      }
      const last = page.vnodes.at(-1);
      if (page.more && last !== undefined) {
        position = { at: page.at, after: last.status.fid };
        continue;
      }
      this.state.replace(vnodes, entries, page.at);
      return this.#tell();
    }
  }

  /** The whole volume as of one commit. */
  async #walk(): Promise<void> {
    for (;;) {
      const { volume, walk } = this.state;
      const page = await this.#feed.snapshot(volume, walk, this.#signal);
      const got: Vnode[] = [];
      for (const { status } of page.vnodes)
        got.push({ status, bytes: await this.#wholeBytesOf(status) });
      // At once: a first page that is asked for again may be of a later commit, which has fewer names.
      for (const [at, { status, names }] of page.vnodes.entries()) {
        this.state.vnodes.set(status.fid, got[at] ?? { status, bytes: null });
        for (const { dir, name } of names) this.#entriesOf(dir).set(name, status.fid);
      }
      const last = page.vnodes.at(-1);
      if (!page.more || last === undefined) {
        this.state.walk = null;
        this.state.startAt(page.at);
        return;
      }
      this.state.walk = { at: page.at, after: last.status.fid };
    }
  }

  /** One commit, whole: what it needs is fetched before anything of it is shown. */
  async #apply(change: ChangeSet, signal: AbortSignal): Promise<void> {
    const { vnodes } = this.state;
    const made: Vnode[] = [];
    for (const status of change.vnodes) {
      const isReplaced = (): boolean => this.#isReplaced(status.fid, change.commit);
      const bytes = await this.#bytesOf(status, signal, isReplaced);
      if (bytes !== 'collected') made.push({ status, bytes });
      else if (!vnodes.has(status.fid)) made.push({ status, bytes: null });
    }
    signal.throwIfAborted();
    for (const vnode of made) {
      if (vnode.status.links === 0 && vnode.status.fid !== rootOf(this.state.volume)) {
        vnodes.delete(vnode.status.fid);
        this.state.entries.delete(vnode.status.fid);
      } else vnodes.set(vnode.status.fid, vnode);
    }
    for (const { dir, name, fid } of change.entries) {
      if (fid === null) this.#entriesOf(dir).delete(name);
      else this.#entriesOf(dir).set(name, fid);
    }
    this.state.inPlace(change);
    this.#onApplied(change);
    this.#tell();
  }

  /** A newer version of the file is heard of, and about to be put in place. */
  #isReplaced(fid: Fid, by: CommitNumber): boolean {
    return [...this.state.waiting.values()].some(({ commit, vnodes }) => {
      return commit > by && vnodes.some((status) => status.fid === fid);
    });
  }

  async #wholeBytesOf(status: VnodeStatus): Promise<Uint8Array | null> {
    const bytes = await this.#bytesOf(status);
    assert(bytes !== 'collected', 'a walk wants the version of its commit');
    return bytes;
  }

  /** `collected`: the server keeps that version no more, and a newer one is on its way. As in the folder, the file stays as it is until then. */
  async #bytesOf(
    status: VnodeStatus,
    signal = this.#signal,
    isReplaced = () => false,
  ): Promise<Uint8Array | 'collected' | null> {
    const { fid, version, digest } = status;
    if (digest === null || status.kind !== 'file' || status.links === 0) return null;
    const held = this.state.vnodes.get(fid);
    if (held?.status.digest === digest && held.bytes !== null) return held.bytes;
    const obtained = await this.#obtained({ fid, version, digest }, signal, isReplaced);
    if (obtained === null) return 'collected';
    const { bytes, length } = obtained;
    assert(digestOf(bytes) === digest, 'what is obtained is what was asked for', { fid, version });
    assert(bytes.length === length && length === status.size, 'lengths agree', { fid, version });
    return bytes;
  }

  /** Like the folder, it retries if the contents can't be fetched now. Null: they are gone for newer ones. */
  async #obtained(
    {
      fid,
      version,
      digest,
    }: { readonly fid: Fid; readonly version: DataVersion; readonly digest: Digest },
    signal: AbortSignal,
    isReplaced: () => boolean,
  ): Promise<{ readonly bytes: Uint8Array; readonly length: number } | null> {
    for (;;) {
      try {
        const { path, length } = await this.#feed.obtain(fid, version, digest, signal);
        return { bytes: this.#takeIn(path), length };
      } catch (error) {
        // Of what the server has lost the feed is about to tell.
        if (signal.aborted || !(mayPass(error) || (signal !== this.#signal && isLost(error))))
          throw error;
        if (isLost(error) && isReplaced()) return null;
        await this.#pause();
      }
    }
  }

  /** What it can't read it has no use for either, and asks for it again. */
  #takeIn(path: string): Uint8Array {
    try {
      return this.#disk.read(path);
    } finally {
      this.#disk.remove(path, { missing: 'fine' });
    }
  }

  async #takeAdjustments(): Promise<void> {
    for (const { id } of this.#feed.adjustments(this.state.volume)) {
      if (this.#adjusted.has(id)) continue;
      this.#adjusted.add(id);
      await this.#feed.adjusted(id);
    }
  }

  #tell(): void {
    const { volume, applied } = this.state;
    this.#feed.applied(volume, applied);
    const reached = this.#waiting.filter(({ commit }) => commit <= applied);
    for (const waiter of reached) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
  }

  #entriesOf(dir: Fid): Map<string, Fid> {
    let entries = this.state.entries.get(dir);
    if (entries === undefined) {
      entries = new Map();
      this.state.entries.set(dir, entries);
    }
    return entries;
  }
}

/** The server has not got that any more: it was put back from a backup. */
function isLost(error: unknown): error is GodwitError {
  if (!(error instanceof GodwitError)) return false;
  return error.code === 'history-gone' || error.code === 'version-gone';
}

/** Contents that somebody may put right, or a disk that may have room again. */
function mayPass(error: unknown): boolean {
  if (error instanceof DiskError) return true;
  const codes: readonly ErrorCode[] = ['damaged-contents', 'disk-failing', 'disk-full'];
  return error instanceof GodwitError && codes.includes(error.code);
}

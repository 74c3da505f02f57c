/**
 * Which files are in place in full, and which by a placeholder.
 *
 * New files of others come in full while the bound allows, and by a placeholder from then on; what a person pins or asks for comes in any case. What is
 * over the bound then goes: least recently used first, by the times that the file system keeps, and last of all what was made, opened or asked for
 * here lately. Where nobody has set a bound, everything is in full, but for what a person evicts.
 *
 * Invariants
 * 1. A file gives way only where the server has exactly what is here: nothing of it is queued, and the view has its version as committed.
 * 2. Contents that are on their way count as here.
 * 3. A placeholder is filled when somebody asks for it or it is pinned; not because there is room again.
 */
import type { CachePreview, FolderUse } from '../../../../shared/control/cache.ts';
import type { FreeDiskSpace } from '../../../../shared/model/cache.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import { milliseconds, type Duration } from '../../../../shared/model/time.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { BoundOf, Feed, KeptContents, KeptOutcome } from '../../../../shared/ports/feed.ts';
import type { Attributes, FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Disk, LastUse } from '../disk/disk.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { Background } from '../background.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { Placeholders } from './placeholders.ts';
import { canHavePlaceholder, LEAST_REPLACED } from './placeholder-text.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import { PathChanged, Blocked } from '../disk/path-changed.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import { Yielder, type LetOthersRun } from '../yielder.ts';

export interface KeptContentsParts {
  readonly root: SafeRoot;
  readonly files: Pick<Disk, 'lastUse'>;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  /** A name as the disk there would list it. */
  readonly listedAs: (place: Place) => string;
  readonly feed: Feed;
  readonly fileSystem: Pick<FileSystem, 'getattr'>;
  readonly placeholders: Placeholders;
  readonly mutex: Mutex;
  readonly clock: Clock;
  readonly letOthersRun: LetOthersRun;
  readonly limits: FolderLimits;
  readonly background: Pick<Background, 'signal'>;
  /** Of the folder's disk; left out, or where it throws: nobody knows. */
  readonly diskRoom?: (() => FreeDiskSpace) | undefined;
  /** Bytes of contents of other volumes that count for the same bound. */
  readonly otherBytes?: (() => number) | undefined;
  /** Puts in place what is held of a vnode. */
  readonly place: (fid: Fid) => Promise<void>;
  /** Why its contents could not be had the last time. */
  readonly failure: (fid: Fid) => unknown;
  readonly save: Pick<SaveRecords, 'saved'>;
}

const outcome = (
  kind: KeptOutcome['kind'],
  bytes = 0,
  kept: string | null = null,
): KeptOutcome => ({ kind, bytes, kept });

/** Decides which files are in the folder in full and which by a placeholder. */
export class FolderContents implements KeptContents {
  readonly #parts: KeptContentsParts;
  /** To be filled, whatever the bound is: by how many. */
  readonly #wanted = new Map<Fid, number>();
  /** Files on their way, with their bytes. */
  readonly #coming = new Map<Fid, number>();
  #comingBytes = 0;
  #tending: Promise<boolean> | null = null;
  #filling: Promise<void> | null = null;
  #room: { at: number; room: FreeDiskSpace | null } | null = null;
  /** Nothing could go, when there was so much here: so often in a row. */
  #stuck: { readonly at: number; readonly times: number } | null = null;

  constructor(parts: KeptContentsParts) {
    this.#parts = parts;
  }

  /** Whether a file is to be in place in full; `place`: where it is about to be put. */
  isFull(status: VnodeStatus, place: Place | null): boolean {
    const { records, feed } = this.#parts;
    const { fid, size } = status;
    const record = records.get(fid);
    if (status.kind !== 'file' || (record !== null && record.placeholder !== true)) return true;
    if (this.isWanted(fid)) return true;
    if (place !== null && feed.isPinned(place.dir)) return true;
    if (record !== null) return false;
    if (size < LEAST_REPLACED || (place !== null && !this.#mayBeShort(place))) return true;
    if (this.#coming.has(fid)) return true;
    const bound = this.#bound();
    const fits = bound === null || this.#bytes + size <= bound;
    if (!fits || bound === null) return fits;
    this.#coming.set(fid, size);
    this.#comingBytes += size;
    return true;
  }

  /** A placeholder is to be filled. */
  isWanted(fid: Fid): boolean {
    return this.#wanted.has(fid) || this.#parts.feed.isPinned(fid);
  }

  /** Nothing of it is held any more: it is in place, or nobody's wish. */
  settled(fid: Fid): void {
    this.#comingBytes -= this.#coming.get(fid) ?? 0;
    this.#coming.delete(fid);
  }

  /** There is more here than may be, or something is pinned that is not here. */
  get isDue(): boolean {
    const bound = this.#bound();
    return bound !== null && this.#bytes > bound && this.#vain === 0;
  }

  /**
   * When to look again for what is over the bound. A look asks for the last use of each file: where nothing could go, it is twice as long each time. A
   * program that has closed a file tells nobody, so it does not end.
   */
  get pause(): Duration {
    const { keptLook, keptLookMost } = this.#parts.limits;
    return milliseconds(Math.min(keptLook * 2 ** this.#vain, keptLookMost));
  }

  /** Looks in a row that found nothing that could go; 0: there is more or less here since. */
  get #vain(): number {
    return this.#stuck?.at === this.#bytes ? this.#stuck.times : 0;
  }

  /** Makes room, and gives whether it did anything. */
  tend(): Promise<boolean> {
    this.#tending ??= this.#tend().finally(() => (this.#tending = null));
    return this.#tending;
  }

  /** Fills what is pinned: it waits for the server as long as that is away. */
  fillPinned(): Promise<void> {
    this.#filling ??= this.#fillPinned().finally(() => (this.#filling = null));
    return this.#filling;
  }

  /** Somebody has set a bound. */
  get isBounded(): boolean {
    return this.#bound() !== null;
  }

  async #tend(): Promise<boolean> {
    const bound = this.#bound();
    const { records, limits } = this.#parts;
    if (bound === null || this.#bytes <= bound) return false;
    const before = records.bytes;
    const goal = bound * (1 - limits.evictAhead);
    for (const fid of await this.#leastUsed()) {
      if (this.#bytes <= goal || this.#parts.background.signal.aborted) break;
      await this.#evict(fid);
    }
    if (records.bytes === before) {
      this.#stuck = { at: this.#bytes, times: this.#vain + 1 };
      return false;
    }
    this.#stuck = null;
    await this.#parts.save.saved();
    return true;
  }

  use(): FolderUse {
    return this.#parts.records.use;
  }

  /** What is still to be sent is in it: it goes as soon as the server has it. What it goes by may change meanwhile: nothing is promised. */
  async preview(boundOf: BoundOf): Promise<CachePreview> {
    const { records, limits } = this.#parts;
    const { here, away } = this.use();
    const goes = { files: 0, bytes: 0 };
    const bound = boundOf(this.#bytes, this.#roomNow());
    if (bound === null || this.#bytes <= bound) return { here, goes, away };
    const over = this.#bytes - bound * (1 - limits.evictAhead);
    for (const fid of await this.#leastUsed()) {
      if (goes.bytes >= over) break;
      const record = records.get(fid);
      if (record === null) continue;
      goes.files += 1;
      goes.bytes += record.size;
    }
    return { here, goes, away };
  }

  async evict(fid: Fid): Promise<KeptOutcome> {
    const done = await this.#evict(fid);
    if (done.kind === 'done') await this.#parts.save.saved();
    return done;
  }

  async fill(fid: Fid): Promise<KeptOutcome> {
    const { records, background } = this.#parts;
    if (records.get(fid)?.placeholder !== true) return outcome('unchanged');
    this.#wanted.set(fid, (this.#wanted.get(fid) ?? 0) + 1);
    try {
      await this.#place(fid);
    } finally {
      const left = (this.#wanted.get(fid) ?? 1) - 1;
      if (left > 0) this.#wanted.set(fid, left);
      else this.#wanted.delete(fid);
    }
    const record = records.get(fid);
    if (record === null) return outcome('unchanged');
    if (record.placeholder !== true) {
      records.update(fid, { unused: false });
      return outcome('done', record.size);
    }
    background.signal.throwIfAborted();
    const failure = this.#parts.failure(fid);
    if (failure instanceof GodwitError) throw failure;
    return outcome('kept', 0, 'it changes here just now: try again in a moment');
  }

  async #place(fid: Fid): Promise<void> {
    const { records, held, mutex, limits } = this.#parts;
    for (let round = 0; round < limits.settleRounds; round++) {
      await mutex.take(() => {
        const record = records.get(fid);
        if (record?.placeholder === true && held.vnode(fid) === null) held.setVnode(asRow(record));
      });
      await this.#parts.place(fid);
      if (records.get(fid)?.placeholder !== true || this.#parts.failure(fid) !== null) return;
      // A newer version has taken the place of the one that was asked for.
      if (held.vnode(fid) === null) continue;
      return;
    }
  }

  async #fillPinned(): Promise<void> {
    const { records, feed, background } = this.#parts;
    for (const fid of records.placeholders().filter((each) => feed.isPinned(each))) {
      if (background.signal.aborted) return;
      await this.#place(fid);
    }
  }

  async #evict(fid: Fid): Promise<KeptOutcome> {
    const { records, fileSystem, mutex } = this.#parts;
    const [place] = records.names(fid);
    const record = records.get(fid);
    if (record === null || place === undefined || record.placeholder === true) {
      return outcome('unchanged');
    }
    if (record.kind !== 'file' || record.digest === null) return outcome('unchanged');
    // What would stand for it takes as much.
    if (record.size < LEAST_REPLACED) return outcome('unchanged');
    if (!this.#mayBeShort(place)) return outcome('kept', 0, 'its name is too long');
    let view: Attributes;
    try {
      view = await fileSystem.getattr(fid);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      return outcome('kept', 0, error.message);
    }
    return mutex.take(() => this.#replace(fid, view));
  }

  /** Its disk takes the name that its placeholder would have. */
  #mayBeShort(place: Place): boolean {
    return canHavePlaceholder(this.#parts.listedAs(place));
  }

  #replace(fid: Fid, view: Attributes): KeptOutcome {
    const { records, feed, placeholders } = this.#parts;
    const record = records.get(fid);
    const [place] = records.names(fid);
    if (record === null || place === undefined) return outcome('unchanged');
    const isCommitted = view.sync === 'committed' && !feed.pendingVnode(fid);
    const isSame = view.version === record.version && view.digest === record.digest;
    if (!isCommitted || !isSame) {
      return outcome('kept', 0, 'it is not on the server yet');
    }
    try {
      const why = placeholders.replace(record, place);
      return why === null ? outcome('done', record.size) : outcome('kept', 0, why);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (error instanceof Blocked || error instanceof PathChanged) {
        return outcome('kept', 0, 'it has just changed here');
      }
      if (code === undefined) throw error;
      return outcome('kept', 0, `the disk does not take what would stand for it (${code})`);
    }
  }

  /** Files that may go, in the order in which they do. */
  async #leastUsed(): Promise<Fid[]> {
    const { records, feed, clock, limits, letOthersRun } = this.#parts;
    const found: Array<{ fid: Fid; at: bigint; isLate: boolean }> = [];
    const lately = BigInt(Math.floor(clock.wall() - limits.usedLately)) * 1_000_000n;
    const yielder = new Yielder(clock, limits.slice, letOthersRun);
    for (const fid of [...records.fids()]) {
      const record = records.get(fid);
      const [place, ...others] = records.names(fid);
      if (record === null || place === undefined || others.length > 0) continue;
      if (record.kind !== 'file' || record.placeholder === true) continue;
      if (record.size < LEAST_REPLACED || feed.isPinned(fid) || this.#wanted.has(fid)) continue;
      const path = records.pathOf(place.dir);
      if (path === null) continue;
      const use = this.#lastUse(path, place.name);
      if (use !== null) found.push({ fid, ...turnOf(record, use, lately) });
      if (yielder.isDue) await yielder.yield();
    }
    found.sort(
      (a, b) =>
        Number(a.isLate) - Number(b.isLate) || Number(a.at - b.at) || compareNames(a.fid, b.fid),
    );
    return found.map(({ fid }) => fid);
  }

  /** null: it is not there, or can't be known. */
  #lastUse(path: readonly string[], name: string): LastUse | null {
    const { root, files } = this.#parts;
    try {
      return root.within(path, (base) => files.lastUse(`${base}/${name}`));
    } catch {
      return null;
    }
  }

  get #bytes(): number {
    return this.#parts.records.bytes + this.#comingBytes;
  }

  #bound(): number | null {
    const { feed, otherBytes } = this.#parts;
    const others = otherBytes?.() ?? 0;
    const bound = feed.contentsBound(this.#bytes + others, this.#roomNow());
    return bound === null ? null : Math.max(0, bound - others);
  }

  /** Asked anew once in a while: a start asks for each file. */
  #roomNow(): FreeDiskSpace | null {
    const { clock, limits, diskRoom } = this.#parts;
    const now = clock.now();
    if (this.#room === null || now - this.#room.at >= limits.settle) {
      let room: FreeDiskSpace | null = null;
      try {
        room = diskRoom?.() ?? null;
      } catch {
        // The disk is away, and says so elsewhere.
      }
      this.#room = { at: now, room };
    }
    return this.#room.room;
  }
}

/** By the last use of a file here. One that came and was not opened since has none: it goes by when it came, before all that was used lately. */
function turnOf(
  { unused }: VnodeRecord,
  { read, changed }: LastUse,
  lately: bigint,
): { at: bigint; isLate: boolean } {
  const at = read > changed ? read : changed;
  const isUsed = unused !== true || read > changed;
  return { at, isLate: isUsed && at >= lately };
}

/** As a row of the feed that says what is recorded. */
function asRow(record: VnodeRecord): VnodeStatus {
  const { fid, kind, version, digest, size, mode, mtime, target, xattrs } = record;
  const status = { fid, kind, version, digest, size, mode, mtime, target, xattrs };
  return { ...status, commit: 0 as CommitNumber, links: 1 };
}

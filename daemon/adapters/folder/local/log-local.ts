/**
 * Executes a plan of local changes: each step becomes calls of the file-system port, and then a change of the records.
 *
 * Steps that change names are told in order. Files that are new, and contents, go several at a time. A step that fails is
 * said and found again later; what depends on it is left out, and found again with it: so a file that was moved and whose contents
 * could not be taken keeps its old name until they are.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Mtime, Xattr } from '../../../../shared/model/vnode.ts';
import type {
  Attributes,
  CallNote,
  FileSystem,
  Place,
  SeenVersion,
} from '../../../../shared/ports/file-system.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { AdoptLogged } from './adopt-logged.ts';
import {
  isBegun,
  isSameBytes,
  isToLog,
  plainMode,
  specialMode,
  stampOf,
  stampToLog,
  type DiskFacts,
} from '../disk/disk-facts.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FailedChanges } from './failed-changes.ts';
import type { ForgottenNames } from './forgotten-names.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { ExcludedPlaces } from '../records/excluded-places.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';
import type { LocalOp, LocalPlan } from './local-plan.ts';
import { isNew, type Ref, type RefPlace } from '../records/order-names.ts';
import type { LogContents } from './log-contents.ts';
import type { OwnTimes } from './own-times.ts';
import type { RecordUpdates } from '../records/record-updates.ts';
import { PathChanged } from '../disk/path-changed.ts';
import type { UpdateNotes } from '../records/update-notes.ts';

export interface LogLocalParts {
  readonly fileSystem: FileSystem;
  readonly records: FolderRecords;
  readonly told: RecordUpdates;
  readonly notes: UpdateNotes;
  readonly contents: LogContents;
  /** null: the last run ended in good order, so nothing is logged that is not recorded. */
  readonly adopt: AdoptLogged | null;
  readonly ownTimes: OwnTimes;
  readonly limits: FolderLimits;
  readonly failures: FailedChanges;
  readonly forgotten: Pick<ForgottenNames, 'forget' | 'isAwaitedIn'>;
  readonly save: Pick<SaveRecords, 'now'>;
  readonly excluded: Pick<ExcludedPlaces, 'hasOutIn'>;
  readonly log: Log;
  readonly board: Pick<ErrorBoard, 'moved' | 'removed'>;
  readonly ownCopies: LocalChangesParts['ownCopies'];
}

type NewOp = Extract<LocalOp, { op: 'mkdir' | 'create' | 'symlink' }>;

/** Carries out a plan of local changes through the file-system port, and records each step. */
export class LogLocal {
  readonly #parts: LogLocalParts;
  readonly #refs = new Map<Ref, Fid>();
  readonly #times = new Map<Ref, Mtime>();
  /** Directories in which something was told. */
  readonly #toldIn = new Set<Fid>();
  /** Directories that had been begun by an ended run. */
  readonly #finished = new Map<Ref, DiskFacts>();
  readonly #running = new UnderWay();
  /** Files whose new names are not told yet, as their contents could not be. */
  readonly #nameless = new Set<Fid>();

  constructor(parts: LogLocalParts) {
    this.#parts = parts;
  }

  async run(
    plan: LocalPlan,
    removals: LocalPlan['removals'],
    restless: ReadonlySet<Ref>,
  ): Promise<void> {
    for (const { ref, facts } of plan.directories) this.#times.set(ref, facts.mtime);
    for (const op of plan.ops) {
      await this.#step(op);
      this.#checkpoint();
    }
    await this.#drain(0);
    for (const op of removals) {
      // A directory goes when what was in it has gone.
      if (op.op === 'rmdir') await this.#drain(0);
      await this.#start(this.#parts.limits.parallelCalls, this.#path(op), () => this.#remove(op));
      await this.#checkpointAtRest();
    }
    await this.#drain(0);
    for (const { ref, path, facts } of plan.directories) {
      const fid = this.#fid(ref);
      if (fid === null || restless.has(ref) || this.#finished.has(ref)) continue;
      const { limits } = this.#parts;
      await this.#start(limits.parallelCalls, path, () => this.#attributes(fid, path, facts));
    }
    await this.#drain(0);
    this.#checkpoint();
  }

  /** Of a directory, whose entries are told by now. */
  async #attributes(fid: Fid, path: readonly string[], found: DiskFacts): Promise<void> {
    const { ownTimes, contents, records } = this.#parts;
    // Those of a mount point are of the volume that it shows.
    if (records.mountPoints.has(fid)) return;
    await contents.attributes(fid, path, await ownTimes.putBack(fid, path, found));
  }

  /** Now and then, so that the records on the disk are not far behind. */
  #checkpoint(): void {
    if (this.#isCheckpointDue) this.#parts.save.now();
  }

  /**
   * The same among removals: each leaves the records in memory before the log has it. Written in that moment, a name would come back after a kill,
   * for neither the records nor the disk had it any more, and the volume did.
   */
  async #checkpointAtRest(): Promise<void> {
    if (!this.#isCheckpointDue) return;
    await this.#drain(0);
    this.#checkpoint();
  }

  get #isCheckpointDue(): boolean {
    const { records, limits } = this.#parts;
    return records.changeCount >= limits.batchPaths;
  }

  /** Steps that others build on are waited for; files and contents run beside. */
  async #step(op: LocalOp): Promise<void> {
    const { limits, contents } = this.#parts;
    switch (op.op) {
      case 'create':
        return this.#startCopy(op, () => this.#make(op));
      case 'check':
        return this.#startCopy(op, () => contents.check(op.fid, op.path, op.facts, op.isUnsure));
      case 'symlink':
        return this.#start(limits.parallelCalls, op.path, () => this.#make(op));
      case 'mkdir':
        return this.#guarded(op.path, () => this.#make(op));
      case 'link':
        await this.#drain(0);
        return this.#guarded(op.path, () => this.#link(op));
      case 'rename':
        await this.#drain(0);
        return this.#guarded(op.path ?? this.#path(op.from), () => this.#rename(op));
      case 'remove':
      case 'rmdir':
        await this.#drain(0);
        return this.#guarded(this.#path(op), () => this.#remove(op));
    }
  }

  async #make(op: NewOp): Promise<void> {
    const { records, contents } = this.#parts;
    const place = this.#place(op);
    if (place === null) return;
    const there = records.at(place.dir, place.name);
    if (there !== null && this.#nameless.has(there)) throw new PathChanged(op.path);
    if (there !== null) throw new Error('the name is still recorded');
    const adopt = this.#parts.adopt?.at(op.path) ?? null;
    const adopted = (await adopt?.made(place, op.facts)) ?? null;
    if (adopt !== null && isBegun(op.facts)) {
      const facts = adopt.finish(place, adopted);
      if (facts === null) return;
      this.#finished.set(op.ref, facts);
    }
    if (adopted === null) await adopt?.free(place);
    const made =
      adopted === null
        ? await this.#makeAnew(op, place)
        : this.#recordMade(op, place, adopted, adopted);
    if (op.op === 'create') await contents.first(made.fid, op.path, op.facts, adopted !== null);
    // The view has it with another time: that of the disk is told.
    else if (op.op === 'symlink' && adopted !== null) {
      await contents.attributes(made.fid, op.path, op.facts);
    }
  }

  #makeAnew(op: NewOp, place: Place): Promise<Attributes> {
    const { fileSystem, notes, contents } = this.#parts;
    const xattrs = op.op === 'symlink' ? [] : contents.xattrsAt(op.path);
    const record = newRecord(op, xattrs);
    return notes.with({ did: 'make', place, record }, async (note) => {
      const made = await this.#call(fileSystem, op, place, { xattrs, note });
      return this.#recordMade(op, place, made, null);
    });
  }

  #recordMade(op: NewOp, place: Place, made: Attributes, adopted: Attributes | null): Attributes {
    const { records } = this.#parts;
    this.#refs.set(op.ref, made.fid);
    const record = recordOf(made, this.#finished.get(op.ref) ?? op.facts);
    // A second name of it may turn up before the contents are logged.
    if (op.op === 'create') record.disk = stampToLog(op.facts.inode, made);
    else if (adopted !== null) this.#noteView(record, op.facts, adopted);
    records.put(record);
    records.link(place, made.fid, true);
    this.#parts.ownCopies.told(place);
    if (adopted === null) this.#touched(op.dir);
    // What is in a directory may be looked at later, when it has settled.
    else this.#found(op.dir, ...(op.op === 'mkdir' ? [op.ref] : []));
    return made;
  }

  /** It was logged or put in place with the mode and the time that the view has: others came later, and are told. */
  #noteView(record: VnodeRecord, facts: DiskFacts, { mode, mtime }: Attributes): void {
    if (isBegun(facts)) return;
    const told = { mode: specialMode(facts) | plainMode(mode), mtime, ctime: '' };
    record.disk = { ...stampOf(facts), ...told };
  }

  #call(
    fileSystem: FileSystem,
    op: NewOp,
    place: Place,
    { xattrs, note }: { readonly xattrs: readonly Xattr[]; readonly note: CallNote },
  ): Promise<Attributes> {
    const { facts } = op;
    const mark = this.#parts.ownCopies.markOf(place);
    const common = { mtime: facts.mtime, observed: true, note, ...this.#at(op.dir), ...mark };
    if (op.op === 'symlink') {
      return fileSystem.symlink(place.dir, place.name, facts.target ?? '', common);
    }
    this.#parts.contents.sayTime(op.path, facts.mtime);
    const options = { ...common, mode: this.#parts.contents.modeOf(op.path, facts), xattrs };
    return op.op === 'mkdir'
      ? fileSystem.mkdir(place.dir, place.name, options)
      : fileSystem.create(place.dir, place.name, options);
  }

  async #link(op: Extract<LocalOp, { op: 'link' }>): Promise<void> {
    const { fileSystem, records, notes } = this.#parts;
    const fid = this.#fid(op.ref);
    const place = this.#place(op);
    if (fid === null || place === null) return;
    if (!isNew(op.ref) && this.#lacksContents(fid, op.facts)) return;
    const adopt = this.#parts.adopt?.at(op.path);
    if ((await adopt?.isNamed(place, fid)) === true) {
      records.link(place, fid, true);
      return this.#found(op.dir);
    }
    await adopt?.free(place);
    const observed = seenIn(records.get(fid));
    await notes.with({ did: 'link', fid, place }, async (note) => {
      await fileSystem.link(fid, place, { ...this.#at(op.dir), observed, note });
      records.link(place, fid, true);
    });
    this.#touched(op.dir);
  }

  async #rename(op: Extract<LocalOp, { op: 'rename' }>): Promise<void> {
    const { fileSystem, records, told, notes, board } = this.#parts;
    const from = this.#place(op.from);
    const to = this.#place(op.to);
    if (from === null || to === null) return;
    if (op.facts !== undefined && this.#lacksContents(op.fid, op.facts)) return;
    const { fid, over } = op;
    const adopt = this.#parts.adopt?.at(this.#path(to));
    const move = (): void => {
      const source = this.#path(from).join('/');
      told.move(fid, from, to, over);
      this.#parts.ownCopies.told(to);
      board.moved(source, this.#path(to).join('/'));
    };
    if ((await adopt?.isNamed(to, fid)) === true) {
      move();
      return this.#found(op.from.dir, op.to.dir);
    }
    if (over === null) await adopt?.free(to);
    const observed = over === null ? null : seenIn(records.get(over));
    await notes.with({ did: 'move', fid, from, to, over }, async (note) => {
      const mark = this.#parts.ownCopies.markOf(to);
      const options = { ...this.#at(op.to.dir), observed, moved: fid, note, ...mark };
      await fileSystem.rename(from, to, options);
      move();
    });
    this.#touched(op.from.dir, op.to.dir);
  }

  /** Something in the directory comes back, or is in the volume and not kept here. */
  async #isNeeded(dir: Fid): Promise<boolean> {
    const { forgotten, excluded, records, log } = this.#parts;
    if (await forgotten.isAwaitedIn(dir)) return true;
    if (!excluded.hasOutIn(dir)) return false;
    const reason = 'a folder in it is not kept on this laptop, and was not removed';
    log.warn('a folder comes back', { path: records.pathOf(dir)?.join('/'), reason });
    return true;
  }

  async #remove(op: Extract<LocalOp, { op: 'remove' | 'rmdir' }>): Promise<void> {
    const { fileSystem, records, told, notes, forgotten, board } = this.#parts;
    const place = this.#place(op);
    if (place === null || records.at(place.dir, place.name) !== op.fid) return;
    const record = records.get(op.fid);
    if (record === null) return;
    if (op.op === 'rmdir' && records.entryCount(op.fid) > 0) {
      if (this.#nameless.size > 0) throw new PathChanged(this.#path(op));
      return;
    }
    if (op.op === 'rmdir' && (await this.#isNeeded(op.fid))) return forgotten.forget([place]);
    const isOwn = records.isOwn(place.dir, place.name);
    const path = this.#path(place);
    told.takeAway(place, op.fid);
    const hasOtherNames = records.names(op.fid).length > 0;
    board.removed(path.join('/'));
    try {
      const adopt = this.#parts.adopt?.at(path) ?? null;
      if (adopt !== null && (await adopt.isNamed(place, op.fid)) === false) {
        return this.#found(op.dir);
      }
      this.#touched(op.dir);
      await notes.with({ did: 'remove', fid: op.fid, place }, (note) => {
        const options = { ...this.#at(op.dir), observed: seenIn(record), note };
        if (op.op === 'rmdir') return fileSystem.rmdir(place, { ...options, ...unmounting(op) });
        return fileSystem.remove(place, { ...options, hasOtherNames });
      });
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'not-found') return;
      // Not told, so it is found missing again.
      records.put(record);
      records.link(place, op.fid, isOwn);
      records.forgetFreed(place);
      throw error;
    }
  }

  /** What is at the new name was not to be had: the path is looked at again, and the name told then. */
  #lacksContents(fid: Fid, facts: DiskFacts): boolean {
    const disk = this.#parts.records.get(fid)?.disk ?? null;
    if (facts.kind !== 'file' || disk === null || isSameBytes(facts, disk)) return false;
    // Without any contents others are not shown a name (W2); and what was found logged after a crash has its contents.
    if (isToLog(disk)) return false;
    this.#nameless.add(fid);
    return true;
  }

  /** The entries of these directories have changed, and with them, in the volume, their modification times. */
  #touched(...dirs: readonly Ref[]): void {
    for (const dir of dirs) {
      const fid = this.#fid(dir);
      if (fid === null) continue;
      this.#toldIn.add(fid);
      this.#parts.ownTimes.told(fid);
      const mtime = this.#times.get(dir);
      if (mtime !== undefined) this.#toldTime(fid, mtime);
    }
  }

  /** Its own attributes may be told much later: a time that it had before is another one than this by then. */
  #toldTime(fid: Fid, mtime: Mtime): void {
    const { records } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    records.update(fid, { mtime, ...(disk === null ? {} : { disk: { ...disk, mtime } }) });
  }

  /** In these directories something is as the volume has it already: they have no other time there. */
  #found(...dirs: readonly Ref[]): void {
    for (const dir of dirs) {
      const fid = this.#fid(dir);
      if (fid !== null && !this.#toldIn.has(fid)) this.#parts.ownTimes.found(fid);
    }
  }

  #at(dir: Ref): { at?: Mtime } {
    const at = this.#times.get(dir) ?? this.#parts.records.get(dir as Fid)?.mtime;
    return at === undefined ? {} : { at };
  }

  #fid(ref: Ref): Fid | null {
    return isNew(ref) ? (this.#refs.get(ref) ?? null) : (ref as Fid);
  }

  #place({ dir, name }: RefPlace): Place | null {
    const fid = this.#fid(dir);
    return fid === null || !this.#parts.records.has(fid) ? null : { dir: fid, name };
  }

  #path(place: RefPlace): readonly string[] {
    const known = this.#place(place);
    return (known && this.#parts.records.pathOfPlace(known)) ?? [place.name];
  }

  async #guarded(path: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.failures.failed(path, error);
    }
  }

  /** Begins the work when fewer than `width` are under way, so calls are made in order. */
  async #start(width: number, path: readonly string[], work: () => Promise<void>): Promise<void> {
    await this.#running.until((count) => count < width);
    this.#running.begin(0, this.#guarded(path, work));
  }

  /** Each waits for the log several times, which takes many in one go; but long ones keep the disk from others. */
  async #startCopy(
    { path, facts: { size } }: { readonly path: readonly string[]; readonly facts: DiskFacts },
    work: () => Promise<void>,
  ): Promise<void> {
    const { parallelCopies, parallelFiles, smallBytes } = this.#parts.limits;
    await this.#running.until(
      (count, bytes) =>
        count < parallelCopies || (count < parallelFiles && bytes + size <= smallBytes),
    );
    this.#running.begin(size, this.#guarded(path, work));
  }

  #drain(most: number): Promise<void> {
    return this.#running.until((count) => count <= most);
  }
}

function recordOf(made: Attributes, facts: DiskFacts): VnodeRecord {
  const { fid, kind, version, digest, size, mode, mtime, target, xattrs } = made;
  return { fid, kind, version, digest, size, mode, mtime, target, xattrs, disk: stampOf(facts) };
}

/** A person has said that the volume is not to be mounted there any more. */
const unmounting = ({ unmounts }: { readonly unmounts?: true }): { unmounts?: true } =>
  unmounts === true ? { unmounts } : {};

/** What is recorded of it when it is logged. */
function newRecord(
  { op, facts }: NewOp,
  xattrs: readonly Xattr[],
): Omit<VnodeRecord, 'fid' | 'version'> {
  const { target, mtime } = facts;
  const mode = plainMode(facts.mode);
  const kind = op === 'mkdir' ? 'directory' : op === 'create' ? 'file' : 'symlink';
  const disk = op === 'create' ? stampToLog(facts.inode, { mode, mtime }) : stampOf(facts);
  const size = Buffer.byteLength(target ?? '');
  return { kind, digest: null, size, mode, mtime, target, xattrs, disk };
}

function seenIn(record: VnodeRecord | null): SeenVersion | null {
  return record === null ? null : { fid: record.fid, base: record.version, digest: record.digest };
}

/** What one runner has begun and not waited for: how many works, and of how many bytes. Works never reject. */
class UnderWay {
  #count = 0;
  #bytes = 0;
  #ended: (() => void) | null = null;

  /** Resolves when `holds` of what is under way. One waits at a time. */
  async until(holds: (count: number, bytes: number) => boolean): Promise<void> {
    while (!holds(this.#count, this.#bytes)) {
      await new Promise<void>((resolve) => (this.#ended = resolve));
    }
  }

  begin(bytes: number, work: Promise<void>): void {
    this.#count += 1;
    this.#bytes += bytes;
    void work.then(() => {
      this.#count -= 1;
      this.#bytes -= bytes;
      const ended = this.#ended;
      this.#ended = null;
      ended?.();
    });
  }
}

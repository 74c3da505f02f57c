/**
 * Does to the disk and the records what a conflict asks for. Each step finds out first whether it is done already: the
 * daemon may have died between the disk and `adjusted`.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { DataVersion, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Became, ConflictRepair, Feed } from '../../../../shared/ports/feed.ts';
import type { FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import type { Disk } from '../disk/disk.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { Blocked, PathChanged } from '../disk/path-changed.ts';
import { isUntouched, type DiskFacts } from '../disk/disk-facts.ts';
import type { AcrossDisks } from './across-disks.ts';
import type { ErrorBoard } from '../error-board.ts';
import { describeError, isErrno } from '../error-words.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { Rooms } from '../disk/own-directories.ts';
import type { Disks } from '../disk/folder-disks.ts';
import { samePlace, type FolderRecords, type VnodeRecord } from '../records/folder-records.ts';
import { conflictName } from '../../../../shared/model/conflict-name.ts';
import type { FileAttributes } from '../disk/file-attributes.ts';
import type { ReplacedFiles } from './replaced-files.ts';
import type { Background } from '../background.ts';
import { StaysAsNew } from './stays-as-new.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { LostAndFound } from '../disk/lost-and-found.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';

type Copied = Extract<ConflictRepair, { readonly kind: 'copied' }>;
type Restored = Extract<ConflictRepair, { readonly kind: 'restored' }>;
/** False: it can't be done now. */
type Done = boolean | Became;

export interface RepairDiskParts {
  readonly feed: Feed;
  readonly fileSystem: FileSystem;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly directories: InDirectory;
  readonly rooms: Rooms;
  readonly across: AcrossDisks;
  readonly replaced: ReplacedFiles;
  readonly attributes: Pick<FileAttributes, 'replacedBy'>;
  readonly clock: Clock;
  readonly deviceName: () => string;
  readonly files: Disk;
  readonly mutex: Mutex;
  readonly log: Log;
  readonly background: Pick<Background, 'signal'>;
  readonly save: Pick<SaveRecords, 'saved'>;
  readonly events: FolderEvents;
  readonly disks: Disks;
  readonly board: ErrorBoard;
  readonly lostAndFound: LostAndFound;
}

const NOT_DONE = 'a conflict can not change it yet';

/**
 * Carries out conflict repairs on the disk and in the records; a repair that is done is not done
 * again.
 */
export class RepairDisk {
  readonly #parts: RepairDiskParts;
  /** Paths of which the board says that the disk refuses them, by the repair. */
  readonly #refused = new Map<number, string>();
  readonly #staysAsNew: StaysAsNew;
  #isRefused = false;

  constructor(parts: RepairDiskParts) {
    this.#parts = parts;
    const { events, directories } = parts;
    this.#staysAsNew = new StaysAsNew({
      ...parts,
      drop: (place, fid) => this.#drop(place, fid),
      changed: (place) => events.emit('pathChanged', directories.path(place).join('/')),
    });
  }

  /** The disk has refused the last one. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** False: it can't be done now: what is in the way is looked at first, or the disk refuses, which is said. */
  async run(repair: ConflictRepair): Promise<boolean> {
    const { feed, save, log } = this.#parts;
    const done = await this.#attempt(repair);
    if (!done) return false;
    const became = typeof done === 'string' ? done : undefined;
    log.info('a conflict changed the folder', { kind: repair.kind, fid: repair.fid, became });
    await save.saved();
    await feed.adjusted(repair.id, became);
    return true;
  }

  async #attempt(repair: ConflictRepair): Promise<Done> {
    const { events, board, records } = this.#parts;
    const [place] = records.names(repair.fid);
    const path = (place && records.pathOfPlace(place)?.join('/')) ?? null;
    this.#isRefused = false;
    try {
      const done = await this.#do(repair);
      const refused = this.#refused.get(repair.id);
      if (refused !== undefined) board.clearPath(refused);
      this.#refused.delete(repair.id);
      return done;
    } catch (error) {
      if (error instanceof Blocked) events.emit('pathChanged', error.path.join('/'));
      else if (error instanceof PathChanged) events.emit('pathChanged', error.at.join('/'));
      else if (!isErrno(error)) throw error;
      else {
        this.#isRefused = true;
        describeError(board, path, error, NOT_DONE);
        if (path !== null) this.#refused.set(repair.id, path);
      }
      return false;
    }
  }

  async #do(repair: ConflictRepair): Promise<Done> {
    const { mutex } = this.#parts;
    switch (repair.kind) {
      case 'renamed':
        return mutex.take(() => this.#renamed(repair.fid, repair.from, repair.to));
      case 'copied':
        return this.#copied(repair);
      case 'merged':
        return this.#merged(repair.fid, repair.into);
      case 'restored':
        return this.#restored(repair);
    }
  }

  #renamed(fid: Fid, from: Place, to: Place): boolean {
    const { records } = this.#parts;
    const name = records.names(fid).find((place) => samePlace(place, from));
    if (name === undefined || samePlace(from, to)) return true;
    return this.#move(name, to, fid);
  }

  /** What is at the vnode's names is the copy from now on; its place is the server's again. */
  async #copied(repair: Copied): Promise<boolean> {
    const { records, mutex, held } = this.#parts;
    const { fid, copy } = repair;
    const record = records.get(fid);
    if (record !== null && !records.has(copy)) {
      const status = await this.#present(copy);
      const ours = await this.#getattr(copy);
      const version = versionInCopy(record, repair, [ours, status]);
      const moved = await mutex.take(() => this.#split(record, repair, version, status));
      if (!moved) return false;
    }
    const status = held.vnode(fid) ?? (await this.#present(fid));
    await mutex.take(() => this.#offer(fid, status));
    return true;
  }

  #split(
    record: VnodeRecord,
    { copy, to }: Copied,
    version: DataVersion,
    status: VnodeStatus | null,
  ): boolean {
    const { records, held, directories } = this.#parts;
    const { fid } = record;
    const names = [...records.names(fid)];
    const [first, ...others] = names;
    if (first === undefined) return true;
    // Kept for it until the server's row is in place.
    const wanted = names.filter((place) => held.entry(place.dir, place.name) === null);
    for (const place of others) {
      // Another name of the same bytes: the copy keeps one, and the server's contents get them all.
      const there = directories.factsOf(place);
      if (there !== null && there.inode !== record.disk?.inode) continue;
      if (there !== null) this.#parts.lostAndFound.take(place);
      records.unlink(place);
    }
    if (!samePlace(first, to) && !this.#move(first, to, fid)) return false;
    // Its attributes stay those that are on the disk; where the copy has others, they are put in place.
    records.replaceFid(fid, {
      ...record,
      fid: copy,
      version,
      digest: record.digest ?? status?.digest ?? null,
    });
    this.#parts.attributes.replacedBy(fid, copy);
    if (status !== null && held.vnode(copy) === null) held.setVnode(status);
    for (const place of records.names(copy)) records.link(place, copy, true);
    for (const place of wanted) {
      if (!samePlace(place, to)) held.setEntry({ ...place, fid });
    }
    return true;
  }

  async #merged(fid: Fid, into: Fid): Promise<boolean> {
    const { records, held, mutex } = this.#parts;
    const status = held.vnode(into) ?? (await this.#present(into));
    const seen = await this.#getattr(into);
    return mutex.take(() => {
      const record = records.get(fid);
      if (record !== null) {
        if (records.has(into)) return this.#mergeAway(record, into);
        // The contents are ours still; the version is the one that a next write is made over.
        records.replaceFid(fid, { ...record, fid: into, version: versionOf(seen ?? status) });
      }
      const inside = held.entriesIn(fid);
      for (const row of inside) {
        held.doneEntry(row.dir, row.name);
        if (held.entry(into, row.name) === null) held.setEntry({ ...row, dir: into });
      }
      if (status !== null && held.vnode(into) === null) held.setVnode(status);
      return true;
    });
  }

  /**
   * The server's vnode is in place here under another name, and is about to get ours: what is in our directory goes into
   * it, and ours goes; a file of the same contents just goes.
   */
  #mergeAway(record: VnodeRecord, into: Fid): boolean {
    const { records, directories, replaced, events } = this.#parts;
    const { fid, kind, disk } = record;
    for (const [name, child] of records.entries(fid)) {
      const isFree = records.at(into, name) === null;
      const about = {
        device: this.#parts.deviceName(),
        wall: this.#parts.clock.wall(),
        isDirectory: records.get(child)?.kind === 'directory',
      };
      const isTaken = (free: string): boolean =>
        directories.factsOf({ dir: into, name: free }) !== null;
      const to = isFree ? name : conflictName(name, about, isTaken);
      if (!isFree) events.emit('copyNamed', { dir: into, name: to }, name);
      if (!this.#move({ dir: fid, name }, { dir: into, name: to }, child)) return false;
    }
    for (const place of [...records.names(fid)]) {
      const there = directories.factsOf(place);
      if (there !== null && kind !== 'directory' && disk !== null && !isUntouched(there, disk)) {
        this.#parts.events.emit('pathChanged', directories.path(place).join('/'));
        return false;
      }
      directories.change(place.dir, (base) => {
        const path = directories.at(base, place);
        if (kind === 'directory' && there !== null) this.#clearAway(base, place);
        else if (there !== null) {
          const kept = replaced.place(fid, there, place, null);
          this.#parts.files.rename(path, kept);
          replaced.kept(kept);
        }
      });
      records.unlink(place);
    }
    return true;
  }

  /** An emptied directory goes; with something in it that nobody knows yet, it makes way, and is found as a new one. */
  #clearAway(base: string, place: Place): void {
    const { clock, deviceName, events, directories, files } = this.#parts;
    try {
      files.removeDirectory(`${base}/${place.name}`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      const isTaken = (free: string): boolean => directories.facts(`${base}/${free}`) !== null;
      const name = conflictName(
        place.name,
        { device: deviceName(), wall: clock.wall(), isDirectory: true },
        isTaken,
      );
      events.emit('copyNamed', { ...place, name }, place.name);
      files.renameNoReplace(`${base}/${place.name}`, `${base}/${name}`);
      events.emit('pathChanged', directories.path({ ...place, name }).join('/'));
    }
  }

  async #restored(repair: Restored): Promise<Done> {
    const { records, mutex, held } = this.#parts;
    const { fid } = repair;
    const status = await this.#present(fid);
    if (status === null && repair.renamed !== undefined) return this.#anew(repair);
    await mutex.take(() => {
      const freed = records.freedBy(fid);
      if (status === null) {
        for (const place of freed) records.forgetFreed(place);
        for (const place of [...records.names(fid)]) {
          if (records.isOwn(place.dir, place.name)) this.#lose(place);
        }
        return;
      }
      for (const place of records.names(fid)) {
        if (!records.isOwn(place.dir, place.name)) continue;
        // Ours alone: the server knows it by the name it had before, or not at all under this one.
        records.confirm(place);
        if (held.entry(place.dir, place.name) === null) held.setEntry({ ...place, fid: null });
      }
      for (const place of freed) {
        records.forgetFreed(place);
        if (held.entry(place.dir, place.name) === null) held.setEntry({ ...place, fid });
      }
      this.#offer(fid, status);
      const record = records.get(fid);
      // Other contents: whatever our number was, the server's are the ones to show.
      const isSame = record?.digest === status.digest;
      if (record) records.update(fid, { version: isSame ? status.version : versionOf(null) });
    });
    return true;
  }

  /** Others removed what got a name here: that stays, after what conflicts ask for in it. */
  async #anew({ fid, volume }: Restored): Promise<Done> {
    const { feed, records, mutex, held } = this.#parts;
    const below = this.#staysAsNew.below(fid);
    if (below === null) return false;
    for (const other of feed.adjustments(volume)) {
      const isBelow = other.fid !== fid && below.has(other.fid);
      if (isBelow && !(await this.run(other))) return false;
    }
    return mutex.take(() => {
      if (this.#staysAsNew.below(fid) === null) return false;
      for (const place of records.freedBy(fid)) records.forgetFreed(place);
      const became = this.#staysAsNew.letGo(fid);
      // Names that it had before go, whether the feed tells that still or not: else what stays would be a second name of what is gone.
      for (const place of records.names(fid)) {
        if (held.entry(place.dir, place.name) === null) held.setEntry({ ...place, fid: null });
      }
      return became;
    });
  }

  /** Refused for good and unknown to the server: kept where nothing is synced, so that nothing is lost. */
  #lose(place: Place): void {
    const { records, lostAndFound, log } = this.#parts;
    const kept = lostAndFound.take(place);
    if (kept !== null) log.warn('a file that the server refused was moved aside', { kept });
    records.unlink(place);
  }

  #offer(fid: Fid, status: VnodeStatus | null): void {
    const { held } = this.#parts;
    const known = held.vnode(fid);
    if (status !== null && (known === null || known.commit < status.commit)) held.setVnode(status);
    if (status !== null) return;
    for (const row of held.entriesNaming(fid)) held.doneEntry(row.dir, row.name);
  }

  /** On the disk and in the records; done already where the inode has the new name. */
  #move(from: Place, to: Place, fid: Fid): boolean {
    const { records, directories, events, disks, board } = this.#parts;
    const inode = records.get(fid)?.disk?.inode;
    if (records.at(to.dir, to.name) === fid) return this.#dropName(from, fid);
    if (!records.has(to.dir) || records.at(to.dir, to.name) !== null) {
      return this.#park(from, to, fid);
    }
    const isRespelled = from.dir === to.dir && disks.at(to.dir).isSame(from.name, to.name);
    const there = isRespelled ? null : directories.factsOf(to, fid);
    const here = directories.factsOf(from, fid);
    if (there !== null && there.inode !== inode) {
      events.emit('pathChanged', directories.path(to).join('/'));
      return false;
    }
    if (there === null && here !== null && this.#parts.across.isAcross(from, to)) {
      return this.#moveAcross(from, to, fid);
    }
    if (there === null && here !== null) {
      directories.change(from.dir, (fromBase) =>
        directories.change(to.dir, (toBase) =>
          this.#rename(
            directories.at(fromBase, from, fid),
            directories.at(toBase, to, fid),
            here,
            isRespelled ? to.dir : null,
          ),
        ),
      );
    }
    const source = directories.path(from).join('/');
    records.move(from, to, true);
    board.moved(source, directories.path(to).join('/'));
    const stamp = records.get(fid)?.disk ?? null;
    const facts = directories.factsOf(to, fid);
    // A change that is not logged yet shows in the rest, and is found.
    if (stamp !== null && facts !== null && here?.ctime === stamp.ctime) {
      records.update(fid, { disk: { ...stamp, ctime: facts.ctime } });
    }
    events.emit('pathChanged', directories.path(to).join('/'));
    events.emit('pathChanged', directories.path(from).join('/'));
    return true;
  }

  /** To another disk: it is copied there first, which others do not wait for. */
  #moveAcross(from: Place, to: Place, fid: Fid): boolean {
    const { across, directories, records, files, events, log } = this.#parts;
    const ours = directories.path(from).join('/');
    if (!across.isReady(fid, to.dir)) {
      void across.bring(fid, to.dir).catch((error: unknown) => {
        log.warn('what a conflict moves could not be copied', { from: ours, error: String(error) });
      });
      return false;
    }
    try {
      across.move({ fid, from, to, over: null }, (ready, base) =>
        files.renameNoReplace(ready, directories.at(base, to, fid)),
      );
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      events.emit('pathChanged', error.path.join('/'));
      if (records.at(to.dir, to.name) !== fid) return false;
    }
    records.link(to, fid, true);
    events.emit('pathChanged', directories.path(to).join('/'));
    return true;
  }

  /** `respelled`: the directory in which it gets another spelling of its name. */
  #rename(from: string, to: string, facts: DiskFacts, respelled: Fid | null = null): void {
    const { directories, files, disks } = this.#parts;
    directories.moving(from, to, facts, () => {
      const isRespelled = respelled !== null && disks.at(respelled).isRespelled(from, to);
      if (isRespelled) files.rename(from, to);
      else files.renameNoReplace(from, to);
    });
  }

  /**
   * What has the name now is to leave it, and may be waiting for this very repair (a file moves out of a directory that
   * was removed, and takes its name). Or the directory is not here: its user removed it, and a later repair brings it back, or it has
   * gone elsewhere too. It is parked, and goes to its name with the rows of the feed.
   */
  #park(from: Place, to: Place, fid: Fid): boolean {
    const { records, held, rooms } = this.#parts;
    const row = held.entry(to.dir, to.name);
    const isHere = records.has(to.dir);
    if (isHere && (row === null || row.fid === records.at(to.dir, to.name))) return false;
    const parked = rooms.of(from.dir).parked(fid);
    if (!this.#move(from, parked, fid)) return false;
    records.confirm(parked);
    if (isHere && row?.fid === null) held.setEntry({ ...to, fid });
    return true;
  }

  /** It has the new name already: the old one goes. */
  #dropName(from: Place, fid: Fid): boolean {
    this.#drop(from, fid);
    this.#parts.records.unlink(from);
    return true;
  }

  #drop(place: Place, fid: Fid): void {
    const { records, directories, files } = this.#parts;
    const here = directories.factsOf(place, fid);
    if (here === null || here.inode !== records.get(fid)?.disk?.inode) return;
    directories.change(place.dir, (base) => files.unlink(directories.at(base, place, fid)));
  }

  async #getattr(fid: Fid): Promise<VnodeStatus | null> {
    try {
      return await this.#parts.fileSystem.getattr(fid);
    } catch (error) {
      if (error instanceof GodwitError) return null;
      throw error;
    }
  }

  #present(fid: Fid): Promise<VnodeStatus | null> {
    return this.#parts.feed.present(fid, this.#parts.background.signal);
  }
}

/**
 * What the contents on the disk are in the copy: not always its newest, for somebody may have changed it, and what is here is not made over that.
 * 0: they are not the copy's at all. A folder that was killed may not know that it had logged a save, and log the next one over what was there
 * before: each becomes a copy, and the disk has the contents of the last.
 */
function versionInCopy(
  { version, digest }: VnodeRecord,
  { lost }: Copied,
  known: readonly (VnodeStatus | null)[],
): DataVersion {
  const statuses = known.filter((status) => status !== null);
  const isForeign = digest !== null && statuses.every((status) => status.digest !== digest);
  if (statuses.length > 0 && isForeign) return versionOf(null);
  return Math.max(version - lost, 0) as DataVersion;
}

function versionOf(status: VnodeStatus | null): DataVersion {
  return status?.version ?? (0 as DataVersion);
}

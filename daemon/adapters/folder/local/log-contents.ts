/**
 * Logs contents and attributes of files: the file on the disk is copied to the place the port gives, hashed on the way,
 * and its identity compared before and after; changed meanwhile means that it is looked at again (rule W6).
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { isMtimeCut, type Digest, type Mtime, type Xattr } from '../../../../shared/model/vnode.ts';
import type {
  Attributes,
  CallNote,
  Changed,
  FileSystem,
  Handle,
} from '../../../../shared/ports/file-system.ts';
import type { Disk } from '../disk/disk.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { SHORT_CONTENTS } from '../../../limits.ts';
import { codeOf } from '../../store/disk-errors.ts';
import type { AdoptLogged, AttributeChange } from './adopt-logged.ts';
import type { ErrorBoard } from '../error-board.ts';
import {
  isUnlocked,
  isUntouched,
  plainMode,
  stampOf,
  stampToLog,
  type DiskFacts,
  type DiskStamp,
} from '../disk/disk-facts.ts';
import type { Disks } from '../disk/folder-disks.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { FailedChanges } from './failed-changes.ts';
import type { OwnTimes } from './own-times.ts';
import { logLeftAttributes } from '../disk/file-attributes.ts';
import { isParked } from '../disk/own-directory.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import { PathChanged } from '../disk/path-changed.ts';
import type { UpdateNotes } from '../records/update-notes.ts';
import { NO_XATTRS, readXattrs, sameXattrs, withGroup, type KnownXattrs } from '../disk/xattrs.ts';

export interface LogContentsParts {
  readonly fileSystem: FileSystem;
  readonly files: Disk;
  readonly records: FolderRecords;
  readonly root: SafeRoot;
  readonly board: ErrorBoard;
  readonly disks: Disks;
  /** null: the last run ended in good order, so nothing is logged that is not recorded. */
  readonly adopt: AdoptLogged | null;
  readonly ownTimes: Pick<OwnTimes, 'found'>;
  readonly notes: UpdateNotes;
  readonly events: FolderEvents;
  readonly failures: Pick<FailedChanges, 'changed'>;
}

/** What most programs make. */
const PLAIN_FILE = 0o644;
const PLAIN_DIRECTORY = 0o755;

type Path = readonly string[];

interface Copied {
  readonly digest: string;
  readonly length: number;
  /** null: they are at the path. */
  readonly bytes: Uint8Array | null;
}

/** Copies changed files for the daemon and logs their contents and attributes. */
export class LogContents {
  readonly #parts: LogContentsParts;

  constructor(parts: LogContentsParts) {
    this.#parts = parts;
  }

  /** The first contents of a file that was just logged; `adopted`: it may have them already. */
  async first(fid: Fid, path: Path, facts: DiskFacts, adopted: boolean): Promise<void> {
    if (adopted) return this.check(fid, path, facts);
    await this.#write(fid, path, facts, true);
  }

  /** Something about a file or symlink is not as recorded: finds out what, and logs it. */
  async check(fid: Fid, path: Path, facts: DiskFacts, isUnsure = false): Promise<void> {
    const { records } = this.#parts;
    // The file itself is there, put beside its placeholder: what was seen of that says nothing of it.
    if (records.get(fid)?.placeholder === true)
      records.update(fid, { placeholder: false, disk: null });
    const record = records.get(fid);
    if (record === null) return;
    if (!isUnsure && record.disk && isUntouched(facts, record.disk)) return;
    if (record.kind === 'file') {
      const has = await this.#hasBytes(record, path, facts);
      if (has === null) return this.#changedMeanwhile(path);
      if (!has) return this.#write(fid, path, facts);
    }
    if (!this.#isStill(path, facts)) return this.#changedMeanwhile(path);
    await this.attributes(fid, path, facts);
  }

  /**
   * Mode, modification time and extended attributes; and the inode is put down as seen. `areXattrsTold`: they were read when the inode
   * was as found, and told.
   */
  async attributes(fid: Fid, path: Path, found: DiskFacts, areXattrsTold = false): Promise<void> {
    const { records } = this.#parts;
    const record = records.get(fid);
    if (record === null) return;
    const { disk } = record;
    const facts = disk && isUnlocked(found, disk.mode) ? this.#locked(path, found, disk) : found;
    if (disk && isUntouched(facts, disk) && disk.ctime === facts.ctime) return;
    const { can } = this.#parts.disks.holding(path);
    const change = changeOf(record, facts, can.modes);
    const mayDiffer = can.xattrs && record.kind !== 'symlink' && !areXattrsTold;
    if (mayDiffer && record.disk?.ctime !== facts.ctime) {
      const xattrs = withGroup(this.xattrsAt(path, record), record.xattrs);
      if (!sameXattrs(xattrs, record.xattrs)) change.xattrs = xattrs;
    }
    if (change.mtime !== undefined) this.sayTime(path, change.mtime);
    if (Object.keys(change).length > 0) {
      const untold = (await this.#parts.adopt?.at(path)?.untold(fid, change)) ?? change;
      if (Object.keys(untold).length === 0) records.update(fid, change);
      else {
        await this.#parts.notes.with({ did: 'attributes', fid, ...untold }, async (note) => {
          await this.#setattr(fid, { ...untold, note });
          records.update(fid, change);
        });
      }
    }
    records.update(fid, { disk: stampOf(facts) });
  }

  /** The daemon ended while it changed something in the directory, or the disk would not: that is nobody's wish. */
  #locked(path: Path, facts: DiskFacts, { mode }: DiskStamp): DiskFacts {
    const { root, files } = this.#parts;
    if (facts.kind === 'directory') {
      root.within(path, (base) => files.setMode(base, mode));
      return { ...facts, mode };
    }
    const name = path.at(-1) ?? '';
    const dir = path.slice(0, -1);
    root.within(dir, (base) => files.setMode(`${base}/${name}`, mode));
    return root.facts(dir, name) ?? { ...facts, mode };
  }

  /** Attributes of a vnode that somebody removed meanwhile are of no interest: it goes. */
  async #setattr(fid: Fid, change: AttributeChange & { note: CallNote }): Promise<void> {
    try {
      await this.#parts.fileSystem.setattr(fid, change);
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
    }
  }

  /** A time that others can't have was cut: the file goes on with the nearest one. */
  sayTime(path: Path, mtime: Mtime): void {
    if (!isMtimeCut(mtime)) return;
    const text = 'its time is beyond what can be synced (1677 to 2262); others see the nearest one';
    this.#parts.board.set('attributes-left', path.join('/'), text);
  }

  xattrsAt(path: Path, known: KnownXattrs = NO_XATTRS): readonly Xattr[] {
    const { disks, files, root, board } = this.#parts;
    if (!disks.holding(path).can.xattrs) return [];
    const seen = readXattrs(files, root, path, known);
    logLeftAttributes(board, path, seen);
    return seen.xattrs;
  }

  /** Of something new. What a disk shows that keeps no modes is nobody's wish. */
  modeOf(path: Path, { kind, mode }: DiskFacts): number {
    if (this.#parts.disks.holding(path).can.modes) return plainMode(mode);
    return kind === 'directory' ? PLAIN_DIRECTORY : PLAIN_FILE;
  }

  /** The file has the bytes of the record. Looked into only where that is likely; null: it is not there any more. */
  async #hasBytes(record: VnodeRecord, path: Path, facts: DiskFacts): Promise<boolean | null> {
    const { files } = this.#parts;
    const adopt = this.#parts.adopt?.at(path) ?? null;
    const isLikely = facts.size === record.size && record.digest !== null;
    if (!isLikely && adopt === null) return false;
    const read = await this.#reading(path, facts, (file) => files.digestFile(file));
    if (read === null) return null;
    const { digest } = read;
    if (digest === record.digest) return true;
    if (adopt === null) return false;
    const logged = await adopt.written(record.fid, digest as Digest);
    if (logged === null) return false;
    // As the view has it; what of it is not so on the disk, is told.
    const { version, size, mode, mtime, xattrs } = logged;
    const disk = stampToLog(facts.inode, logged);
    const seen = { version, size, mode, mtime, xattrs, digest: digest as Digest, disk };
    const { records, ownTimes } = this.#parts;
    records.update(record.fid, seen);
    for (const { dir } of records.names(record.fid)) ownTimes.found(dir);
    return true;
  }

  /** `isNew`: it was made just now, with the extended attributes that it had after it was looked at. */
  async #write(fid: Fid, path: Path, facts: DiskFacts, isNew = false): Promise<void> {
    const { records, fileSystem } = this.#parts;
    const record = records.get(fid);
    if (record === null) return;
    const { version: base, digest: before } = record;
    // It keeps this name if others have removed it meanwhile.
    const place = records.names(fid).find((each) => !isParked(each));
    const over = { base, digest: before, ...(place === undefined ? {} : { place }) };
    const open = await fileSystem.open(fid, {
      mode: 'write',
      truncate: true,
      bare: true,
      ...over,
    });
    let copied: Copied | null;
    try {
      copied = await this.#reading(path, facts, async (file, again) => {
        const copy = await this.#copy(file, facts, open.path);
        // The same inode, untouched since it was looked at: a rename or a removal would show, too.
        return copy !== null && isUntouched(again(), stampOf(facts)) ? copy : null;
      });
    } catch (error) {
      await fileSystem.abandon(open.handle);
      throw error;
    }
    const digest = copied?.digest as Digest;
    if (copied === null) {
      await fileSystem.abandon(open.handle);
      return this.#changedMeanwhile(path);
    }
    if (digest === before) {
      await fileSystem.abandon(open.handle);
      return this.attributes(fid, path, facts);
    }
    const changed = { mtime: facts.mtime, digest, size: copied.length };
    const { bytes } = copied;
    const { inode } = facts;
    this.sayTime(path, facts.mtime);
    await this.#parts.notes.with({ did: 'store', fid, inode, ...changed }, async (note) => {
      const whole = bytes === null ? { ...changed, note } : { ...changed, note, bytes };
      const stored = await this.#close(open.handle, whole);
      this.#put(fid, { ...stored, ...changed }, facts.mtime);
    });
    await this.attributes(fid, path, facts, isNew);
  }

  /** A short file is read, a longer one copied to a path. null: it is not as long any more as it was. */
  async #copy(file: string, { size }: DiskFacts, to: string): Promise<Copied | null> {
    const { files } = this.#parts;
    // The copy makes the file, by reflink where that can be. It is synced once, by `close`, and sent from here as long as it is as it was.
    if (size > SHORT_CONTENTS) {
      return { ...(await files.copyFile(file, to, { sync: false, spare: true })), bytes: null };
    }
    try {
      const [part] = await files.readParts(file, [size]);
      return part === undefined ? null : { digest: part.digest, length: size, bytes: part.bytes };
    } catch (error) {
      if (codeOf(error) === 'EINVAL') return null;
      throw error;
    }
  }

  /** What can not be logged now is copied anew when it is tried again. */
  async #close(handle: Handle, changed: Changed): Promise<Attributes> {
    const { fileSystem } = this.#parts;
    try {
      return await fileSystem.close(handle, changed);
    } catch (error) {
      // The first error is what is told, also where the daemon has gone meanwhile.
      await fileSystem.abandon(handle).catch(() => undefined);
      throw error;
    }
  }

  /** Reads the very file that was looked at; null: it is another one, or none, by now. */
  async #reading<T>(
    path: Path,
    facts: DiskFacts,
    read: (file: string, again: () => DiskFacts) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await this.#parts.root.reading(path, (file, now, again) =>
        isUntouched(now, stampOf(facts)) ? read(file, again) : Promise.resolve(null),
      );
    } catch (error) {
      if (error instanceof PathChanged) return null;
      throw error;
    }
  }

  #put(fid: Fid, stored: Attributes, mtime: Mtime): void {
    const { version, digest, size } = stored;
    const { records } = this.#parts;
    const disk = records.get(fid)?.disk;
    // The time went along with the contents: it is no change of its own.
    if (disk) records.update(fid, { disk: { ...disk, mtime } });
    records.update(fid, { version, digest, size, mtime, unused: false });
  }

  /** The file changed while it was taken: it is looked at again when it has settled. */
  #changedMeanwhile(path: Path): void {
    this.#parts.failures.changed(path);
    this.#parts.events.emit('pathChanged', path.join('/'));
  }

  /** The same inode, untouched since it was looked at. */
  #isStill(path: Path, facts: DiskFacts): boolean {
    const name = path.at(-1) ?? '';
    const now = this.#parts.root.facts(path.slice(0, -1), name);
    return now !== null && isUntouched(now, stampOf(facts));
  }
}

/** How a file's own attributes differ from what was last seen of them; from the record where nothing was. */
function changeOf(record: VnodeRecord, facts: DiskFacts, hasModes: boolean): AttributeChange {
  const change: AttributeChange = {};
  const mode = plainMode(facts.mode);
  const seen = record.disk ?? record;
  const isOther = hasModes && mode !== plainMode(seen.mode);
  if (record.kind !== 'symlink' && isOther) change.mode = mode;
  // Names logged with the directory's time, contents with the file's, have set the record's already.
  if (facts.mtime !== seen.mtime && facts.mtime !== record.mtime) change.mtime = facts.mtime;
  return change;
}

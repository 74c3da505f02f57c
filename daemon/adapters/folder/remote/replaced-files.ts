/**
 * Files that were replaced or removed by a remote change, kept for a while: a program may have them open still and write
 * (rule F1). What was written late becomes a conflict copy beside the file; the rest is removed in the end.
 *
 * What it was at the replacement (size, modification time, digest) is in the name, so that nothing else must be remembered; and the inode
 * of new contents that are swapped in from here, so that those which never were are known.
 *
 * There are no more of them than a number and bytes allow: the oldest go first, but for those that somebody has open to write.
 */
import { basename } from 'node:path';
import { parseFid, type Fid } from '../../../../shared/model/fid.ts';
import { conflictName } from '../../../../shared/model/conflict-name.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Disk } from '../disk/disk.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';
import type { Room, Rooms } from '../disk/own-directories.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import { ownName } from '../disk/own-directory.ts';
import type { SafeRoot } from '../disk/safe-root.ts';

export interface ReplacedFilesParts {
  readonly root: SafeRoot;
  readonly rooms: Rooms;
  readonly records: FolderRecords;
  readonly files: Disk;
  readonly clock: Clock;
  readonly limits: FolderLimits;
  readonly log: Log;
  readonly deviceName: () => string;
  readonly events: FolderEvents;
  readonly lostAndFound: { lookAgain(): void };
}

const NAME =
  /^(?<fid>\d+\.\d+\.\d+)_(?<size>\d+)_(?<mtime>-?\d+)_[0-9a-f]*_(?:b3(?<digest>[0-9a-f]{32})_)?(?:inode(?<incoming>[\d:-]+)_)?(?<name>[\s\S]*)$/;
const DIGEST_LENGTH = 32;
/** Of the name of the file, so that all together is a name. */
const MOST_NAME = 80;
/** Files that somebody writes, passed over for one that is new. */
const MOST_PASSED = 8;

/** Of one that lies here. `ctime` null: not as of when it was put here, which was in another run. */
interface Kept {
  readonly bytes: number;
  readonly ctime: string | null;
}

/** Keeps replaced and removed files for a while, in case a program writes to them late. */
export class ReplacedFiles {
  readonly #parts: ReplacedFilesParts;
  #count = 0;
  /** By path, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(parts: ReplacedFilesParts) {
    this.#parts = parts;
  }

  /** Where a file that is about to be replaced is to go. `incoming`: what lies there until it is swapped with the file. */
  place(fid: Fid, facts: DiskFacts, { dir, name }: Place, incoming: DiskFacts | null): string {
    this.#count += 1;
    const unique = `${this.#parts.clock.wall().toString(16).replace('.', '')}${this.#count.toString(16)}`;
    // The name is for the conflict copy; an overlong one is cut, at a whole character.
    const kept = Buffer.from(ownName(name))
      .subarray(0, MOST_NAME)
      .toString('utf8')
      .replaceAll('\ufffd', '');
    const record = this.#parts.records.get(fid);
    // The bytes of a placeholder are not those of its file.
    const digest = record?.placeholder === true ? null : (record?.digest ?? null);
    const contents = digest === null ? '' : `b3${digest.slice(0, DIGEST_LENGTH)}_`;
    const inode = incoming === null ? '' : `inode${inName(incoming.inode)}_`;
    const file = `${fid}_${facts.size}_${facts.mtime}_${unique}_${contents}${inode}${kept}`;
    return this.#parts.rooms.of(dir).room('late', file);
  }

  /** It lies there now. With another name in the folder it is no base: a write through that name is a change like any other. */
  kept(path: string): void {
    const { root, limits, log } = this.#parts;
    const facts = root.factsAt(path);
    if (facts === null) return;
    if (facts.links > 1) return this.#parts.files.remove(path);
    this.#note(path, facts, facts.ctime);
    try {
      let passed = 0;
      while (this.#isOverBound(limits) && passed < MOST_PASSED) {
        const [oldest] = this.#kept.keys();
        if (oldest === undefined || !this.#giveUp(oldest)) passed += 1;
      }
    } catch (error) {
      log.warn('what was replaced keeps its room', { error: String(error) });
    }
  }

  /** Looks at those that are old enough, and of others that are too many. */
  async inspect(): Promise<void> {
    const { clock, limits, root } = this.#parts;
    const age = ({ ctime }: DiskFacts): number => clock.wall() - Number(BigInt(ctime) / 1_000_000n);
    const found = this.#files().flatMap((file) => {
      const facts = root.factsAt(file);
      return facts === null ? [] : [{ file, facts }];
    });
    found.sort((a, b) => age(b.facts) - age(a.facts) || (a.file < b.file ? -1 : 1));
    const before = new Map(this.#kept);
    this.#kept.clear();
    this.#bytes = 0;
    for (const { file, facts } of found) this.#note(file, facts, before.get(file)?.ctime ?? null);
    for (const { file, facts } of found) {
      const isOld = age(facts) >= limits.late;
      const isTooMany = this.#isOverBound(limits) && this.#isWritten(file) !== true;
      if (isOld || isTooMany || this.#isUnused(file, facts)) await this.#settle(file, facts);
    }
  }

  /** The disk is full: those go that nobody has open to write, since nobody can open them again. */
  giveWay(): void {
    const { log } = this.#parts;
    try {
      for (const file of this.#files()) {
        if (this.#isWritten(file) === false) this.#giveUp(file);
      }
    } catch (error) {
      log.warn('what was replaced keeps its room on the full disk', { error: String(error) });
    }
  }

  #files(): string[] {
    return this.#parts.rooms.all().flatMap((room) =>
      this.#parts.files
        .names(room.room('late', ''))
        .sort()
        .map((file) => room.room('late', file)),
    );
  }

  #note(file: string, { size }: DiskFacts, ctime: string | null): void {
    this.#forget(file);
    this.#kept.set(file, { bytes: size, ctime });
    this.#bytes += size;
  }

  #forget(file: string): void {
    this.#bytes -= this.#kept.get(file)?.bytes ?? 0;
    this.#kept.delete(file);
  }

  #isOverBound({ lateFiles, lateBytes }: FolderLimits): boolean {
    return this.#kept.size > 0 && (this.#kept.size > lateFiles || this.#bytes > lateBytes);
  }

  /** New contents that never took the place of the file. */
  #isUnused(file: string, { inode }: DiskFacts): boolean {
    const incoming = NAME.exec(basename(file))?.groups?.['incoming'];
    return incoming !== undefined && inName(incoming) === inName(inode);
  }

  /** Somebody has it open to write; null: that can't be told. */
  #isWritten(file: string): boolean | null {
    try {
      return this.#parts.files.isBeingWritten(file);
    } catch {
      // Not ours to read: that is no reason for others to stay.
      return null;
    }
  }

  /** True: it has gone. Else it is the youngest: somebody writes it, or has written it. */
  #giveUp(file: string): boolean {
    const facts = this.#parts.root.factsAt(file);
    const kept = this.#kept.get(file);
    if (facts === null) {
      this.#forget(file);
      return true;
    }
    const isSure = kept?.ctime === facts.ctime && this.#looksUnchanged(file, facts);
    if (this.#isWritten(file) !== true) {
      if (isSure || this.#isUnused(file, facts) || facts.links > 1) {
        this.#parts.files.remove(file);
        this.#forget(file);
        return true;
      }
      void this.#settle(file, facts).catch((error: unknown) =>
        this.#parts.log.warn('what was replaced keeps its room', { error: String(error) }),
      );
    }
    this.#note(file, facts, kept?.ctime ?? null);
    return false;
  }

  #looksUnchanged(file: string, facts: DiskFacts): boolean {
    return isAsReplaced(basename(file), facts);
  }

  /** What was written to it is put beside its file; else it goes. */
  async #settle(file: string, facts: DiskFacts): Promise<void> {
    const { fid = '', name = basename(file) } = NAME.exec(basename(file))?.groups ?? {};
    const isNone = this.#isUnused(file, facts) || facts.links > 1;
    const isUnchanged = isNone || (await this.#isUnchanged(file, facts));
    // What has not been written yet may still be.
    if (isUnchanged && !isNone && this.#isWritten(file) === true) return;
    if (isUnchanged) this.#parts.files.remove(file);
    else if (this.#parts.files.exists(file)) await this.#rescue(file, fid as Fid, name);
    this.#forget(file);
  }

  /** A time can be put back: where the change time is not the one of when it was put here, the contents tell. */
  async #isUnchanged(file: string, facts: DiskFacts): Promise<boolean> {
    if (!this.#looksUnchanged(file, facts)) return false;
    if (this.#kept.get(file)?.ctime === facts.ctime) return true;
    const before = NAME.exec(basename(file))?.groups?.['digest'];
    if (before === undefined || facts.kind !== 'file') return true;
    const { digest } = await this.#parts.files.digestFile(file);
    return digest.startsWith(before);
  }

  async #rescue(file: string, fid: Fid, name: string): Promise<void> {
    const { records, root, files, log, events } = this.#parts;
    const place = parseFid(fid) === null ? undefined : records.names(fid)[0];
    const dir = (place && records.pathOf(place.dir)) ?? [];
    const lost = place?.name ?? name;
    const copyIn = (base: string): string =>
      conflictName(
        lost,
        { device: this.#parts.deviceName(), wall: this.#parts.clock.wall(), isDirectory: false },
        (free) => files.exists(`${base}/${free}`),
      );
    try {
      const path = await this.#onDiskOf(place?.dir ?? records.root, file);
      const copy = root.within(dir, (base) => {
        const free = copyIn(base);
        events.emit('copyNamed', { dir: place?.dir ?? records.root, name: free }, lost);
        files.renameNoReplace(path, `${base}/${free}`);
        return free;
      });
      if (path !== file) files.remove(file);
      log.warn('a program wrote to a file after it was replaced: kept beside it', { copy });
      this.#parts.events.emit('pathChanged', [...dir, copy].join('/'));
    } catch (error) {
      log.error('a late write could not be put beside its file', { name, error: String(error) });
      if (!files.exists(file)) return;
      const room = this.#roomOf(file);
      files.rename(file, room.room('lost+found', copyIn(room.room('lost+found', ''))));
      this.#parts.lostAndFound.lookAgain();
      events.emit('statusChanged');
    }
  }

  #roomOf(file: string): Room {
    const { rooms, records } = this.#parts;
    return rooms.all().find((room) => file.startsWith(`${room.path}/`)) ?? rooms.of(records.root);
  }

  /** The file, or a copy of it where the one that it is to be beside has gone to another disk. */
  async #onDiskOf(dir: Fid, file: string): Promise<string> {
    const { rooms, files } = this.#parts;
    const room = rooms.of(dir);
    if (room.disk === this.#roomOf(file).disk) return file;
    const copy = room.temporary();
    await files.copyFile(file, copy, { sync: true });
    return copy;
  }
}

/** By the name that it has in its room: it has the size and the time that it had when it was replaced. */
export function isAsReplaced(name: string, facts: Pick<DiskFacts, 'size' | 'mtime'>): boolean {
  const { size, mtime } = NAME.exec(name)?.groups ?? {};
  return facts.size === Number(size) && facts.mtime === mtime;
}

/** Without what some disks take in no name. */
function inName(inode: string): string {
  return inode.replaceAll(':', '-');
}

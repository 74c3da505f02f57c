/**
 * Takes a volume off the disk that is not shown there any more (rule M5): it was withdrawn, or its mount point is gone. What is as the volume has it
 * goes. All else is a person's, and is put aside as it lies there: what was changed and not sent, what was never synced, what somebody has open.
 *
 * Nothing of this is a change of the volume: whoever calls has closed its front end, and its records are not used again.
 */
import { basename, dirname, join } from 'node:path';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Disk } from '../folder/disk/disk.ts';
import { isUntouched, type DiskFacts } from '../folder/disk/disk-facts.ts';
import { ownNameOf } from '../folder/disk/root-guard.ts';
import { SafeRoot } from '../folder/disk/safe-root.ts';
import type { FolderRecords } from '../folder/records/folder-records.ts';
import { isAsReplaced } from '../folder/remote/replaced-files.ts';
import type { LetOthersRun } from '../folder/yielder.ts';

export interface TakeAwayParts {
  readonly root: string;
  readonly token: string;
  /** What was in place there; null: that is not known (any more), so that nothing goes. */
  readonly records: FolderRecords | null;
  readonly files: Disk;
  /** A change of it, or of its name, waits to be sent. */
  readonly isUnsent: (fid: Fid, place: Place) => boolean;
  /** The directory for what is kept; it is made when it is needed. */
  readonly aside: string;
  readonly random: Pick<Random, 'hex'>;
  readonly letOthersRun: LetOthersRun;
}

const ROOMS = ['parked', 'lost+found', 'late'];

/** Gives how many files were put aside. Throws what the disk says; then what is left is as it was. */
export async function takeAway(parts: TakeAwayParts): Promise<number> {
  return new TakeAway(parts).run();
}

class TakeAway {
  readonly #parts: TakeAwayParts;
  readonly #root: SafeRoot;
  readonly #own: string;
  /** Those with several names: the first that goes changes the others. */
  readonly #clean = new Set<string>();
  #kept = 0;

  constructor(parts: TakeAwayParts) {
    this.#parts = parts;
    this.#root = new SafeRoot(parts.root, parts.files);
    this.#own = ownNameOf(parts.token);
  }

  async run(): Promise<number> {
    const { files, root, records } = this.#parts;
    await this.#clear(records?.root ?? null, []);
    for (const name of files.names(root)) {
      if (name !== this.#own) this.#putAside(join(root, name));
    }
    const own = join(root, this.#own);
    for (const room of ROOMS) this.#clearRoom(join(own, room));
    files.removeTree(own);
    return this.#kept;
  }

  /** Removes what may go in a directory and beneath. True: nothing is left in it. */
  async #clear(dir: Fid | null, path: readonly string[]): Promise<boolean> {
    const { records, files, letOthersRun } = this.#parts;
    await letOthersRun();
    const known = new Map<string, { fid: Fid; place: Place }>();
    for (const [name, fid] of (dir === null ? null : records?.entries(dir)) ?? []) {
      const place = { dir: dir ?? fid, name };
      known.set(records?.shownName(place, fid) ?? name, { fid, place });
    }
    let isEmpty = true;
    for (const name of this.#root.within(path, (base) => files.names(base))) {
      if (path.length === 0 && name === this.#own) continue;
      const facts = this.#root.factsOrNull([...path, name]);
      const there = known.get(name) ?? null;
      const isGone =
        facts?.kind === 'directory'
          ? await this.#clearDirectory(there?.fid ?? null, [...path, name])
          : facts !== null && there !== null && this.#clearFile(there, path, name, facts);
      if (!isGone && facts?.kind !== 'directory') this.#kept += 1;
      isEmpty &&= isGone;
    }
    return isEmpty;
  }

  async #clearDirectory(dir: Fid | null, path: readonly string[]): Promise<boolean> {
    const { files, records } = this.#parts;
    const isKnown = dir !== null && records?.get(dir)?.kind === 'directory';
    if (!(await this.#clear(isKnown ? dir : null, path))) return false;
    return this.#root.within(path.slice(0, -1), (base) => {
      try {
        files.removeDirectory(`${base}/${path.at(-1) ?? ''}`);
        return true;
      } catch {
        // Something was put there in this moment.
        return false;
      }
    });
  }

  #clearFile(
    { fid, place }: { fid: Fid; place: Place },
    path: readonly string[],
    name: string,
    facts: DiskFacts,
  ): boolean {
    const { files, records, isUnsent } = this.#parts;
    const record = records?.get(fid) ?? null;
    if (record === null || record.disk === null || isUnsent(fid, place)) return false;
    if (record.kind === 'file' && record.digest === null) return false;
    if (!this.#clean.has(facts.inode) && !isUntouched(facts, record.disk)) return false;
    return this.#root.within(path, (base) => {
      const at = `${base}/${name}`;
      if (this.#isWritten(at, facts)) return false;
      files.unlink(at);
      this.#clean.add(facts.inode);
      return true;
    });
  }

  /** What was replaced and not written since is an older version, which the server has. */
  #clearRoom(room: string): void {
    const { files } = this.#parts;
    if (!files.exists(room)) return;
    for (const name of files.names(room)) {
      const file = join(room, name);
      const facts = this.#root.factsAt(file);
      const isOld = facts !== null && basename(room) === 'late' && isAsReplaced(name, facts);
      if (isOld && !this.#isWritten(file, facts)) files.remove(file);
      else {
        this.#kept += 1;
        this.#putAside(file);
      }
    }
  }

  /** Somebody is known to have it open to write. A link is not followed, and a file that nobody may read tells nothing. */
  #isWritten(path: string, { kind }: DiskFacts): boolean {
    if (kind !== 'file') return false;
    try {
      return this.#parts.files.isBeingWritten(path) === true;
    } catch {
      return false;
    }
  }

  #putAside(path: string): void {
    const { files, aside, random } = this.#parts;
    files.makeDirectories(aside, 0o700);
    const to = join(aside, basename(path));
    files.renameNoReplace(path, files.exists(to) ? `${to}-${random.hex(4)}` : to);
    for (const directory of [aside, dirname(path)]) files.syncDirectory(directory);
  }
}

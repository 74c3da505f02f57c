/**
 * Finds the placeholders among the names of a directory: each is taken for the file that it stands for, under that file's name, so that
 * the planner needs to know nothing of them. What is not as it should be is noted, to be put right after the pass.
 *
 * Invariants
 * 1. A placeholder is known by its inode, as recorded, or by the mark at its end; never by its name alone.
 * 2. What stands where a placeholder should and is none is a person's work: it is never taken for the file, nor for its removal.
 *    Under a name without our ending the mark counts as well, so its text is never taken for the contents of a file.
 * 3. Where the file itself is beside its placeholder, the file counts (it was saved there, or put in place when the daemon died), and the
 *    placeholder goes when the file is logged.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { nameBehind } from '../../../../shared/model/placeholder-name.ts';
import type { Disk } from '../disk/disk.ts';
import { isSameBytes, isUntouched, stampOf, type DiskFacts } from '../disk/disk-facts.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import {
  LEAST_PLACEHOLDER_BYTES,
  MOST_PLACEHOLDER_BYTES,
  readPlaceholder,
  type PlaceholderMark,
} from './placeholder-text.ts';

export interface FoundName {
  readonly name: string;
  readonly facts: DiskFacts;
  readonly placeholder?: Fid;
}

/** `path`: of the directory; `name`: on the disk. */
interface At {
  readonly path: readonly string[];
  readonly name: string;
  readonly facts: DiskFacts;
}

export type Finding = At &
  (
    | {
        /** Somebody wrote into the placeholder of `fid`, or put something in its place. */
        readonly what: 'written';
        readonly fid: Fid;
      }
    | {
        /** A placeholder was moved to where another file has its name. */
        readonly what: 'taken';
        readonly fid: Fid;
      }
    /** The file itself is beside it. */
    | { readonly what: 'left-over' }
    /** Moved, or without its ending: its name and its text are not as they should be. */
    | { readonly what: 'untidy'; readonly fid: Fid }
    /** Of a placeholder that is elsewhere, or of another folder: there is nothing in it. `over`: it stands in the place of this file. */
    | { readonly what: 'copy'; readonly of: Fid; readonly over: Fid | null }
  );

/**
 * Recognises placeholders in a directory, and shows each to the planner as the file that it stands
 * for.
 */
export class PlaceholderLook {
  readonly #records: FolderRecords;
  readonly #directories: Pick<InDirectory, 'factsOf'>;
  readonly #files: Pick<Disk, 'readSmall'>;
  #findings: Finding[] = [];
  /** Where a copy was seen last, by what it stands for. */
  readonly #copies = new Map<Fid, At>();

  constructor(
    records: FolderRecords,
    directories: Pick<InDirectory, 'factsOf'>,
    files: Pick<Disk, 'readSmall'>,
  ) {
    this.#files = files;
    this.#records = records;
    this.#directories = directories;
  }

  /** Found since the last call. */
  takeFindings(): Finding[] {
    const found = this.#findings;
    this.#findings = [];
    return found;
  }

  /** Where something stands for a vnode and is not its placeholder, as it was seen last; null: nowhere. */
  copyOf(fid: Fid): At | null {
    return this.#copies.get(fid) ?? null;
  }

  /** The names of the volume that are there. `base`: a path that stands for the directory; `inode` is its own. */
  resolve(
    path: readonly string[],
    base: string,
    inode: string,
    found: readonly FoundName[],
  ): FoundName[] {
    const dir = this.#records.byInode(inode);
    const names: FoundName[] = [];
    const standing: Array<At & { readonly fid: Fid; readonly behind: string }> = [];
    for (const { name, facts } of found) {
      const at = { path, name, facts };
      const fid = facts.kind === 'file' ? this.#standsFor(at, base, dir, found) : null;
      if (fid === null) names.push({ name, facts });
      else if (fid !== 'stray') standing.push({ ...at, fid, behind: nameBehind(name) ?? name });
    }
    const taken = new Map(names.map(({ name, facts }) => [name, facts.kind]));
    for (const { fid, behind, ...at } of standing) {
      const isHere = dir !== null && this.#records.at(dir, behind) === fid;
      const there = taken.get(behind);
      if (there !== undefined) {
        // A folder or link is never what the file has become.
        const isIt = isHere && there === 'file';
        this.#findings.push(isIt ? { what: 'left-over', ...at } : { what: 'taken', fid, ...at });
        continue;
      }
      taken.set(behind, 'file');
      names.push({ name: behind, facts: this.#asRecorded(fid, at.facts), placeholder: fid });
      const isTidy = isHere && this.#records.shownName({ dir, name: behind }) === at.name;
      if (!isTidy) this.#findings.push({ what: 'untidy', fid, ...at });
    }
    return names;
  }

  /** The vnode whose placeholder this is; `stray`: of none, and no file of its own either. null: a file like any other. */
  #standsFor(
    at: At,
    base: string,
    dir: Fid | null,
    found: readonly FoundName[],
  ): Fid | 'stray' | null {
    const { name, facts } = at;
    const behind = nameBehind(name);
    const fid = this.#records.byInode(facts.inode);
    const record = fid === null ? null : this.#records.get(fid);
    if (fid !== null && record?.placeholder === true && record.disk !== null) {
      if (isUntouched(facts, record.disk) || markOf(this.#files, base, at) !== null) return fid;
      // Under another name it is a file that somebody makes of it.
      return behind === null ? null : this.#stray({ what: 'written', fid, ...at });
    }
    if (behind === null) return this.#withoutEnding(at, base, dir, record);
    const here = dir === null ? null : this.#records.at(dir, behind);
    // A number may be another file's by now, and a file that was only begun has none of its bytes logged.
    const isLogged = (record?.digest ?? null) !== null && isUntouched(facts, record?.disk ?? facts);
    const mark = isLogged ? null : markOf(this.#files, base, at);
    if (mark === null) {
      const isInPlace = here !== null && this.#records.get(here)?.placeholder === true;
      return isInPlace ? this.#stray({ what: 'written', fid: here, ...at }) : null;
    }
    if (here === null || here !== mark.fid) {
      return this.#movedOrCopied(at, mark.fid, null);
    }
    if (found.some(({ name: other, facts: { kind } }) => other === behind && kind === 'file'))
      return this.#stray({ what: 'left-over', ...at });
    // Put there by a run that ended before it was recorded, or put back by a person.
    this.#records.update(here, { placeholder: true, disk: stampOf(facts) });
    return here;
  }

  /** Under a name as any file has it. Bytes that are in the volume already are read no more. */
  #withoutEnding(
    at: At,
    base: string,
    dir: Fid | null,
    record: VnodeRecord | null,
  ): Fid | 'stray' | null {
    const { name, facts } = at;
    if (facts.size < LEAST_PLACEHOLDER_BYTES) return null;
    const stamp = record?.disk ?? null;
    if (stamp !== null && record?.digest !== null && isSameBytes(facts, stamp)) return null;
    const mark = markOf(this.#files, base, at);
    if (mark === null) return null;
    const here = dir === null ? null : this.#records.at(dir, name);
    const isFile = here !== null && this.#records.get(here)?.placeholder !== true;
    return this.#movedOrCopied(at, mark.fid, isFile ? here : null);
  }

  /** Moved by a run that ended before it was recorded, or by a person in two steps; else it is a copy. */
  #movedOrCopied(at: At, fid: Fid, over: Fid | null): Fid | 'stray' {
    if (this.#isAway(fid)) {
      this.#records.update(fid, { disk: stampOf(at.facts) });
      return fid;
    }
    this.#copies.set(fid, at);
    return this.#stray({ what: 'copy', of: fid, over, ...at });
  }

  /** It has a placeholder, which is not where it should be. */
  #isAway(fid: Fid): boolean {
    const record = this.#records.get(fid);
    const [place] = this.#records.names(fid);
    if (record?.placeholder !== true || place === undefined) return false;
    return this.#directories.factsOf(place)?.inode !== record.disk?.inode;
  }

  #stray(finding: Finding): 'stray' {
    this.#findings.push(finding);
    return 'stray';
  }

  /** What is done to the attributes of a placeholder says nothing of the file's. */
  #asRecorded(fid: Fid, facts: DiskFacts): DiskFacts {
    const disk = this.#records.get(fid)?.disk ?? null;
    if (disk === null) return facts;
    const { size, mode, mtime, ctime } = disk;
    return { ...facts, size, mode, mtime, ctime };
  }
}

/** The mark of a placeholder in the directory `base`; null: it is none, or can't be read. */
export function markOf(
  files: Pick<Disk, 'readSmall'>,
  base: string,
  { name, facts }: Pick<At, 'name' | 'facts'>,
): PlaceholderMark | null {
  if (facts.size === 0 || facts.size > MOST_PLACEHOLDER_BYTES) return null;
  try {
    const found = files.readSmall(`${base}/${name}`, MOST_PLACEHOLDER_BYTES);
    return typeof found === 'string' ? null : readPlaceholder(found.toString('utf8'));
  } catch {
    return null;
  }
}

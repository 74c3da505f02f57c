/**
 * The disk that the folder is on: what it can do, which names it refuses, and so what has to stay out of the folder. What stays out is the
 * volume's still, and is said.
 */
import { constants as errno } from 'node:os';
import { basename, dirname } from 'node:path';
import { nameFault } from '../../../../shared/model/names.ts';
import type { VnodeKind } from '../../../../shared/model/vnode.ts';
import type { Disk } from './disk.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import {
  ABLE,
  lacksOf,
  listedAs,
  nameKey,
  refusalOf,
  tryDisk,
  type DiskAbilities,
} from './disk-abilities.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { KeptStates } from '../kept-states.ts';

/** Names that were refused are remembered up to this number; one more is tried again each time. */
const MOST_REFUSED = 10_000;

/** What a disk says to a mode that it has nothing to keep with. */
const NO_MODES = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);

/** What says that the disk is full or fails says nothing of a name. */
const NOT_THE_NAME = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EEXIST', 'ENOTEMPTY', 'EXDEV']);

export interface NameRefusal {
  readonly code: ErrorCode;
  readonly text: string;
}

/** What is asked of a name that is to come. */
export interface NewName {
  readonly name: string;
  readonly kind: VnodeKind;
  /** A further name of what has one. */
  readonly isLink: boolean;
  /** The name of something else to which the disk leads by this one; null: to nothing. */
  readonly twin: string | null;
}

/** A directory of ours on the disk, and names in it that nothing has. */
interface WorkDirectory {
  readonly path: string;
  temporary(): string;
}

/** Knows the abilities of a disk and which names it refuses. */
export class FolderDisk {
  readonly #files: Disk;
  readonly #own: WorkDirectory;
  readonly #store: KeptStates | null;
  readonly #refused = new Map<string, string>();
  #can: DiskAbilities;
  /** Of disks that are mounted in the folder, by their devices. */
  readonly #others = new Map<bigint, DiskAbilities>();

  /** `store`: where it is kept what the disk can do; null: it is tried anew each time. */
  constructor(files: Disk, own: WorkDirectory, store: KeptStates | null = null) {
    this.#files = files;
    this.#own = own;
    this.#store = store;
    this.#can = readAbilities(store?.state('disk') ?? null);
  }

  /** What another disk can do, on which something is asked for by `files` as well. */
  knows(device: bigint, can: DiskAbilities): void {
    this.#others.set(device, can);
  }

  /** What the disk can do on which this path lies. */
  canAt(path: string): DiskAbilities {
    if (this.#others.size === 0) return this.#can;
    try {
      const device = this.#files.statusBehind(path)?.dev;
      return (device === undefined ? undefined : this.#others.get(device)) ?? this.#can;
    } catch {
      // Gone: then whoever asked finds that out.
      return this.#can;
    }
  }

  /** All calls, as far as this disk goes: where it keeps no modes there is none to set, and where what it says of writers means nothing, nobody knows. */
  get files(): Disk {
    const setMode = (path: string, mode: number): void => {
      try {
        this.#files.setMode(path, mode);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (this.canAt(path).modes || !NO_MODES.has(code)) throw error;
      }
    };
    const isBeingWritten = (path: string): boolean | null =>
      this.canAt(path).writers ? this.#files.isBeingWritten(path) : null;
    return { ...this.#files, setMode, isBeingWritten };
  }

  get can(): DiskAbilities {
    return this.#can;
  }

  /** Tries everything. The folder must be there. A disk that is full is what it was the last time. */
  look(): void {
    this.#refused.clear();
    try {
      this.#can = tryDisk(this.#files, this.#own.path, this.#own.temporary());
      this.#store?.setState('disk', JSON.stringify(this.#can));
    } catch {
      // Full, failing or read only: whoever writes there says so.
    }
  }

  /** A sentence for people; nothing where there is nothing to say. */
  tell(board: ErrorBoard, path: string | null = null): void {
    const lacks = lacksOf(this.#can);
    if (lacks.length === 0) return board.clear('disk-limits', path);
    const which = path === null ? "the folder's disk" : 'the disk that is mounted there';
    board.set('disk-limits', path, `what ${which} can not do: ${lacks.join('; ')}`);
  }

  /** Why a name has to stay out; null: it need not. */
  whyOut({ name, kind, isLink, twin }: NewName): NameRefusal | null {
    const refused = this.#refused.get(name);
    if (refused !== undefined) return nameRefused(name, refused);
    if (!this.#can.ends && /[. ]$/.test(name)) return nameRefused(name, 'its end');
    if (!this.#can.spelling && nameKey(this.#can, name) !== name) {
      return nameRefused(name, 'its capitals');
    }
    if (nameFault(this.listedAs(name)) !== null) {
      return nameRefused(name, 'it keeps accents apart, and so the name is too long');
    }
    if (twin !== null) {
      const text = `to this disk “${name}” and “${twin}” are one name, and that is taken; the volume keeps both`;
      return { code: 'name-refused', text };
    }
    if (kind === 'symlink' && !this.#can.symlinks) return lacking('has no symbolic links');
    if (isLink && !this.#can.links) {
      return lacking('has one name for a file: this one is a further name of it (hard link)');
    }
    return null;
  }

  /** A name as the disk lists it. */
  listedAs(name: string): string {
    return listedAs(this.#can, name);
  }

  /** The names are one to this disk. */
  isSame(one: string, other: string): boolean {
    return one !== other && nameKey(this.#can, one) === nameKey(this.#can, other);
  }

  /**
   * Two paths in one directory lead to one thing, of which the second is another spelling. That one is found and not listed; its number says
   * nothing, for FUSE may give each spelling one of its own.
   */
  isRespelled(from: string, to: string): boolean {
    if (!this.isSame(basename(from), basename(to))) return false;
    return !this.#files.names(dirname(to)).includes(basename(to));
  }

  /** Something could not be done with a name: is it because of the name? It is tried elsewhere, beside a plain one. */
  isRefused(name: string, error: unknown): boolean {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !(code in errno.errno) || NOT_THE_NAME.has(code)) return false;
    try {
      const refusal = refusalOf(this.#files, this.#own.temporary(), name);
      if (refusal === null) return false;
      if (this.#refused.size < MOST_REFUSED) this.#refused.set(name, refusal);
      return true;
    } catch {
      // A plain name does not go either.
      return false;
    }
  }
}

function nameRefused(name: string, why: string): NameRefusal {
  const text = `this disk does not take the name “${name}” (${why}); the volume keeps it`;
  return { code: 'name-refused', text };
}

function lacking(what: string): NameRefusal {
  return { code: 'disk-lacks', text: `this disk ${what}; the volume keeps it` };
}

/** As of the last time. */
function readAbilities(stored: string | null): DiskAbilities {
  if (stored === null) return ABLE;
  try {
    const parsed = JSON.parse(stored) as Partial<DiskAbilities>;
    const known = Object.keys(ABLE).filter((key) => key in parsed) as (keyof DiskAbilities)[];
    return { ...ABLE, ...Object.fromEntries(known.map((key) => [key, parsed[key] === true])) };
  } catch {
    return ABLE;
  }
}

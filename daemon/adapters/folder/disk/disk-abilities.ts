/**
 * What the disk of the folder can do, found out by trying it: file systems differ, and what one lacks must neither look like a change nor
 * like the fault of a name. It is tried at each start, and when a folder that was away is there again, as its disk may be another then.
 */
import { join } from 'node:path';
import { there, type Disk, type DiskStatus } from './disk.ts';
import { kindOf } from './disk-facts.ts';

export interface DiskAbilities {
  /** Two names can be swapped in one step. */
  readonly swaps: boolean;
  /** A file can have several names. */
  readonly links: boolean;
  readonly symlinks: boolean;
  /** It keeps the permissions that a file is given. */
  readonly modes: boolean;
  readonly xattrs: boolean;
  /** Of a file that nobody has open to write it is not said that somebody has. */
  readonly writers: boolean;
  /** A name is listed as it was written: not in small letters, or cut. */
  readonly spelling: boolean;
  /** `Doc` and `doc` are two names. */
  readonly cases: boolean;
  /** A name composed and the same decomposed (Unicode NFC, NFD) are two names. */
  readonly forms: boolean;
  /** A composed name is listed composed: not decomposed, which makes it longer. */
  readonly composed: boolean;
  /** A dot or a blank at the end of a name stays. */
  readonly ends: boolean;
}

/** As long as nobody has looked: nothing is left out for a disk that is away. */
export const ABLE: DiskAbilities = {
  swaps: true,
  links: true,
  symlinks: true,
  modes: true,
  xattrs: true,
  writers: true,
  spelling: true,
  cases: true,
  forms: true,
  composed: true,
  ends: true,
};

const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';
const OTHER_COMPOSED = '\u00fc';
/** Capitals, and more than eight letters and three. */
const SPELLED = 'As It Was Written.text';

/** What a file is made with, as programs make theirs. */
const NEW_FILE = 0o666;

/** Two modes that no file has by default: what shows the one and not the other keeps neither. */
const TRIED_MODES = [0o640, 0o400];

/** A call that is refused in this way is made so often, since a disk may fail for a moment. */
const MOST_TRIES = 3;

/**
 * `where`: a directory of ours on that disk, and `scratch` a name in it that nothing has. Throws what keeps it from being written at all; then
 * nothing was learned.
 */
export function tryDisk(files: Disk, where: string, scratch: string): DiskAbilities {
  files.makeDirectory(scratch, 0o700);
  try {
    return new DiskTrial(files, where, scratch).run();
  } finally {
    files.removeTree(scratch);
  }
}

/** Tries one disk. */
class DiskTrial {
  readonly #files: Disk;
  readonly #where: string;
  readonly #scratch: string;

  constructor(files: Disk, where: string, scratch: string) {
    this.#files = files;
    this.#where = where;
    this.#scratch = scratch;
  }

  run(): DiskAbilities {
    const files = this.#files;
    const at = (name: string): string => this.#at(name);
    files.writeText(at('one'), 'one', NEW_FILE);
    files.writeText(at('two'), 'two', NEW_FILE);
    const goes = (call: () => unknown): boolean => this.#goes(call);
    return {
      swaps: goes(() => files.renameExchange(at('one'), at('two'))),
      links: goes(() => files.link(at('one'), at('other'))) && this.#status('one').nlink > 1n,
      symlinks:
        goes(() => files.symlink('one', at('link'))) && kindOf(this.#status('link')) === 'symlink',
      modes: TRIED_MODES.every(
        (mode) =>
          goes(() => files.setMode(at('one'), mode)) &&
          (Number(this.#status('one').mode) & 0o777) === mode,
      ),
      xattrs: this.#keepsXattrs(),
      writers: goes(() => refuse(files.isBeingWritten(at('two')) === true)),
      cases: !files.exists(at('TWO')),
      ...this.#tryNames(),
    };
  }

  #tryNames(): Pick<DiskAbilities, 'spelling' | 'forms' | 'composed' | 'ends'> {
    const files = this.#files;
    const at = (name: string): string => this.#at(name);
    const shows = (name: string): boolean => files.names(this.#scratch).includes(name);
    const takes = (name: string): boolean =>
      this.#goes(() => files.writeText(at(name), '', NEW_FILE));
    const spelling = takes(SPELLED) && shows(SPELLED);
    const forms = !takes(DECOMPOSED) || (shows(DECOMPOSED) && !files.exists(at(COMPOSED)));
    // Where the two are two names, each stays as it is.
    const composed = forms || !takes(OTHER_COMPOSED) || shows(OTHER_COMPOSED);
    const ends = ['dot.', 'blank '].every((name) => takes(name) && shows(name));
    return { spelling, forms, composed, ends };
  }

  /** Where the file system has no attributes, their absence says nothing. */
  #keepsXattrs(): boolean {
    const files = this.#files;
    const path = this.#where;
    const isThere = (): boolean =>
      files.listXattrs(path).some(({ name }) => name === 'godwit.probe');
    // There from an earlier start: it needs no room.
    if (this.#goes(() => refuse(!isThere()))) return true;
    return this.#goes(() => {
      files.setXattr(path, 'godwit.probe', Buffer.from('1'));
      refuse(!isThere());
    });
  }

  /** File systems do not agree on what they say to a call that they can't do. But one that fails for a moment may say the same: then a plain call fails as well, or the same one goes later. */
  #goes(call: () => unknown): boolean {
    for (let tries = 1; ; tries++) {
      try {
        call();
        return true;
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (NOT_A_LACK.has(code)) throw error;
        if (CLEAR_LACK.has(code) || tries >= MOST_TRIES) return false;
        this.#goesPlainly();
      }
    }
  }

  #goesPlainly(): void {
    this.#files.writeText(this.#at('plain'), '', NEW_FILE);
    this.#files.rename(this.#at('plain'), this.#at('two'));
  }

  #status(name: string): DiskStatus {
    return there(this.#files.status(this.#at(name)), this.#at(name));
  }

  #at(name: string): string {
    return join(this.#scratch, name);
  }
}

/** These say nothing of what the disk can do. */
const NOT_A_LACK = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'ENOMEM', 'ENOTCONN', 'ESTALE']);

/** These say that it can't, and what went without being done says it without a code. */
const CLEAR_LACK = new Set(['', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'EPERM']);

function refuse(isRefused: boolean): void {
  if (isRefused) throw new Error('not as wanted');
}

const LACKS: ReadonlyArray<readonly [keyof DiskAbilities, string]> = [
  ['symlinks', 'it has no symbolic links: they stay out of this folder'],
  ['links', 'a file has one name: further names of it (hard links) stay out of this folder'],
  ['modes', 'it keeps no permissions: what others set is kept, and does not show here'],
  [
    'xattrs',
    'it keeps no extended attributes: those that others set are kept, and do not show here',
  ],
  ['cases', '`Doc` and `doc` are one name: the second stays out of this folder'],
  [
    'forms',
    'accents that are encoded in two ways are one name: the second stays out of this folder',
  ],
  [
    'composed',
    'it keeps an accent apart from its letter: names that get too long by that stay out of this folder',
  ],
  ['spelling', 'it lists no capitals: names with some stay out of this folder'],
  ['ends', 'names that end in a dot or a blank stay out of this folder'],
];

/** What it means for who uses the folder, a sentence each. Empty: nothing that a person would notice. */
export function lacksOf(disk: DiskAbilities): string[] {
  const lacks = LACKS.filter(([ability]) => !disk[ability]).map(([, words]) => words);
  if (disk.swaps || disk.links) return lacks;
  const why = 'what a program writes in the very moment in which its file is replaced can be lost';
  return [...lacks, `it can neither swap nor link names: ${why}`];
}

/** A name as this disk lists it, as far as forms of letters go. */
export function listedAs(disk: DiskAbilities, name: string): string {
  return disk.composed ? name : name.normalize('NFD');
}

/** Names that are one on this disk have the same key. */
export function nameKey(disk: DiskAbilities, name: string): string {
  const formed = disk.forms ? name : name.normalize('NFC');
  return disk.cases ? formed : [...formed].map(folded).join('');
}

/** Letter by letter, as file systems do it: to them `ß` is not `ss`. */
function folded(letter: string): string {
  const upper = letter.toUpperCase();
  return [...upper].length === 1 ? upper.toLowerCase() : letter;
}

/** Whether a name leads to what another one names, for all that the two are not the same text. */
export function isFolded({ cases, forms, ends, spelling }: DiskAbilities): boolean {
  return !cases || !forms || !ends || !spelling;
}

/** Tries a name where nobody looks. null: the disk takes it, so it is not the name's fault; else the code that it is refused with. */
export function refusalOf(files: Disk, scratch: string, name: string): string | null {
  files.makeDirectory(scratch, 0o700);
  try {
    const tried = join(scratch, 'tried');
    files.writeText(tried, '', NEW_FILE);
    files.renameNoReplace(tried, join(scratch, 'plain'));
    return refusedIn(files, scratch, name);
  } finally {
    files.removeTree(scratch);
  }
}

function refusedIn(files: Disk, scratch: string, name: string): string | null {
  try {
    files.renameNoReplace(join(scratch, 'plain'), join(scratch, name));
    return files.names(scratch).includes(name) ? null : 'another name came of it';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'refused';
  }
}

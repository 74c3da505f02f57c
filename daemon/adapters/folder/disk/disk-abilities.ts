/**
 * What the disk of the folder can do, found out by trying it: file systems differ, and what one lacks must neither look like a change nor
 * like the fault of a name. It is tried at each start, and when a folder that was away is there again, as its disk may be another then.
 */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { HostFileCalls } from './disk.ts';

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
  ends: true,
};

const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';
/** Capitals, and more than eight letters and three. */
const SPELLED = 'As It Was Written.text';

/** Two modes that no file has by default: what shows the one and not the other keeps neither. */
const TRIED_MODES = [0o640, 0o400];

/** `where`: a directory of ours on that disk, and `scratch` a name in it that nothing has. Throws what keeps it from being written at all. */
export function tryDisk(files: HostFileCalls, where: string, scratch: string): DiskAbilities {
  mkdirSync(scratch, { mode: 0o700 });
  try {
    return tryIn(files, where, (name) => join(scratch, name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function tryIn(files: HostFileCalls, where: string, at: (name: string) => string): DiskAbilities {
  writeFileSync(at('one'), 'one');
  writeFileSync(at('two'), 'two');
  return {
    swaps: goes(() => files.renameExchange(at('one'), at('two'))),
    links: goes(() => linkSync(at('one'), at('other'))) && statSync(at('one')).nlink > 1,
    symlinks: goes(() => symlinkSync('one', at('link'))) && lstatSync(at('link')).isSymbolicLink(),
    modes: TRIED_MODES.every(
      (mode) =>
        goes(() => chmodSync(at('one'), mode)) && (statSync(at('one')).mode & 0o777) === mode,
    ),
    xattrs: keepsXattrs(files, where),
    writers: goes(() => refuse(files.isBeingWritten(at('two')) === true)),
    cases: !existsSync(at('TWO')),
    spelling: goes(() => writeFileSync(at(SPELLED), '')) && readdirSync(at('')).includes(SPELLED),
    ...tryNames(at),
  };
}

function tryNames(at: (name: string) => string): Pick<DiskAbilities, 'forms' | 'ends'> {
  const shows = (name: string): boolean => readdirSync(at('')).includes(name);
  const formed = goes(() => writeFileSync(at(DECOMPOSED), ''));
  const ended = ['dot.', 'blank '].every(
    (name) => goes(() => writeFileSync(at(name), '')) && shows(name),
  );
  return { forms: !formed || (shows(DECOMPOSED) && !existsSync(at(COMPOSED))), ends: ended };
}

/** Where the file system has no attributes, their absence says nothing. */
function keepsXattrs(files: HostFileCalls, path: string): boolean {
  const isThere = (): boolean => files.listXattrs(path).some(({ name }) => name === 'godwit.probe');
  // There from an earlier start: it needs no room.
  if (goes(() => refuse(!isThere()))) return true;
  return goes(() => {
    files.setXattr(path, 'godwit.probe', Buffer.from('1'));
    refuse(!isThere());
  });
}

/** These say nothing of what the disk can do. */
const NOT_A_LACK = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'ENOMEM', 'ENOTCONN', 'ESTALE']);

/** Whatever a disk says to a call that it can't do: file systems do not agree on a code. */
function goes(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (NOT_A_LACK.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

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
export function refusalOf(files: HostFileCalls, scratch: string, name: string): string | null {
  mkdirSync(scratch, { mode: 0o700 });
  try {
    const tried = join(scratch, 'tried');
    writeFileSync(tried, '');
    files.renameNoReplace(tried, join(scratch, 'plain'));
    return refusedIn(files, scratch, name);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refusedIn(files: HostFileCalls, scratch: string, name: string): string | null {
  try {
    files.renameNoReplace(join(scratch, 'plain'), join(scratch, name));
    return readdirSync(scratch).includes(name) ? null : 'another name came of it';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'refused';
  }
}

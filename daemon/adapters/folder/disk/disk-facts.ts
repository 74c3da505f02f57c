/**
 * What the disk says about one name, and how an inode is recognised again.
 *
 * An inode is known by its number and its time of birth, where the file system keeps one: numbers are used again
 * within milliseconds of a removal. Devices other than the root's are named too; the root's own number is left
 * out, because it may change with each boot.
 */
import { isUtf8 } from 'node:buffer';
import { mtimeOf, type Mtime } from '../../../../shared/model/vnode.ts';
import type { DiskLooks, DiskStatus } from './disk.ts';

export type DiskKind = 'file' | 'directory' | 'symlink' | 'other';

export interface DiskFacts {
  readonly kind: DiskKind;
  readonly inode: string;
  readonly size: number;
  /** Permission bits, 0..0o7777, as they are on the disk. */
  readonly mode: number;
  readonly mtime: Mtime;
  /** Change time in nanoseconds, as text. */
  readonly ctime: string;
  readonly links: number;
  /** A symlink's target, else null. */
  readonly target: string | null;
}

/** What is remembered of an inode: equal means untouched since. */
export interface DiskStamp {
  readonly inode: string;
  readonly size: number;
  readonly mode: number;
  readonly mtime: Mtime;
  readonly ctime: string;
}

/** setuid, setgid and the sticky bit are neither taken from others nor sent (rule F3). */
const PLAIN_MODE = 0o777;
export const SPECIAL_MODE = 0o7000;

/** The permission bits that are synced, 0..0o777. */
export function plainMode(mode: number): number {
  return mode & PLAIN_MODE;
}

/** What a directory here has of these bits is a wish of its owner (who inherits the group of new files), and stays. */
export function specialMode(facts: Pick<DiskFacts, 'kind' | 'mode'>): number {
  return facts.kind === 'directory' ? facts.mode & SPECIAL_MODE : 0;
}

/** What a directory of ours is made with. No user gives it that, so whatever has it after a crash has nothing of its own yet. */
export const BEGUN_MODE = 0o1700;

const INHERITED_MODE = 0o2000;

/** Made by us, and not finished. */
export function isBegun({ kind, mode }: Pick<DiskFacts, 'kind' | 'mode'>): boolean {
  return kind === 'directory' && (mode & ~INHERITED_MODE) === BEGUN_MODE;
}

/** Without these two bits of the owner nothing in a directory can be changed, not even by its owner. */
const OWNER_CHANGES = 0o300;
/** Without these nobody reads or sets extended attributes of a file, not even its owner. */
const OWNER_SETS = 0o600;
/** By this bit of ours it is told from a user's wish. */
const MARK = 0o1000;

/** What something that its owner may not change gets for as long as we do it. */
export function unlockedMode({ kind, mode }: Pick<DiskFacts, 'kind' | 'mode'>): number {
  return mode | MARK | (kind === 'directory' ? OWNER_CHANGES : OWNER_SETS);
}

/** Its owner may change nothing in it, though they may let themselves in. */
export function isLocked({ kind, mode }: Pick<DiskFacts, 'kind' | 'mode'>): boolean {
  const needed = kind === 'directory' ? OWNER_CHANGES : OWNER_SETS;
  return (mode & needed) !== needed;
}

/** Unlocked by us, and not locked again. `before`: its mode as recorded. */
export function isUnlocked(
  { kind, mode }: Pick<DiskFacts, 'kind' | 'mode'>,
  before: number,
): boolean {
  if ((kind !== 'directory' && kind !== 'file') || (before & MARK) !== 0) return false;
  const locked = { kind, mode: before };
  return isLocked(locked) && mode === unlockedMode(locked);
}

/** What is remembered of what was seen; the length of a directory says nothing, and counts as 0. */
export function stampOf(facts: DiskFacts): DiskStamp {
  return {
    inode: facts.inode,
    size: facts.kind === 'directory' ? 0 : facts.size,
    mode: facts.mode,
    mtime: facts.mtime,
    ctime: facts.ctime,
  };
}

/**
 * Of a file whose inode is known and whose contents are still to be logged: other names of it are recognised, and it is
 * neither untouched nor of the same bytes as anything. The attributes are those that were told.
 */
export function stampToLog(inode: string, told: { mode: number; mtime: Mtime }): DiskStamp {
  return { inode, size: -1, mode: told.mode, mtime: told.mtime, ctime: '' };
}

/** Its contents are still to be logged. */
export function isToLog(stamp: DiskStamp): boolean {
  return stamp.size < 0;
}

/** Where times are in steps of this or more, they are coarse: FAT and exFAT, in seconds or two, and some older file systems. */
const COARSE_NANOSECONDS = 10_000_000n;
/** The coarsest step there is, and a little for the clocks. */
const LONGEST_TICK_MS = 2100;

/** For so long after a change the next one of the same length may leave all times as they are; in milliseconds. */
export function tickOf({ ctime, inode, links, kind }: DiskFacts): number {
  // FUSE takes the names of such a file for files: for a second by one of them it shows what it was before a write by another.
  const isOfFuse = kind === 'file' && links > 1 && !isBirthKnown(inode);
  return isOfFuse || BigInt(ctime) % COARSE_NANOSECONDS === 0n ? LONGEST_TICK_MS : 0;
}

/** As `stampOf`, of what was put in place at this moment. In the same tick a change would not show: then it is never found untouched, and is looked into. */
export function stampPlaced(facts: DiskFacts, wall: number): DiskStamp {
  const stamp = stampOf(facts);
  const age = wall - Number(BigInt(facts.mtime) / 1_000_000n);
  const isUnsure = facts.kind === 'file' && Math.abs(age) < tickOf(facts);
  return isUnsure ? { ...stamp, ctime: UNSURE } : stamp;
}

/**
 * As `stampPlaced`, of what stands where `made` was brought a moment ago. A program may have put another file there in between, or have written to ours:
 * then it is ours that is remembered, so that the other one is found as a change.
 */
export function stampBrought(facts: DiskFacts, made: DiskFacts, wall: number): DiskStamp {
  if (isSameBytes(facts, stampOf(made))) return stampPlaced(facts, wall);
  return { ...stampOf(made), ctime: UNSURE };
}

/** The same of what was there before, and got other attributes. */
export function stampChanged(facts: DiskFacts, before: DiskFacts, wall: number): DiskStamp {
  const isSame = facts.inode === before.inode && facts.size === before.size;
  return isSame ? stampPlaced(facts, wall) : { ...stampOf(before), ctime: UNSURE };
}

/** No change time is like it. */
const UNSURE = 'unsure';

/** Untouched: nothing was done to the inode at all. For a directory its own attributes only. */
export function isUntouched(facts: DiskFacts, stamp: DiskStamp): boolean {
  if (facts.inode !== stamp.inode || facts.mtime !== stamp.mtime) return false;
  if (facts.mode !== stamp.mode) return false;
  if (facts.kind === 'directory') return true;
  return facts.size === stamp.size && facts.ctime === stamp.ctime;
}

/** The same contents as far as can be told after a rename or link, which change the change time. */
export function isSameBytes(facts: DiskFacts, stamp: DiskStamp): boolean {
  if (stamp.ctime === UNSURE) return false;
  return facts.inode === stamp.inode && facts.mtime === stamp.mtime && facts.size === stamp.size;
}

/** True where the file system keeps times of birth, so that the inode's name is unique for ever. */
export function isBirthKnown(inode: string): boolean {
  return !inode.endsWith(':0');
}

/** The target of a link to bytes that are no text: nothing that is synced leads there. */
export const NO_TEXT = '\0';

/** Bytes of a name or a target as a text; where they are none, `NO_TEXT`. */
export function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : NO_TEXT;
}

/** The bits of a mode that tell what an inode is (S_IFMT; below S_IFREG, S_IFDIR, S_IFLNK). */
const KIND_BITS = 0o170000;

/** What an inode is, by its whole mode. */
export function kindOf({ mode }: Pick<DiskStatus, 'mode'>): DiskKind {
  switch (Number(mode) & KIND_BITS) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'directory';
    case 0o120000:
      return 'symlink';
    default:
      return 'other';
  }
}

/** The facts of a name, links not followed; null: nothing is there. */
export function factsAt(
  files: Pick<DiskLooks, 'status' | 'readLink'>,
  path: string,
  rootDevice: bigint,
): DiskFacts | null {
  const status = files.status(path);
  if (status === null) return null;
  if (kindOf(status) !== 'symlink') return factsOf(status, rootDevice);
  try {
    return factsOf(status, rootDevice, textOf(files.readLink(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Facts from what the system says of an inode. `rootDevice`: that of the folder's root, which is left out of inodes. */
export function factsOf(
  status: DiskStatus,
  rootDevice: bigint,
  target: string | null = null,
): DiskFacts {
  const device = status.dev === rootDevice ? '' : `${status.dev}:`;
  return {
    kind: kindOf(status),
    inode: `${device}${status.ino}:${status.birthtimeNs}`,
    size: Number(status.size),
    mode: Number(status.mode) & 0o7777,
    mtime: mtimeOf(status.mtimeNs),
    ctime: status.ctimeNs.toString(),
    links: Number(status.nlink),
    target,
  };
}

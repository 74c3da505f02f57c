import type { Brand } from './brand.ts';
import type { Fid } from './fid.ts';

export type VnodeKind = 'file' | 'directory' | 'symlink';

/** The number of a transaction of a volume; the first is 1. 0 stands for "before everything". */
export type CommitNumber = Brand<number, 'CommitNumber'>;

/** The data version of a vnode: +1 with each committed store or directory change. A file without contents yet has 0. */
export type DataVersion = Brand<number, 'DataVersion'>;

/** Modification time: whole nanoseconds since 1970 as decimal text, possibly negative. (A number would lose digits.) */
export type Mtime = Brand<string, 'Mtime'>;

/** Lower-case hex BLAKE3-256 of a content: 64 characters. */
export type Digest = Brand<string, 'Digest'>;

/** The number of a commit of a volume; the first one is 1. */
export const commitNumber = (value: number): CommitNumber => value as CommitNumber;

/** The data version of a vnode; each store or change of a directory adds one. */
export const dataVersion = (value: number): DataVersion => value as DataVersion;

/** What a time may be: 64 bits with a sign, from 1677-09-21 to 2262-04-11. Code that takes a time from outside clamps it to this. */
const EARLIEST = -(2n ** 63n);
const LATEST = 2n ** 63n - 1n;
const EARLIEST_TEXT = EARLIEST.toString();
const LATEST_TEXT = LATEST.toString();

export function mtimeOf(nanoseconds: bigint): Mtime {
  return clamped(nanoseconds).toString() as Mtime;
}

/** At an end of the range: it was cut, for no program sets that very nanosecond. */
export function isMtimeCut(mtime: Mtime): boolean {
  return mtime === LATEST_TEXT || mtime === EARLIEST_TEXT;
}

/** A time as older programs may have sent or kept it. */
export function mtimeInRange(mtime: Mtime): Mtime {
  // Shorter ones are in it.
  return mtime.length < LATEST_TEXT.length ? mtime : mtimeOf(BigInt(mtime));
}

function clamped(nanoseconds: bigint): bigint {
  if (nanoseconds < EARLIEST) return EARLIEST;
  return nanoseconds > LATEST ? LATEST : nanoseconds;
}

/**
 * A modification time from milliseconds since 1970, with microsecond precision. It is cut to the
 * range of an Mtime.
 */
export function mtimeFromMs(milliseconds: number): Mtime {
  const microseconds = Math.round(milliseconds * 1000);
  // Every update has one. Beyond what a number holds exactly (the year 2255), and for zero, digits can't be put behind it.
  const isPlain = Number.isSafeInteger(microseconds) && microseconds !== 0;
  return isPlain ? (`${microseconds}000` as Mtime) : mtimeOf(BigInt(microseconds) * 1000n);
}

export function isDigest(text: unknown): text is Digest {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Of the form of one; older programs sent some beyond the range, which `mtimeInRange` cuts. */
export function isMtime(text: unknown): text is Mtime {
  return typeof text === 'string' && /^(0|-?[1-9]\d{0,18})$/.test(text);
}

/** BLAKE3-256 of no bytes at all. */
export const EMPTY_DIGEST =
  'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262' as Digest;

/** One user extended attribute; the value in base64. Sorted by name wherever there are several. */
export interface Xattr {
  readonly name: string;
  readonly value: string;
}

/** Everything about a vnode but its contents, as of one commit. */
export interface VnodeStatus {
  readonly fid: Fid;
  readonly kind: VnodeKind;
  /** Permission bits, 0..0o7777. */
  readonly mode: number;
  readonly mtime: Mtime;
  /** Bytes of a file or of a symlink's target; 0 for a directory. */
  readonly size: number;
  readonly version: DataVersion;
  /** The commit that wrote this status: what Validate compares. */
  readonly commit: CommitNumber;
  /** A file's contents; null: it has none yet (rule W2), or it is no file. */
  readonly digest: Digest | null;
  /** A symlink's target; of a mount point the number of its volume (mount-point.ts); else null. */
  readonly target: string | null;
  /** How many names it has; 0: it is gone. */
  readonly links: number;
  readonly xattrs: readonly Xattr[];
}

export interface DirectoryEntry {
  readonly name: string;
  readonly fid: Fid;
}

/** W2: a file that was never stored is fetched like a dirty one, never served as empty. */
export function lacksContents(status: VnodeStatus): boolean {
  return status.kind === 'file' && status.digest === null;
}

/**
 * Turns errors of the disk, at a start or when folders are made, into coded errors: an error of the disk is never a bug.
 * Elsewhere an errno may mean something else (a file that is gone, a name that is taken): there it is judged where it is met.
 */
import { GodwitError, type ErrorCode } from '../wire/error-codes.ts';

type DiskErrorText = readonly [code: ErrorCode, why: string];

const FULL: DiskErrorText = ['disk-full', 'the disk is full'];
const QUOTA: DiskErrorText = ['disk-full', 'the quota of the disk is used up'];
const READ_ONLY: DiskErrorText = ['folder-unusable', 'the disk is mounted read-only'];
/** Where a file is to be read or written, or a folder to be made. */
const NO_FILE: DiskErrorText = ['in-the-way', 'a folder is there, where a file is to be'];
const NO_FOLDER: DiskErrorText = ['in-the-way', 'it is no folder, and one is to be there'];
const FAILS = 'the disk can not read or write it';
const UNUSABLE = 'it can not be used';

const FAILING = ['EIO', 'ENXIO', 'ENODEV', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN'];
const REFUSED = [
  ...['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'ELOOP'],
  ...['ENAMETOOLONG', 'EFBIG', 'ENOLCK', 'EBUSY', 'ETXTBSY', 'EINVAL', 'ENOTSUP', 'EXDEV'],
];

const OF_ERRNO: ReadonlyMap<unknown, DiskErrorText> = new Map<unknown, DiskErrorText>([
  ['ENOSPC', FULL],
  ['EDQUOT', QUOTA],
  ['EROFS', READ_ONLY],
  ['EISDIR', NO_FILE],
  ...FAILING.map((errno) => [errno, ['disk-failing', `${FAILS} (${errno})`]] as const),
  ...REFUSED.map((errno) => [errno, ['folder-unusable', `${UNUSABLE} (${errno})`]] as const),
]);

/** Node's `rmSync` has a name for few errors only; of the others it gives the system's words. */
const OF_WORDS: ReadonlyArray<readonly [words: string, said: DiskErrorText]> = [
  ['No space left on device', FULL],
  ['Disk quota exceeded', QUOTA],
  ['Read-only file system', READ_ONLY],
];

/** The coded error, with the path in the disk's error, or `folder`. Errors that are not of the disk are returned unchanged. */
export function diskError(folder: string | null, error: unknown): unknown {
  if (error instanceof GodwitError) return error;
  const said = diskErrorTextOf(error);
  if (said === null) return error;
  const { path } = error as { path?: unknown };
  const which = typeof path === 'string' ? path : folder;
  return new GodwitError(said[0], which === null ? said[1] : `${which}: ${said[1]}`);
}

function diskErrorTextOf(error: unknown): DiskErrorText | null {
  if (typeof error !== 'object' || error === null || !isOfDisk(error)) return null;
  const { code, message = '', syscall } = error as Partial<NodeJS.ErrnoException>;
  if (code === 'EEXIST' && syscall === 'mkdir') return NO_FOLDER;
  const known = OF_ERRNO.get(code);
  if (known !== undefined) return known;
  if (code !== '' && !String(code).startsWith('Unknown system error')) return null;
  const [, said] = OF_WORDS.find(([words]) => message.includes(words)) ?? [];
  return said ?? ['disk-failing', FAILS];
}

/** A program or an address may be missing or refused as well. */
function isOfDisk(error: Partial<NodeJS.ErrnoException>): boolean {
  return !('port' in error) && !/^(spawn|kill|connect|getaddrinfo)/.test(error.syscall ?? '');
}

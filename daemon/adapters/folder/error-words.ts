/** What an error of the world comes to for a person: the code that says most, and where no code does, what came of it. */
import { GodwitError, isErrorCode, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ErrorBoard } from './error-board.ts';

export const NOT_PLACED = 'it can not be put in place';
const NOT_KEPT = 'the disk of the folder keeps it from being synced';

/** Puts it on the board. Gives its code. */
export function describeError(
  board: ErrorBoard,
  path: string | null,
  error: unknown,
  what = NOT_PLACED,
): ErrorCode {
  const [code, where, text] = wordsFor(error, path, what);
  board.set(code, where, text);
  return code;
}

/** `what`: what came of it, where no code says more. */
export function wordsFor(
  error: unknown,
  path: string | null,
  what: string,
): [code: ErrorCode, path: string | null, text?: string] {
  const { code } = error as { code?: unknown };
  if (error instanceof GodwitError) return [error.code, path, error.message];
  if (code === 'ENOSPC' || code === 'EDQUOT') return ['disk-full', null];
  if (isErrorCode(code)) return [code, path];
  return ['sync-blocked', path, `${what}: ${reasonOf(error)}`];
}

/** Of what a disk says; its own text names paths of ours, which mean nothing to a person. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'there is no right to it',
  EBUSY: 'it is in use',
  EIO: 'the disk fails',
  EPERM: 'the system does not permit it, as for a file that is immutable or of another user',
  EXDEV: 'it is on another disk',
  EROFS: 'the disk is read-only',
  ETIMEDOUT: 'its disk does not answer',
};

/** What a disk says that has no room, no right or no strength for something. Of names that are gone or taken the folder is to know itself. */
const OF_DISK: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EDQUOT', 'EHOSTDOWN', 'EIO', 'ENODEV', 'ENOSPC', 'ENOTCONN', 'ENXIO', 'EPERM'],
  ...['EROFS', 'ESTALE', 'ETIMEDOUT'],
]);

/** An error of the system, whatever it says. */
export function isErrno(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code);
}

/** No failure of ours: a disk said it. */
export function isOfDisk(error: unknown): boolean {
  return OF_DISK.has((error as { code?: unknown }).code);
}

/** Puts what kept work of the folder's own from being done on the board, if a disk did. False: it was something else, and is a failure of ours. */
export function describeDiskError(board: ErrorBoard, error: unknown): boolean {
  if (!isOfDisk(error)) return false;
  const { code } = error as { code?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') board.set('disk-full', null);
  else board.set('disk-failing', null, `${NOT_KEPT}: ${reasonOf(error)}`);
  return true;
}

function reasonOf(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== undefined && REASONS[code] !== undefined) return `${REASONS[code]} (${code})`;
  if (code !== undefined && syscall !== undefined) return `the disk refuses ${syscall} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

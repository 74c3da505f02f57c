/** What keeps a path below the root from being looked at: it is that path's matter, and the rest goes on. */
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { ErrorBoard } from '../error-board.ts';

/** Linux takes no more in one call (PATH_MAX), the final NUL counted: no program could open it by its name. */
export const MAX_PATH_BYTES = 4095;

export const TOO_LONG = `its path is longer than ${MAX_PATH_BYTES} bytes here: programs can not open it, and it is not synced`;

const SILENT = 'the disk that is mounted there does not answer: what is in it is held';

/** Not a path's matter: this process, or the machine, is out of something. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);
const NO_RIGHT = new Set(['EACCES', 'EPERM']);
const NO_WAY = new Set(['ENAMETOOLONG', 'ELOOP']);

const ALL: readonly ErrorCode[] = ['file-unreadable', 'disk-away', 'name-unusable'];

/** Throws what is no error of a path. */
export function describeUnclear(board: ErrorBoard, path: readonly string[], error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code) || OURS.has(code)) throw error;
  const shown = path.join('/');
  if (NO_RIGHT.has(code)) board.found('file-unreadable', shown, `it can not be read (${code})`);
  else if (NO_WAY.has(code))
    board.found('name-unusable', shown, `its path can not be used (${code})`);
  else if (code === 'ETIMEDOUT') board.found('disk-away', shown, SILENT);
  else board.found('disk-away', shown, `it can not be reached (${code}): what is in it is held`);
}

/** The system refuses it for want of a right (EACCES, EPERM). */
export function isNoRight(error: unknown): boolean {
  return NO_RIGHT.has((error as NodeJS.ErrnoException).code ?? '');
}

/** It was looked at; that of a file says nothing of its contents. */
export function clearUnclear(board: ErrorBoard, path: readonly string[], isFile = false): void {
  if (board.isEmpty) return;
  const codes = isFile ? ALL.filter((code) => code !== 'file-unreadable') : ALL;
  for (const code of codes) board.clear(code, path.join('/'));
}

/** What keeps it, or a directory above it, from being looked into; null: nothing is known of that. */
export function whyUnclear(board: ErrorBoard, path: readonly string[]): string | null {
  for (let depth = path.length; depth > 0; depth--) {
    const at = path.slice(0, depth).join('/');
    const why = ALL.map((code) => board.messageOf(at, code)).find((each) => each !== null);
    if (why !== undefined && why !== null) return depth === path.length ? why : `${at}: ${why}`;
  }
  return null;
}

/** What can not be looked into. */
export function unclearPaths(board: ErrorBoard): string[] {
  return board
    .list()
    .flatMap(({ code, path }) =>
      path !== null && ALL.some((each) => each === code) ? [path] : [],
    );
}

/** Something keeps it from being looked into. */
export function isUnclear(board: ErrorBoard, path: string): boolean {
  return ALL.some((code) => board.has(code, path));
}

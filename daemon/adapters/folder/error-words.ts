/** What an error of the world comes to for a person: the code that says most, and where no code does, what came of it. */
import { GodwitError, isErrorCode, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ErrorBoard } from './error-board.ts';

export const NOT_PLACED = 'it can not be put in place';

/** Puts it on the board. Gives its code. */
export function sayError(
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
  const text = error instanceof Error ? error.message : String(error);
  return ['sync-blocked', path, `${what}: ${text}`];
}

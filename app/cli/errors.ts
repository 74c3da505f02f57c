/**
 * Turns each failure into a coded error, and a coded error into one line: `godwit: THING: REASON; REMEDY`.
 */
import { CommanderError } from 'commander';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { brief, MOST_OF_PATH, printable } from './printable.ts';

/** Errors of the operating system that a person can do something about. */
const OF_ERRNO: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['not-found', 'there is no such file or folder'],
  ENOTDIR: ['not-a-directory', 'a part of the path is not a folder'],
  EISDIR: ['is-a-directory', 'that is a folder'],
  EEXIST: ['exists', 'there is a file or folder of that name already'],
  EACCES: ['file-unreadable', 'no right to read or write it'],
  EPERM: ['file-unreadable', 'no right to read or write it'],
  EROFS: ['folder-unusable', 'the disk is mounted read-only'],
  EIO: ['disk-failing', 'the disk can not read or write it'],
  ENOSPC: ['disk-full', 'the disk is full'],
  EDQUOT: ['disk-full', 'the quota of the disk is used up'],
  ENAMETOOLONG: ['bad-name', 'the name is too long'],
  EADDRINUSE: ['port-in-use', 'the address is in use'],
};

/** The coded error for anything thrown; null: a bug of ours, which is `internal` to the user. */
export function codedError(error: unknown): GodwitError | null {
  if (error instanceof GodwitError) return error;
  if (error instanceof CommanderError) {
    return new GodwitError('usage', inOneLine(error.message));
  }
  const { code, path } = error as { code?: unknown; path?: unknown };
  const known = typeof code === 'string' ? OF_ERRNO[code] : undefined;
  if (known === undefined) return null;
  const [ours, reason] = known;
  return new GodwitError(ours, typeof path === 'string' ? `${path}: ${reason}` : reason);
}

/** `error: unknown command 'stauts'\n(Did you mean status?)` and its like. */
function inOneLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)')
    .replace(/\.$/, '');
}

export function errorLine(error: GodwitError): string {
  return `godwit: ${brief(error.message, MOST_OF_PATH)}; ${printable(error.remedy)}`;
}

export interface ErrorObject {
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

export function errorObject({ code, message, remedy }: GodwitError): ErrorObject {
  return { error: { code, message, remedy } };
}

/** The same error with an exit code that the command chooses. */
export class ErrorWithExit extends GodwitError {
  readonly exit: ExitCode;

  constructor({ code, message, remedy }: GodwitError, exit: ExitCode) {
    super(code, message, remedy);
    this.exit = exit;
  }
}

/** The same error with the thing that it is about before its message, such as a path or an address. */
export function about(thing: string, error: unknown): unknown {
  const coded = codedError(error);
  if (coded === null || coded.message.startsWith(`${thing}: `)) return error;
  return new GodwitError(coded.code, `${thing}: ${coded.message}`, coded.remedy);
}

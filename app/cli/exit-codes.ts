/**
 * Exit codes. Only this file turns a coded error into one.
 *
 * What can not be right, whatever there is, is wrong usage; what is well said and names nothing that there is, is not found; what is there and
 * may not be, has failed.
 */
import { ERROR_CODES, type ErrorCode } from '../../shared/wire/error-codes.ts';

export const EXIT = {
  fine: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  tryAgain: 5,
  fatal: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Codes whose exit code does not follow from their severity. */
const SPECIAL: Partial<Record<ErrorCode, ExitCode>> = {
  usage: EXIT.usage,
  'invitation-malformed': EXIT.usage,
  'bad-name': EXIT.usage,
  'not-found': EXIT.notFound,
  // Of a path that goes on below a file nothing is there.
  'not-a-directory': EXIT.notFound,
  'no-server': EXIT.notFound,
  'no-such-vnode': EXIT.notFound,
  'no-such-volume': EXIT.notFound,
  'not-queued': EXIT.notFound,
  'not-locked': EXIT.notFound,
  'version-gone': EXIT.notFound,
  'invitation-unknown': EXIT.notFound,
  // A bug of ours: trying again is no advice.
  internal: EXIT.failed,
};

const BY_SEVERITY = {
  transient: EXIT.tryAgain,
  permanent: EXIT.failed,
  fatal: EXIT.fatal,
} as const;

export function exitCodeOf(code: ErrorCode): ExitCode {
  return SPECIAL[code] ?? BY_SEVERITY[ERROR_CODES[code].severity];
}

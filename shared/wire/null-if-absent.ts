/** What is absent is an answer for who only looks. */
import { GodwitError } from './error-codes.ts';

/** For `.catch`: null where what was asked for is not there, or a folder on its way is no folder. Throws other errors on. */
export function nullIfAbsent(error: unknown): null {
  const isAbsent =
    error instanceof GodwitError &&
    (error.code === 'not-found' || error.code === 'not-a-directory');
  if (isAbsent) return null;
  throw error;
}

/** Puts a trace into a file for a command: whole or not at all, also when it is interrupted. */
import { saveText } from '../save-trace.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Context } from '../../../cli/context.ts';
import { about } from '../../../cli/errors.ts';

/**
 * Writes a trace to a file, whole or not at all. Throws GodwitError `timed-out` if it is
 * interrupted, else an error that names the file.
 */
export async function saveTrace(
  context: Context,
  out: string,
  replace: boolean,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const signal = context.interruption.claim();
  try {
    await saveText(out, pieces, { replace, signal });
  } catch (error) {
    if (!signal.aborted) throw about(out, error);
    throw new GodwitError('timed-out', `${out}: interrupted, and not written`);
  }
}

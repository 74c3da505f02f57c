/**
 * Where the CLI keeps what only a developer wants: the stack of an error that should not have been, and with
 * `--verbose` what a command did. One file, begun anew when it has grown too long.
 */
import { appendFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { stateFolder } from '../../shared/control/state-folder.ts';
import { makeFolder } from '../../shared/system/make-folder.ts';

const MAX_BYTES = 1024 * 1024;

export const traceFile = (): string => join(stateFolder(), 'log', 'cli.log');

/** The error as a person sees it; the rest goes to the file. */
export function keepTrace(error: unknown): GodwitError {
  const kept = appendTrace({
    level: 'error',
    message: 'a command failed in a way that is not one of the coded errors',
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const where = kept ? ` (more in ${traceFile()})` : '';
  return new GodwitError('internal', `something failed that should not: ${reason}${where}`);
}

/** Never fails: a trace that can't be kept must not hide what it is about. */
export function appendTrace(fields: Readonly<Record<string, unknown>>): boolean {
  try {
    const file = traceFile();
    makeFolder(dirname(file), 0o700);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) rmSync(file);
    const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...fields });
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/**
 * How a program that can't start tells the one that started it why: one line on stderr, JSON, before it ends.
 * The starter makes of it the line for people and the exit code.
 */
import { GodwitError, isErrorCode } from '../wire/error-codes.ts';

export function formatStartupFailure({ code, message, remedy }: GodwitError): string {
  return JSON.stringify({ error: { code, message, remedy } });
}

/** The last such line in a text, or null where there is none. */
export function parseStartupFailure(text: string): GodwitError | null {
  for (const line of text.split('\n').reverse()) {
    const found = errorIn(line);
    if (found !== null) return found;
  }
  return null;
}

function errorIn(line: string): GodwitError | null {
  try {
    const { error } = JSON.parse(line) as { error?: { code?: unknown; message?: unknown } };
    if (error === undefined || !isErrorCode(error.code)) return null;
    return new GodwitError(error.code, String(error.message));
  } catch {
    return null;
  }
}

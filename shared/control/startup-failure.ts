/**
 * How a program that can't start tells the one that started it why: one line on stderr, JSON, before it ends.
 * The starter makes of it the line for people and the exit code.
 */
import { diskError } from '../system/disk-error.ts';
import { GodwitError, isErrorCode, type ErrorCode } from '../wire/error-codes.ts';

/** The coded error for anything that ends a start. `place`: the folder it is about, and its code where nothing else fits. */
export function startupFailure(
  error: unknown,
  place?: { readonly path: string; readonly code: ErrorCode },
): GodwitError {
  const told = diskError(place?.path ?? null, error);
  if (told instanceof GodwitError) return told;
  const why = error instanceof Error ? error.message : String(error);
  if (place === undefined) return new GodwitError('internal', why);
  return new GodwitError(place.code, `${place.path} can not be used: ${why}`);
}

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
    const { error } = JSON.parse(line) as {
      error?: { code?: unknown; message?: unknown; remedy?: unknown };
    };
    if (error === undefined || !isErrorCode(error.code)) return null;
    const { code, message, remedy } = error;
    return new GodwitError(code, String(message), typeof remedy === 'string' ? remedy : undefined);
  } catch {
    return null;
  }
}

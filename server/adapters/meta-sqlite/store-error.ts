/** Errors of SQLite as those of the MetaStore port (its clause 5). What has no code stays what it is. */
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/**
 * The GodwitError for an error of SQLite: `server-full`, `damaged-database` ...; others are
 * returned unchanged.
 */
export function storeError(error: unknown): unknown {
  // The opener of databases is for both programs; on a server a full disk has a name of its own.
  if (error instanceof GodwitError && error.code === 'disk-full') return full();
  // A column that holds JSON, and doesn't.
  if (error instanceof SyntaxError) return damaged(error.message);
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== 'string') return error;
  // SQLite's extended codes begin with the plain one.
  if (code.startsWith('SQLITE_FULL')) return full();
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return damaged(String(message));
  }
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(code)) {
    return new GodwitError(
      'disk-failing',
      `the database of the server: ${String(message)} (${code})`,
    );
  }
  return error;
}

function full(): GodwitError {
  return new GodwitError('server-full');
}

/**
 * The value of a column that holds JSON. Throws GodwitError `damaged-database`, which names `what`, if the text is none or `isWhole` refuses its value.
 */
export function parseStored<T>(
  text: string,
  what: string,
  remedy?: string,
  isWhole: (value: T) => boolean = () => true,
): T {
  try {
    const value = JSON.parse(text) as T;
    if (isWhole(value)) return value;
  } catch {
    // It is damaged as well.
  }
  const message = `${what} in the database of the server can not be read: it was altered`;
  throw new GodwitError('damaged-database', message, remedy);
}

function damaged(detail: string): GodwitError {
  return new GodwitError('damaged-database', `the database of the server is damaged: ${detail}`);
}

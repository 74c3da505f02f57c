/** The metadata of a server as of one commit, copied while it goes on, and what the copy says. */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { WallTime } from '../../../shared/model/time.ts';
import { EMPTY_DIGEST, type Digest } from '../../../shared/model/vnode.ts';
import { databaseError, type Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { checkWritten } from '../check/check-rows.ts';
import { contentsNamed } from '../../adapters/meta-sqlite/contents-named.ts';

const PRIVATE_FILE = 0o600;

/**
 * Copies in one read transaction, beside writers: SQLite's online backup begins anew with each commit of another process, and would never end beside
 * a busy server. `to` is not on the disk yet when this returns. Throws GodwitError `disk-full`, `damaged-database`.
 */
export function copyMetadata(database: Sqlite, to: string): void {
  // SQLite takes an empty file as it is, with its mode.
  closeSync(openSync(to, 'wx', PRIVATE_FILE));
  try {
    database.prepare('VACUUM INTO ?').run(to);
    syncLog(database);
  } catch (error) {
    throw ofOriginal(databaseError(error, to), database);
  }
}

/**
 * The error of damage in a copy that was just made: if the original has the damage too, the error names the original. Any other error, and that of a
 * disk which has spoilt the copy alone, comes back as it is.
 */
export function ofOriginal(error: unknown, database: Sqlite): unknown {
  if (!(error instanceof GodwitError) || error.code !== 'damaged-database') return error;
  try {
    const found = database.pragma('quick_check(1)', { simple: true });
    if (found === 'ok') {
      checkWritten(database, database.name);
      return error;
    }
    return new GodwitError('damaged-database', `${database.name}: ${String(found)}`);
  } catch (damage) {
    return databaseError(damage, database.name);
  }
}

/** The server may have commits of which it has told nobody yet (log-sync.ts): what a backup knows, it is not to lose. */
function syncLog({ name }: Sqlite): void {
  let log: number;
  try {
    log = openSync(`${name}-wal`, 'r');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return;
    throw error;
  }
  try {
    fdatasyncSync(log);
  } finally {
    closeSync(log);
  }
}

export interface CopiedMetadata {
  readonly epoch: string;
  readonly volumes: ReadonlyArray<{ readonly name: string; readonly head: number }>;
  /** Contents that versions name which are kept, with their lengths. */
  readonly wanted: ReadonlySet<Digest>;
  /** These, and what was put once and is not collected yet. */
  readonly stored: ReadonlySet<Digest>;
}

/** Of a copy that was just made, of the schema that this program has. Throws GodwitError `damaged-database`. */
export function checkCopy(file: string): void {
  const database = new Database(file, { readonly: true });
  try {
    checkWritten(database, file);
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    database.close();
  }
}

/** `thorough`: its indexes are held against its tables too. Throws GodwitError `damaged-database`. */
export function readMetadata(file: string, now: WallTime, thorough: boolean): CopiedMetadata {
  const database = new Database(file, { readonly: true });
  try {
    const check = thorough ? 'integrity_check' : 'quick_check';
    const found = database.pragma(check, { simple: true });
    if (found !== 'ok') throw new GodwitError('damaged-database', `${file}: ${String(found)}`);
    const wanted = new Set(contentsNamed(database, now));
    const stored = new Set(wanted);
    const rows = database.prepare<[], Digest>('SELECT digest FROM content').pluck();
    for (const digest of rows.iterate()) stored.add(digest);
    for (const digests of [wanted, stored]) digests.delete(EMPTY_DIGEST);
    return {
      epoch: String(database.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck().get()),
      volumes: database
        .prepare<[], { name: string; head: number }>('SELECT name, head FROM volume ORDER BY id')
        .all(),
      wanted,
      stored,
    };
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    database.close();
  }
}

/**
 * Commits of a database that are synced beside JavaScript.
 *
 * SQLite with `synchronous = FULL` syncs its write-ahead log at the end of each commit, and the thread stands still for as long as the disk takes.
 * Here it writes the log and does not sync it (NORMAL: only before a checkpoint, so the database is never torn by one), and each caller that waits
 * for the commit waits for a sync of the log that is begun after it. Until then the commit can be read, and is not durable.
 *
 * After a failed sync the state of the disk is unknown, even if a later one succeeds: no commit succeeds any more. The next start finds out.
 */
import { closeSync, openSync } from 'node:fs';
import { GodwitError } from '../wire/error-codes.ts';
import type { Sqlite } from './database.ts';
import type { LogWriter } from './log-writer.ts';

export interface SyncsData {
  /** fdatasync, off the main thread. */
  syncData(fd: number): Promise<void>;
}

/** Runs `work`, a transaction of its own that is to be on the disk when this returns: the thread stands still for the sync. */
export function durably(database: Sqlite, work: () => void): void {
  const usual = database.pragma('synchronous', { simple: true }) as number;
  database.pragma('synchronous = FULL');
  try {
    work();
  } finally {
    database.pragma(`synchronous = ${usual}`);
  }
}

/** Pages of the log at which it is written back: that costs syncs on this thread, and the log some 16 MB at most. */
const CHECKPOINT_PAGES = 4000;

/**
 * Syncs the write-ahead log of a database off the JavaScript thread, and reports the failure of a
 * sync to waiting commits.
 */
export class LogSync {
  readonly #database: Sqlite;
  readonly #host: SyncsData;
  readonly #fd: number;
  readonly #running = new Set<Promise<void>>();
  readonly #writer: LogWriter | null;
  #failure: GodwitError | null = null;

  /** `writer`: writes the log back, in the place of SQLite. Null: there is no room to begin, and SQLite goes on syncing each commit by itself. */
  static of(
    database: Sqlite,
    host: SyncsData,
    writer: (database: Sqlite) => LogWriter | null = () => null,
  ): LogSync | null {
    try {
      // One ordinary commit: it makes the log file, durably.
      const version = database.pragma('user_version', { simple: true }) as number;
      database.pragma(`user_version = ${version}`);
    } catch {
      return null;
    }
    return new LogSync(database, host, writer);
  }

  private constructor(
    database: Sqlite,
    host: SyncsData,
    writer: (database: Sqlite) => LogWriter | null,
  ) {
    this.#database = database;
    this.#host = host;
    this.#fd = openSync(`${database.name}-wal`, 'r');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma('synchronous = NORMAL');
    this.#writer = writer(database);
  }

  /** Resolves when every commit before the call is durable. Rejects GodwitError `disk-failing`. */
  async synced(): Promise<void> {
    this.#goOn();
    const mayGoOn = this.#writer?.committed();
    const sync = this.#host.syncData(this.#fd);
    const settled = sync.catch(() => undefined);
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    try {
      await sync;
    } catch (error) {
      const { name } = this.#database;
      this.#failure ??= new GodwitError(
        'disk-failing',
        `${name} can not be synced: ${String(error)}`,
      );
    }
    await mayGoOn;
    this.#goOn();
  }

  /** Before the database is closed. */
  async closeWriter(): Promise<void> {
    await this.#writer?.close();
  }

  /** After the syncs that were begun. The database is for the caller to close, before: its end syncs what it needs. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
    closeSync(this.#fd);
  }

  #goOn(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

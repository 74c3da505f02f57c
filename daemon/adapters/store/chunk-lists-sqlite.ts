/**
 * The ChunkLists port on a SQLite file of its own: it may be lost at any time, so no commit of it waits for the disk, and one that is
 * damaged is begun anew.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Statement } from 'better-sqlite3';
import { CHUNK_LIST_BYTES } from '../../limits.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { ChunkLists } from '../../../shared/ports/chunk-lists.ts';
import { databaseError, openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/chunk-lists', import.meta.url));

/** The files of a database in WAL mode. */
const SUFFIXES = ['', '-wal', '-shm'];

export interface ChunkListOptions {
  readonly file: string;
  /** Of all lists; left out: CHUNK_LIST_BYTES. */
  readonly mostBytes?: number;
}

interface Opened {
  readonly database: Sqlite;
  readonly find: Statement;
  readonly use: Statement;
  readonly put: Statement;
  readonly drop: Statement;
  readonly oldest: Statement;
  bytes: number;
  lastUse: number;
}

/** Chunk lists in a SQLite file, the least recently used dropped beyond `mostBytes`. */
export class SqliteChunkLists implements ChunkLists {
  readonly #file: string;
  readonly #mostBytes: number;
  #opened: Opened;

  /** Throws GodwitError `newer-database`, `disk-full`, `disk-failing`. */
  constructor({ file, mostBytes }: ChunkListOptions) {
    this.#file = file;
    this.#mostBytes = mostBytes ?? CHUNK_LIST_BYTES;
    this.#opened = openAnyway(file);
  }

  get(digest: Digest): Promise<Uint8Array | null> {
    return this.#answer((opened) => {
      const row = opened.find.get({ digest }) as { list: Uint8Array } | undefined;
      if (row === undefined) return null;
      opened.use.run({ digest, used: nextUse(opened) });
      return row.list;
    });
  }

  put(digest: Digest, list: Uint8Array): Promise<void> {
    return this.#answer((opened) => {
      const bytes = list.length;
      if (bytes > this.#mostBytes) return;
      const before = opened.find.get({ digest }) as { bytes: number } | undefined;
      opened.put.run({ digest, list, bytes, used: nextUse(opened) });
      opened.bytes += bytes - (before?.bytes ?? 0);
      while (opened.bytes > this.#mostBytes) {
        const oldest = opened.oldest.get() as { digest: string; bytes: number };
        opened.drop.run({ digest: oldest.digest });
        opened.bytes -= oldest.bytes;
      }
    });
  }

  forget(digest: Digest): Promise<void> {
    return this.#answer((opened) => {
      const before = opened.find.get({ digest }) as { bytes: number } | undefined;
      if (before === undefined) return;
      opened.drop.run({ digest });
      opened.bytes -= before.bytes;
    });
  }

  close(): Promise<void> {
    this.#opened.database.close();
    return Promise.resolve();
  }

  #answer<T>(work: (opened: Opened) => T): Promise<T> {
    try {
      const opened = this.#opened;
      return Promise.resolve(opened.database.transaction(() => work(opened))());
    } catch (error) {
      const known = databaseError(error, this.#file) as Error;
      if (isDamage(known)) this.#beginAnew();
      return Promise.reject(known);
    }
  }

  #beginAnew(): void {
    this.#opened.database.close();
    remove(this.#file);
    this.#opened = open(this.#file);
  }
}

/** A damaged file holds nothing that anybody would miss. */
function openAnyway(file: string): Opened {
  try {
    return open(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    remove(file);
    return open(file);
  }
}

function open(file: string): Opened {
  const database = openDatabase(file, MIGRATIONS);
  try {
    database.pragma('synchronous = NORMAL');
    const sums = database
      .prepare(
        'SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(max(used), 0) AS used FROM chunk_list',
      )
      .get() as { bytes: number; used: number };
    return {
      database,
      find: database.prepare('SELECT list, bytes FROM chunk_list WHERE digest = @digest'),
      use: database.prepare('UPDATE chunk_list SET used = @used WHERE digest = @digest'),
      put: database.prepare(
        'INSERT OR REPLACE INTO chunk_list (digest, list, bytes, used) VALUES (@digest, @list, @bytes, @used)',
      ),
      drop: database.prepare('DELETE FROM chunk_list WHERE digest = @digest'),
      oldest: database.prepare('SELECT digest, bytes FROM chunk_list ORDER BY used LIMIT 1'),
      bytes: sums.bytes,
      lastUse: sums.used,
    };
  } catch (error) {
    database.close();
    throw databaseError(error, file);
  }
}

function nextUse(opened: Opened): number {
  opened.lastUse += 1;
  return opened.lastUse;
}

function isDamage(error: unknown): boolean {
  return error instanceof GodwitError && error.code === 'damaged-database';
}

function remove(file: string): void {
  for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
}

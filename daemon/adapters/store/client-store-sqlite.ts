/**
 * The ClientStore port on SQLite: one transaction per commit, on the disk before it resolves. What is recorded is in a file beside the database
 * (recorded-file.ts), and how far that is committed in the table `recorded`.
 *
 * The sync of the write-ahead log goes on beside JavaScript (shared/sqlite/log-sync.ts); the core gathers the rows of what happens
 * meanwhile into one commit. Of a row that changes several times in it only the last is written.
 */
import { fileURLToPath } from 'node:url';
import { CLIENT_TABLES } from '../../../shared/ports/client-store.ts';
import type {
  ClientRows,
  ClientStore,
  ClientTable,
  ClientTables,
  Recorded,
  RowChange,
  RowDamage,
} from '../../../shared/ports/client-store.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { databaseError, openOwnDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { LogSync, type SyncsData } from '../../../shared/sqlite/log-sync.ts';
import { SealedRows, type TableDamage } from '../../../shared/sqlite/sealed-rows.ts';
import { copyAside } from '../../../shared/sqlite/set-aside.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { PauseEnds } from '../pause/pause-ends.ts';
import { SHAPES, type TableShape } from './client-tables.ts';
import { PauseRows } from './pause-rows.ts';
import { RecordedFile } from './recorded-file.ts';
import { takeInSideFiles, type SideFileParts } from './side-files.ts';

export const CLIENT_MIGRATIONS = fileURLToPath(
  new URL('../../../migrations/daemon', import.meta.url),
);

/** How far what is recorded is committed. */
const RECORDED = 'recorded';

/** The rows of a client in SQLite, sealed, with recorded changes in a file beside it. */
export class SqliteClientStore implements ClientStore {
  readonly #database: Sqlite;
  readonly #log: LogSync | null;
  readonly #rows: SealedRows;
  readonly #records: RecordedFile;
  readonly #sideFiles: SideFileParts | null;
  #position = 0;
  #lastRecord = 0;
  /** By the last `load`. */
  #found: readonly TableDamage[] = [];

  /** `boot`: the system's name for the time since it was started; null: it has none. Throws GodwitError `newer-database`, `damaged-database`, `disk-full`. */
  static open(
    file: string,
    host: SyncsData,
    boot: string | null,
    sideFiles: SideFileParts | null = null,
  ): SqliteClientStore {
    const database = openOwnDatabase(file, CLIENT_MIGRATIONS);
    return new SqliteClientStore(database, host, boot, sideFiles);
  }

  /**
   * `database` has the schema of CLIENT_MIGRATIONS. It belongs to the store from now on. `sideFiles`: where an older daemon may have left files
   * that are rows by now; null: nowhere.
   */
  constructor(
    database: Sqlite,
    host: SyncsData,
    boot: string | null,
    sideFiles: SideFileParts | null = null,
  ) {
    this.#database = database;
    this.#sideFiles = sideFiles;
    this.#log = LogSync.of(database, host);
    this.#records = new RecordedFile(`${database.name}-recorded`, boot);
    this.#rows = new SealedRows(database);
  }

  load(): Promise<ClientRows> {
    return this.#answer(() => {
      if (this.#sideFiles !== null) {
        takeInSideFiles(this.#sideFiles, this.#database, this.#rows);
      }
      const tables = CLIENT_TABLES.map((table) => [table, this.#rowsOf(table)] as const);
      this.#committedUpTo();
      const names = [...CLIENT_TABLES.map((table) => SHAPES[table].name), RECORDED];
      this.#found = names.flatMap((name) => this.#rows.table(name).damage ?? []);
      this.#rows.sealTheRest();
      return Object.fromEntries(tables) as unknown as ClientRows;
    });
  }

  damage(): readonly RowDamage[] {
    return this.#found.map(({ table: name, altered, incomplete }) => {
      const table = CLIENT_TABLES.find((each) => SHAPES[each].name === name) ?? RECORDED;
      // As in the port's key of more than one column.
      return { table, altered: altered.map((keys) => keys.join('/')), incomplete };
    });
  }

  recorded(): Promise<readonly Recorded[]> {
    return this.#answer(() => {
      const position = this.#committedUpTo();
      this.#position = position ?? 0;
      const found = position === null ? [] : this.#records.read(position);
      this.#lastRecord = this.#position + found.length;
      return found;
    });
  }

  record(changes: readonly RowChange[]): Promise<number | null> {
    const number = this.#lastRecord + 1;
    if (!this.#records.append(number, changes)) return Promise.resolve(null);
    this.#lastRecord = number;
    return Promise.resolve(number);
  }

  async commit(changes: readonly RowChange[], upTo = 0): Promise<void> {
    const position = upTo > this.#position ? upTo : null;
    if (changes.length === 0 && position === null && this.#found.length === 0) return;
    await this.#answer(() => this.#write(changes, position));
    await this.#log?.synced();
    if (position === null) return;
    this.#position = position;
    if (position === this.#lastRecord) this.#records.settled();
  }

  /** A copy of the rows as they are, and what was recorded beside them. What is recorded from then on begins anew. */
  copyAside(dataDir: string): void {
    try {
      const to = copyAside(this.#database, dataDir);
      this.#records.moveTo(`${to}-recorded`);
    } catch (error) {
      throw asError(error, this.#database.name);
    }
  }

  /** What ends a pause, kept in the same database: to be asked after `load`, and not after `close`. */
  pauseEnds(log: Log): PauseEnds {
    return new PauseRows(this.#database, this.#rows, log);
  }

  async close(): Promise<void> {
    this.#records.close();
    await this.#answer(() => {
      this.#database.close();
    });
    await this.#log?.close();
  }

  #rowsOf(table: ClientTable): ReadonlyMap<string, unknown> {
    const shape = SHAPES[table];
    const rows = new Map<string, unknown>();
    this.#rows.table(shape.name).load((columns) => {
      const row = columns as Parameters<typeof shape.decode>[0];
      rows.set(shape.join(row), shape.decode(row));
    });
    return rows;
  }

  /** Null: unknown. */
  #committedUpTo(): number | null {
    let position: number | null = null;
    const table = this.#rows.table(RECORDED);
    table.load((row) => (position = Number(row['position'])));
    return table.damage === null ? position : null;
  }

  #write(changes: readonly RowChange[], position: number | null): void {
    const found = this.#found;
    this.#rows.write(
      () => {
        for (const { table, altered } of found) {
          for (const keys of altered) this.#rows.table(table).drop(keys);
        }
        for (const change of newest(changes)) this.#apply(change);
        const isLost = found.some(({ table }) => table === RECORDED);
        const upTo = position ?? (isLost ? this.#position : null);
        if (upTo !== null) this.#rows.table(RECORDED).put({ position: upTo });
      },
      found.map(({ table }) => table),
    );
    this.#found = [];
  }

  #apply({ table, key, value }: RowChange): void {
    const shape = SHAPES[table] as TableShape<ClientTables[ClientTable]>;
    const keys = shape.split(key);
    const rows = this.#rows.table(shape.name);
    if (value === undefined) rows.drop(shape.keys.map((column) => keys[column] ?? null));
    else rows.put({ ...keys, ...shape.encode(value) });
  }

  /** SQLite answers at once; its errors become the port's. */
  #answer<T>(work: () => T): Promise<T> {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(asError(error, this.#database.name));
    }
  }
}

/** Of each row its last change, which is all that is seen of it. */
function newest(changes: readonly RowChange[]): Iterable<RowChange> {
  const rows = new Map<string, RowChange>();
  for (const change of changes) rows.set(`${change.table}\0${change.key}`, change);
  return rows.values();
}

function asError(error: unknown, file: string): Error {
  // A column that should hold JSON does not.
  if (error instanceof SyntaxError) {
    return new GodwitError('damaged-database', `${file} holds a row that can't be read`);
  }
  return databaseError(error, file) as Error;
}

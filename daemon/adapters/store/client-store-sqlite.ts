/**
 * The ClientStore port on SQLite: one transaction per commit, on the disk before it resolves. What is recorded is in a file beside the database
 * (recorded-file.ts), and how far that is committed in the table `recorded`.
 *
 * The sync of the write-ahead log goes on beside JavaScript (shared/sqlite/log-sync.ts); the core gathers the rows of what happens
 * meanwhile into one commit. Of a row that changes several times in it only the last is written.
 */
import { fileURLToPath } from 'node:url';
import type { Statement } from 'better-sqlite3';
import { CLIENT_TABLES } from '../../../shared/ports/client-store.ts';
import type {
  ClientRows,
  ClientStore,
  ClientTable,
  ClientTables,
  Recorded,
  RowChange,
} from '../../../shared/ports/client-store.ts';
import { databaseError, openOwnDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { LogSync, type SyncsData } from '../../../shared/sqlite/log-sync.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SHAPES, type TableShape } from './client-tables.ts';
import { RecordedFile } from './recorded-file.ts';

export const CLIENT_MIGRATIONS = fileURLToPath(
  new URL('../../../migrations/daemon', import.meta.url),
);

interface Statements {
  readonly all: Statement;
  readonly put: Statement;
  readonly drop: Statement;
}

export class SqliteClientStore implements ClientStore {
  readonly #database: Sqlite;
  readonly #log: LogSync | null;
  readonly #statements: ReadonlyMap<ClientTable, Statements>;
  readonly #write: (changes: readonly RowChange[], position: number | null) => void;
  readonly #records: RecordedFile;
  #position = 0;
  #lastRecord = 0;

  /** `boot`: the system's name for the time since it was started; null: it has none. Throws GodwitError `newer-database`, `damaged-database`, `disk-full`. */
  static open(file: string, host: SyncsData, boot: string | null): SqliteClientStore {
    return new SqliteClientStore(openOwnDatabase(file, CLIENT_MIGRATIONS), host, boot);
  }

  /** `database` has the schema of CLIENT_MIGRATIONS. It belongs to the store from now on. */
  constructor(database: Sqlite, host: SyncsData, boot: string | null) {
    this.#database = database;
    this.#log = LogSync.of(database, host);
    this.#records = new RecordedFile(`${database.name}-recorded`, boot);
    this.#statements = new Map(CLIENT_TABLES.map((table) => [table, prepare(database, table)]));
    const settle = database.prepare('UPDATE recorded SET position = ?');
    const transaction = database.transaction(
      (changes: readonly RowChange[], position: number | null) => {
        for (const change of newest(changes)) this.#apply(change);
        if (position !== null) settle.run(position);
      },
    );
    this.#write = (changes, position) => transaction.immediate(changes, position);
  }

  load(): Promise<ClientRows> {
    return this.#answer(() => {
      const tables = CLIENT_TABLES.map((table) => [table, this.#rowsOf(table)] as const);
      return Object.fromEntries(tables) as unknown as ClientRows;
    });
  }

  recorded(): Promise<readonly Recorded[]> {
    return this.#answer(() => {
      const read = this.#database.prepare<[], number>('SELECT position FROM recorded').pluck();
      this.#position = read.get() ?? 0;
      const found = this.#records.read(this.#position);
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
    if (changes.length === 0 && position === null) return;
    await this.#answer(() => this.#write(changes, position));
    await this.#log?.synced();
    if (position === null) return;
    this.#position = position;
    if (position === this.#lastRecord) this.#records.settled();
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
    for (const columns of this.#statementsOf(table).all.iterate()) {
      const row = columns as Parameters<typeof shape.decode>[0];
      rows.set(shape.join(row), shape.decode(row));
    }
    return rows;
  }

  #apply({ table, key, value }: RowChange): void {
    const shape = SHAPES[table] as TableShape<ClientTables[ClientTable]>;
    const keys = shape.split(key);
    const { put, drop } = this.#statementsOf(table);
    if (value === undefined) drop.run(keys);
    else put.run({ ...keys, ...shape.encode(value) });
  }

  #statementsOf(table: ClientTable): Statements {
    return this.#statements.get(table) as Statements;
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

function prepare(database: Sqlite, table: ClientTable): Statements {
  const { name, keys, rest } = SHAPES[table];
  const columns = [...keys, ...rest];
  const values = columns.map((column) => `@${column}`).join(', ');
  const match = keys.map((key) => `${key} = @${key}`).join(' AND ');
  return {
    all: database.prepare(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${keys.join(', ')}`),
    put: database.prepare(
      `INSERT OR REPLACE INTO ${name} (${columns.join(', ')}) VALUES (${values})`,
    ),
    drop: database.prepare(`DELETE FROM ${name} WHERE ${match}`),
  };
}

function asError(error: unknown, file: string): Error {
  // A column that should hold JSON does not.
  if (error instanceof SyntaxError) {
    return new GodwitError('damaged-database', `${file} holds a row that can't be read`);
  }
  return databaseError(error, file) as Error;
}

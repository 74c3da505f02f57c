/**
 * The ClientStore port on SQLite: one transaction per commit, on the disk before it resolves.
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
  RowChange,
} from '../../../shared/ports/client-store.ts';
import { databaseError, openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { LogSync, type SyncsData } from '../../../shared/sqlite/log-sync.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SHAPES, type TableShape } from './client-tables.ts';

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
  readonly #write: (changes: readonly RowChange[]) => void;

  /** Throws GodwitError `newer-database`, `damaged-database`, `disk-full`. */
  static open(file: string, host: SyncsData): SqliteClientStore {
    return new SqliteClientStore(openDatabase(file, CLIENT_MIGRATIONS), host);
  }

  /** `database` has the schema of CLIENT_MIGRATIONS. It belongs to the store from now on. */
  constructor(database: Sqlite, host: SyncsData) {
    this.#database = database;
    this.#log = LogSync.of(database, host);
    this.#statements = new Map(CLIENT_TABLES.map((table) => [table, prepare(database, table)]));
    const transaction = database.transaction((changes: readonly RowChange[]) => {
      for (const change of newest(changes)) this.#apply(change);
    });
    this.#write = (changes) => transaction.immediate(changes);
  }

  load(): Promise<ClientRows> {
    return this.#answer(() => {
      const tables = CLIENT_TABLES.map((table) => [table, this.#rowsOf(table)] as const);
      return Object.fromEntries(tables) as unknown as ClientRows;
    });
  }

  async commit(changes: readonly RowChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#answer(() => this.#write(changes));
    await this.#log?.synced();
  }

  async close(): Promise<void> {
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

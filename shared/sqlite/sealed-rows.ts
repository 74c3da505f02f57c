/**
 * Rows that tell whether they are as they were written: a bit that flips in a page, or a hand that alters a row, leaves a database that SQLite calls
 * whole. A table with the column `seal` is sealed: each row has the CRC-32 of itself, and the table `seal` has, for each such table, all seals of its
 * rows in one (exclusive-or). It is no protection against deliberate changes.
 *
 * Invariants
 * 1. A row and its seal are written by one statement, and the sum of its table in the same transaction.
 * 2. Who loads a table looks at every row of it. One that does not fit is named, and nothing of it is used.
 * 3. A sum that does not fit while all rows do shows that rows are gone, or are back.
 *
 * A table that has no sum yet is of before there were seals: loading seals it. So a migration that alters the columns of a sealed table removes its
 * sum and its seals.
 */
import { crc32 } from 'node:zlib';
import type { Statement } from 'better-sqlite3';
import type { Sqlite } from './database.ts';
import { rowLine, type SqlValue } from './row-line.ts';

export type Row = Readonly<Record<string, SqlValue>>;

/** What was found in a table. */
export interface TableDamage {
  readonly table: string;
  /** Keys of the rows that are not as they were written. */
  readonly altered: ReadonlyArray<readonly SqlValue[]>;
  /** All rows fit, and not all are there that should be, or more. */
  readonly incomplete: boolean;
}

interface Column {
  readonly name: string;
  /** Its place in the primary key, from 1; 0: it is not in that. */
  readonly pk: number;
}

const SEAL = 'seal';

/** The names of all tables that have seals. */
export function sealedTables(database: Sqlite): string[] {
  return database
    .prepare<[], string>(
      'SELECT t.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c' +
        ` WHERE t.type = 'table' AND c.name = '${SEAL}' ORDER BY t.name`,
    )
    .pluck()
    .all();
}

/** All tables of a database that have seals. */
export class SealedRows {
  readonly #database: Sqlite;
  readonly #tables = new Map<string, SealedTable>();
  readonly #addSum: Statement<[{ delta: number; of: string }]>;

  constructor(database: Sqlite) {
    this.#database = database;
    // SQLite has no exclusive-or.
    this.#addSum = database.prepare(
      'UPDATE seal SET sum = (sum | @delta) - (sum & @delta) WHERE of = @of',
    );
    for (const name of sealedTables(database)) {
      this.#tables.set(name, new SealedTable(database, name));
    }
  }

  table(name: string): SealedTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`no sealed table ${name}`);
    return table;
  }

  /**
   * Runs `work`, which writes rows, in one transaction with the sums of what it writes. The tables of `again` were found damaged, and that was
   * dealt with: their sums become those of the rows that are there then.
   */
  write(work: () => void, again: readonly string[] = []): void {
    const run = (): void => {
      for (const table of this.#tables.values()) table.delta = 0;
      work();
      for (const { name, delta } of this.#tables.values()) {
        if (delta !== 0) this.#addSum.run({ delta: delta >>> 0, of: name });
      }
      for (const name of again) this.table(name).sumAgain();
    };
    this.#database.transaction(run).immediate();
  }

  /** Once, when all tables have been loaded: those of before there were seals get theirs. */
  sealTheRest(): void {
    const without = [...this.#tables.values()].filter((table) => !table.isSealed);
    if (without.length === 0) return;
    this.#database.transaction(() => without.forEach((table) => table.sealAll())).immediate();
  }

  /** What a look at every row finds. Writes nothing. */
  check(): TableDamage[] {
    for (const table of this.#tables.values()) table.load(() => undefined);
    return this.found();
  }

  /** What was found in the tables that have been loaded. */
  found(): TableDamage[] {
    return [...this.#tables.values()].flatMap(({ damage }) => damage ?? []);
  }
}

/**
 * One table whose rows carry a seal (a checksum), with prepared statements to load, write and
 * delete its rows.
 */
class SealedTable {
  readonly name: string;
  /** What the seals that were written and dropped in this transaction come to. */
  delta = 0;
  /** Found by the last `load`. */
  damage: TableDamage | null = null;
  readonly #database: Sqlite;
  readonly #columns: readonly string[];
  readonly #keys: readonly string[];
  readonly #all: Statement<[]>;
  readonly #put: Statement<unknown[]>;
  readonly #sealsOf = new Map<
    number,
    { seals: Statement<unknown[]>; drop: Statement<unknown[]> }
  >();
  readonly #sum: Statement<[string]>;

  constructor(database: Sqlite, name: string) {
    this.name = name;
    this.#database = database;
    // Generated columns are not among them.
    const columns = database.pragma(`table_info(${name})`) as Column[];
    const ordered = columns.filter((column) => column.name !== SEAL);
    this.#columns = ordered.map((column) => column.name);
    this.#keys = ordered
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map((column) => column.name);
    const all = [...this.#columns, SEAL];
    const order = this.#keys.length === 0 ? '' : ` ORDER BY ${this.#keys.join(', ')}`;
    this.#all = database.prepare<[]>(`SELECT ${all.join(', ')} FROM ${name}${order}`);
    this.#put = database.prepare<unknown[]>(
      `INSERT OR REPLACE INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
    );
    this.#sum = database.prepare<[string]>('SELECT sum FROM seal WHERE of = ?').pluck();
  }

  /** It has a sum: from then on no row is without a seal. */
  get isSealed(): boolean {
    return this.#sum.get(this.name) !== undefined;
  }

  /** In `SealedRows.write`. A table without a key has one row. */
  put(row: Row): void {
    const values = this.#columns.map((column) => row[column] ?? null);
    const keys = this.#keys.map((key) => row[key] ?? null);
    const seal = sealOf(this.name, values);
    if (keys.length === 0) this.drop([]);
    else this.#forget(keys);
    this.#put.run(...values, seal);
    this.delta ^= seal;
  }

  /** In `SealedRows.write`. `keys`: of the primary key all columns, or the first ones. Absent rows are no error. */
  drop(keys: readonly SqlValue[]): void {
    this.#forget(keys);
    this.#by(keys.length).drop.run(...keys);
  }

  /** Gives every row that is as it was written, in the order of keys. What is found otherwise is in `damage`. */
  load(row: (row: Row) => void): void {
    const sum = this.#sum.get(this.name) as number | undefined;
    const altered: Array<readonly SqlValue[]> = [];
    let found = 0;
    for (const each of this.#all.iterate()) {
      const { [SEAL]: seal, ...columns } = each as Record<string, SqlValue>;
      const isOfBefore = sum === undefined && seal === null;
      if (isOfBefore || seal === sealOf(this.name, Object.values(columns))) row(columns);
      else altered.push(this.#keys.map((key) => columns[key] ?? null));
      found ^= Number(seal);
    }
    const isIncomplete = altered.length === 0 && sum !== undefined && sum !== found >>> 0;
    const isWell = altered.length === 0 && !isIncomplete;
    this.damage = isWell ? null : { table: this.name, altered, incomplete: isIncomplete };
  }

  /** Rows that have no seal get one. In a transaction of the caller. */
  sealAll(): void {
    const match =
      this.#keys.length === 0 ? 'TRUE' : this.#keys.map((key) => `${key} = ?`).join(' AND ');
    const set = this.#database.prepare<unknown[]>(
      `UPDATE ${this.name} SET ${SEAL} = ? WHERE ${match}`,
    );
    for (const each of this.#all.all()) {
      const { [SEAL]: seal, ...columns } = each as Record<string, SqlValue>;
      if (seal !== null) continue;
      const keys = this.#keys.map((key) => columns[key] ?? null);
      set.run(sealOf(this.name, Object.values(columns)), ...keys);
    }
    this.sumAgain();
  }

  sumAgain(): void {
    let sum = 0;
    const seals = this.#database.prepare<[], number | null>(`SELECT ${SEAL} FROM ${this.name}`);
    for (const seal of seals.pluck().iterate()) sum ^= Number(seal);
    this.#database
      .prepare<[string, number]>('INSERT OR REPLACE INTO seal (of, sum) VALUES (?, ?)')
      .run(this.name, sum >>> 0);
  }

  #forget(keys: readonly SqlValue[]): void {
    const { seals } = this.#by(keys.length);
    if (keys.length === this.#keys.length && keys.length > 0)
      this.delta ^= Number(seals.get(...keys) ?? 0);
    else for (const seal of seals.all(...keys)) this.delta ^= Number(seal);
  }

  /** The statements about rows with these first columns of the key. */
  #by(count: number): { seals: Statement<unknown[]>; drop: Statement<unknown[]> } {
    const known = this.#sealsOf.get(count);
    if (known !== undefined) return known;
    const first = this.#keys.slice(0, count);
    const match = count === 0 ? 'TRUE' : first.map((key) => `${key} = ?`).join(' AND ');
    const made = {
      seals: this.#database
        .prepare<unknown[]>(`SELECT ${SEAL} FROM ${this.name} WHERE ${match}`)
        .pluck(),
      drop: this.#database.prepare<unknown[]>(`DELETE FROM ${this.name} WHERE ${match}`),
    };
    this.#sealsOf.set(count, made);
    return made;
  }
}

/** For people. */
export function wordsOf({ table, altered, incomplete }: TableDamage): string {
  if (incomplete) return `${table}: rows are missing`;
  const first = altered[0]?.join('/') ?? '';
  return `${table} ${first}${altered.length > 1 ? ` and ${altered.length - 1} more` : ''}`;
}

function sealOf(table: string, values: readonly SqlValue[]): number {
  return crc32(rowLine(table, values));
}

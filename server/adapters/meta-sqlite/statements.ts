/** Prepared statements of one database, each prepared once. */
import type { Statement } from 'better-sqlite3';
import type { Sqlite } from '../../../shared/sqlite/database.ts';

export type SqlValue = string | number | null;

/** Prepares each SQL text once and runs it. */
export class Statements {
  readonly #database: Sqlite;
  readonly #prepared = new Map<string, Statement<SqlValue[]>>();

  constructor(database: Sqlite) {
    this.#database = database;
  }

  /** The first row, or null. */
  get<Row>(sql: string, ...values: SqlValue[]): Row | null {
    return (this.#prepare(sql).get(...values) as Row | undefined) ?? null;
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** How many rows were changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  #prepare(sql: string): Statement<SqlValue[]> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<SqlValue[]>(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

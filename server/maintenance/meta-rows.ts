/** Rows of `meta` that hold JSON: what a command and the server that runs say to each other. */
import type { Sqlite } from '../../shared/sqlite/database.ts';

/** Null: there is no such row, or it holds no JSON. */
export function readMeta(database: Sqlite, key: string): unknown {
  const value = database
    .prepare<[string], string>('SELECT value FROM meta WHERE key = ?')
    .pluck()
    .get(key);
  try {
    return value === undefined ? null : JSON.parse(value);
  } catch {
    return null;
  }
}

/** Writes a value as JSON into the row `key` of `meta`, in the place of the one before. */
export function writeMeta(database: Sqlite, key: string, value: unknown): void {
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, JSON.stringify(value));
}

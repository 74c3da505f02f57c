/** Checks a database while another process has it open: its pages, and the seals of its rows. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { checkPages, databaseError } from './database.ts';
import { SealedRows, sealedTables, wordsOf } from './sealed-rows.ts';

/** What of its rows is damaged, for people; null: nothing, or there is no such file, or it is of before there were seals. Throws `damaged-database`. */
export function damageIn(file: string): string | null {
  if (!existsSync(file)) return null;
  let database: Database.Database | null = null;
  try {
    database = new Database(file, { readonly: true });
    checkPages(database, file);
    return damagedRows(database);
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    database?.close();
  }
}

function damagedRows(database: Database.Database): string | null {
  if (sealedTables(database).length === 0) return null;
  // All of it is of one moment.
  const found = database.transaction(() => new SealedRows(database).check())();
  return found.length === 0 ? null : found.map(wordsOf).join(', ');
}

/** Every table of a daemon's databases is sealed, or it is said here why it needs no seal. (Those of a server: row-seals.test.ts.) */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { sealedTables } from '../../shared/sqlite/sealed-rows.ts';

/** By database and table. */
const UNSEALED: Readonly<Record<string, string>> = {
  'daemon.seal': 'a sum that is altered fits its rows no more',
  'folder.seal': 'a sum that is altered fits its rows no more',
  'chunk-lists.chunk_list':
    'a list that is wrong makes a delta that is refused, and contents go whole',
};

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'godwit-seals-'));
afterAll(() => rmSync(folder, { recursive: true }));

function unsealedIn(name: string): string[] {
  const database = openDatabase(join(folder, `${name}.db`), join(ROOT, 'migrations', name));
  try {
    const sealed = new Set(sealedTables(database));
    return database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all()
      .filter((table) => !sealed.has(table))
      .map((table) => `${name}.${table}`);
  } finally {
    database.close();
  }
}

it('every table of a daemon without seals has a reason', () => {
  const found = ['daemon', 'folder', 'chunk-lists'].flatMap(unsealedIn);
  expect(found.sort()).toEqual(Object.keys(UNSEALED).sort());
});

/** What the suite of the port does not ask of a store in memory: a label that very many have. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import { labelOf, sharedName } from '../../../shared/model/shared-name.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { FIRST, ROOT } from '../../../test/conformance/meta-script.ts';
import { makeShared } from './make-shared.ts';
import { openServerDatabase } from './server-database.ts';
import { SqliteMetaStore } from './sqlite-meta-store.ts';
import { Statements } from './statements.ts';

const SHORT_NAMES = 0x10000;

let folder: string;
let database: Sqlite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-shared-'));
  const file = join(folder, 'meta.db');
  const store = new SqliteMetaStore(file);
  await store.open(FIRST);
  await store.close();
  database = openServerDatabase(file);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

it('A shared folder whose short names are all taken gets a long one with the same label', () => {
  const statements = new Statements(database);
  const taken = database.prepare('INSERT INTO volume (id, name, head) VALUES (?, ?, 0)');
  const asked = { what: 'volume', volume: volumeOf(ROOT), label: 'trip', by: 1 } as const;
  const made = database.transaction(() => {
    for (let number = 2; number < SHORT_NAMES + 2; number += 1) {
      taken.run(number, sharedName('trip', number as VolumeId));
    }
    return makeShared(statements, { ...asked, nonce: '7'.repeat(32), when: FIRST.when });
  })();
  if (made.answer !== 'made') throw new Error(made.answer);
  expect(made.name).toBe(sharedName('trip', made.volume, true));
  expect(labelOf(made.name)).toBe('trip');
});

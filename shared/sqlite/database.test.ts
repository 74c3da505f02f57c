import { expect, it } from '@jest/globals';
import { GodwitError } from '../wire/error-codes.ts';
import { databaseError } from './database.ts';

it.each([
  ['SQLITE_NOTADB', 'damaged-database'],
  ['SQLITE_CORRUPT_VTAB', 'damaged-database'],
  ['SQLITE_CONSTRAINT_DATATYPE', 'damaged-database'],
  ['SQLITE_FULL', 'disk-full'],
  ['SQLITE_IOERR_SHMSIZE', 'disk-full'],
  ['SQLITE_IOERR_READ', 'disk-failing'],
  ['SQLITE_IOERR', 'disk-failing'],
  ['SQLITE_CANTOPEN', 'folder-unusable'],
  ['SQLITE_READONLY', 'folder-unusable'],
  ['SQLITE_READONLY_DBMOVED', 'folder-unusable'],
])('says %s as %s', (sqlite, code) => {
  const error = Object.assign(new Error('what SQLite says'), { code: sqlite });
  expect(databaseError(error, 'rows.db')).toMatchObject({ code });
});

it('leaves alone what is no fault of the world, and what has a code of ours', () => {
  const bug = Object.assign(new Error('no such table'), { code: 'SQLITE_ERROR' });
  const coded = new GodwitError('newer-database');
  expect([databaseError(bug, 'rows.db'), databaseError(coded, 'rows.db')]).toEqual([bug, coded]);
});

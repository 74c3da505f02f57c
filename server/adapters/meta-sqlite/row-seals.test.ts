import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { checkRowSeals, NOT_ROW_SEALED, ROW_SEALED, sealRowsAgain } from './row-seals.ts';
import { openOwnServerDatabase, openServerDatabase } from './server-database.ts';
import { withoutPeople } from '../../../test/support/older-databases.ts';

let root = '';
let file = '';
let database: Sqlite;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-row-seals-'));
  file = join(root, 'server.db');
  database = openServerDatabase(file);
  database.pragma('foreign_keys = OFF');
});
afterEach(() => {
  database.close();
  rmSync(root, { recursive: true });
});

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

const columnsOf = (table: string): Column[] => database.pragma(`table_info(${table})`) as Column[];

/** A row of the table, with another key for each number. */
function add(table: string, number: number): void {
  const columns = columnsOf(table);
  const values = columns.map(({ name, type }) => {
    if (name === 'wanted') return 'shared';
    if (type === 'TEXT') return `text ${number}`;
    return type === 'REAL' ? number + 0.5 : number;
  });
  const names = columns.map(({ name }) => name);
  database
    .prepare<unknown[]>(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    .run(values);
}

/** By another program: it has none of our triggers. */
function byHand(sql: string): void {
  const other = new Database(file);
  other.pragma('foreign_keys = OFF');
  other.pragma('ignore_check_constraints = ON');
  expect(other.prepare(sql).run().changes).toBe(1);
  other.close();
}

function said(): string | null {
  try {
    checkRowSeals(database, file);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'damaged-database' });
    return (error as Error).message;
  }
}

it('every table is sealed or listed with what else reveals damage in it', () => {
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  const listed = [...Object.keys(ROW_SEALED), ...Object.keys(NOT_ROW_SEALED)];
  expect(listed.sort()).toEqual(tables);
});

describe.each(Object.entries(ROW_SEALED))('a row of the table %s', (table, { without }) => {
  beforeEach(() => {
    for (const number of [1, 2, 3]) add(table, number);
  });
  /** The second row, by the first column of its key. */
  const second = (): string => {
    const { name = '', type = '' } = columnsOf(table).find(({ pk }) => pk === 1) ?? {};
    return `${name} = ${type === 'TEXT' ? "'text 2'" : 2}`;
  };

  it('is reported with its key when any of its columns was altered', () => {
    expect(said()).toBeNull();
    const columns = columnsOf(table).filter(({ name }) => !without.includes(name));
    for (const { name, type } of columns) {
      const [before, after] = type === 'TEXT' ? ["'text 2'", "'other'"] : [2, 77];
      const was = name === 'wanted' ? "'shared'" : type === 'REAL' ? 2.5 : before;
      byHand(`UPDATE ${table} SET ${name} = ${after} WHERE ${second()}`);
      expect(said()).toMatch(new RegExp(`^${file} is damaged: the row .* of ${table} is `));
      byHand(`UPDATE ${table} SET ${name} = ${was} WHERE ${name} = ${after}`);
      expect(said()).toBeNull();
    }
  });

  it('is reported when it is missing or was added by somebody else', () => {
    byHand(`DELETE FROM ${table} WHERE ${second()}`);
    expect(said()).toMatch(new RegExp(`: the row .*2.* of ${table} is gone$`));
    expect(database.transaction(() => sealRowsAgain(database))()).toHaveLength(1);
    expect(said()).toBeNull();
    database.prepare(`DELETE FROM row_seal WHERE of = ?`).run(table);
    expect(said()).toMatch(new RegExp(`: the row .* of ${table} is not as it was written$`));
  });

  it('is accepted in whichever way our programs write it', () => {
    const [first = '', old = ''] = second().split(' = ');
    database.exec(
      `UPDATE ${table} SET ${first} = ${old.startsWith("'") ? "'moved'" : 9} WHERE ${second()}`,
    );
    expect(said()).toBeNull();
    database.exec(`REPLACE INTO ${table} SELECT * FROM ${table}`);
    expect(said()).toBeNull();
    database.exec(`DELETE FROM ${table}`);
    expect(said()).toBeNull();
  });
});

it('a row that an upsert writes over itself keeps its seal, as after an update', () => {
  add('device', 1);
  const put =
    'INSERT INTO device (id, fingerprint, name, user, created_ms, incarnation, last_hello_ms) VALUES (1, ?, ?, 1, 1, 1, 1)' +
    ' ON CONFLICT (id) DO UPDATE SET name = excluded.name';
  for (const name of ['once', 'twice']) database.prepare(put).run('print', name);
  database.prepare("UPDATE device SET id = 7, name = 'moved'").run();
  expect(said()).toBeNull();
  byHand("UPDATE device SET name = 'altered'");
  expect(said()).toMatch(/the row 7 of device is not as it was written/);
});

it('rows from before there were seals get seals', () => {
  add('user', 1);
  database.close();
  const old = new Database(file);
  old.exec(`${withoutPeople} DROP TABLE row_seal; PRAGMA user_version = 9`);
  old.close();
  database = openServerDatabase(file);
  expect(said()).toBeNull();
  byHand("UPDATE user SET name = 'other'");
  expect(said()).toBe(`${file} is damaged: the row 1 of user is not as it was written`);
});

it('a server refuses to start when a right was altered', () => {
  add('access', 1);
  database.close();
  byHand("UPDATE access SET rights = 'write'");
  expect(() => openOwnServerDatabase(file)).toThrow(
    `${file} is damaged: the row 1.1 of access is not as it was written`,
  );
  database = openServerDatabase(file);
});

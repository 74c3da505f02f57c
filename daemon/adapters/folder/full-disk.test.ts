/** The disk of the records is full for a while: nothing that is put in place or logged meanwhile is forgotten. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFid } from '../../../shared/model/fid.ts';
import { minutes } from '../../../shared/model/time.ts';
import { openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { ERROR_CODES, GodwitError } from '../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { OwnDirectory } from './disk/own-directory.ts';
import { RecordStore } from './records/record-store.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench.destroy();
});

/** Until the mocks are restored. */
function fillDisk(): void {
  jest.spyOn(RecordStore.prototype, 'save').mockImplementation(() => {
    throw new GodwitError('disk-full');
  });
}

const saysFull = (): boolean =>
  bench.folder.status().errors.some(({ code }) => code === 'disk-full');

/** What the system says, to whoever writes with this method. */
function refuse(code: string): void {
  jest.spyOn(OwnDirectory.prototype, 'writeMarker').mockImplementation(() => {
    throw Object.assign(new Error(`${code}: no space left on device, write`), { code });
  });
}

describe('a start on a full disk', () => {
  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the quota of the disk is used up'],
  ])('is refused with the reason: %s', async (code, said) => {
    refuse(code);
    await expect(bench.open()).rejects.toMatchObject({
      code: 'disk-full',
      message: `${bench.root}: ${said}`,
      remedy: ERROR_CODES['disk-full'].remedy,
    });
    jest.restoreAllMocks();
    await bench.start();
  });

  it('is refused with the reason when the records have no space', async () => {
    type Prepare = (this: Sqlite, sql: string) => ReturnType<Sqlite['prepare']>;
    const { prepare } = Database.prototype as { prepare: Prepare };
    jest.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Sqlite, sql) {
      if (!sql.startsWith('INSERT')) return prepare.call(this, sql);
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    await expect(bench.open()).rejects.toMatchObject({ code: 'disk-full' });
  });

  it('writes nothing into a folder that is set up already', async () => {
    const times = (): bigint[] =>
      ['marker.json', '.gitignore'].map(
        (name) => lstatSync(bench.path('.godwit', name), { bigint: true }).ctimeNs,
      );
    await bench.start();
    await bench.close();
    const before = times();
    const set = jest.spyOn(bench.host, 'setXattr');
    await bench.start();
    expect(times()).toEqual(before);
    expect(set).not.toHaveBeenCalled();
  });
});

describe('a full disk under the folder', () => {
  it('lets the folder start as soon as there is space', async () => {
    await bench.other.write('a', 'theirs');
    fillDisk();
    await bench.open();
    await bench.until(saysFull);
    jest.restoreAllMocks();
    await bench.settled();
    await bench.shows({ a: 'theirs' });
    expect(saysFull()).toBe(false);
  });

  it('delays the report of commits until they are durable', async () => {
    await bench.start();
    fillDisk();
    const applied = jest.spyOn(bench.volume, 'applied');
    await bench.other.write('a', 'theirs');
    await bench.until(saysFull);
    expect(applied).not.toHaveBeenCalled();
    jest.restoreAllMocks();
    await bench.settled();
    await bench.other.write('a', 'theirs, later');
    await bench.settled();
    await bench.shows({ a: 'theirs, later' });
  });

  it('keeps nobody waiting for long after there is space', async () => {
    bench.limits = { ...bench.limits, retry: minutes(60) };
    await bench.start();
    fillDisk();
    await bench.other.write('a', 'theirs');
    writeFileSync(bench.path('mine'), 'mine');
    await bench.until(saysFull);
    jest.restoreAllMocks();
    await bench.settled();
    expect(bench.tree()).toEqual({ a: 'theirs', mine: 'mine' });
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('causes no restart to log a change again', async () => {
    await bench.start();
    fillDisk();
    writeFileSync(bench.path('mine'), 'mine');
    await bench.until(saysFull);
    jest.restoreAllMocks();
    await bench.settled();
    bench.keepRecords();
    await bench.crash();
    bench.told();
    await bench.start();
    expect(bench.told()).toEqual([]);
    expect(bench.tree()).toEqual({ mine: 'mine' });
  });
});

it('a store that cannot be logged leaves no handle open and is logged when there is space', async () => {
  await bench.start();
  const abandoned = jest.spyOn(bench.volume, 'abandon');
  jest.spyOn(bench.volume, 'close').mockRejectedValueOnce(new GodwitError('disk-full'));
  writeFileSync(bench.path('mine'), 'mine');
  await bench.until(() => abandoned.mock.calls.length > 0);
  await bench.settled();
  expect(bench.tree()).toEqual({ mine: 'mine' });
  expect(bench.told()).toContain('store mine');
});

it('records that a failed save was to write are written by the next one', () => {
  mkdirSync(bench.dataDir, { recursive: true });
  const file = join(bench.dataDir, 'folder.db');
  const store = new RecordStore(file);
  const other = openDatabase(
    file,
    new URL('../../../migrations/folder/', import.meta.url).pathname,
  );
  const root = bench.volume.info.root;
  const { records, held } = store.load(root);
  const fid = makeFid(1, 2, 3);
  held.setVnode({ fid } as Parameters<typeof held.setVnode>[0]);
  other.exec(
    `CREATE TRIGGER full BEFORE INSERT ON held_vnode BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  expect(() => store.save(records, held)).toThrow('full');
  other.exec('DROP TRIGGER full');
  store.save(records, held);
  expect(store.load(root).held.vnode(fid)).toEqual({ fid });
  other.close();
  store.close();
});

import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryClientStore } from '../../app/lab/simulator/store/memory-client-store.ts';
import {
  CLIENT_MIGRATIONS,
  SqliteClientStore,
} from '../../daemon/adapters/store/client-store-sqlite.ts';
import { SHAPES } from '../../daemon/adapters/store/client-tables.ts';
import { MOST_RECORDED_BYTES } from '../../daemon/limits.ts';
import type { ClientTable, Recorded, RowChange } from '../../shared/ports/client-store.ts';
import { openDatabase, type Sqlite } from '../../shared/sqlite/database.ts';
import { SealedRows } from '../../shared/sqlite/sealed-rows.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { SAMPLE_ROWS } from '../support/client-rows.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { clientStoreSuite } from './client-store.suite.ts';

const NO_LIMIT_PAGES = 0x7fff_ffff;

let folder = '';
let files = 0;
let opened: Sqlite[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-client-store-'));
});

afterEach(() => {
  for (const database of opened) database.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  files += 1;
  return join(folder, `${files}.sqlite`);
}

function open(file: string, boot: string | null = 'this boot'): SqliteClientStore {
  const database = openDatabase(file, CLIENT_MIGRATIONS);
  opened.push(database);
  return new SqliteClientStore(database, new NativeHost(), boot);
}

clientStoreSuite('on SQLite', () => {
  const file = newFile();
  const limit = (pages: number): void => {
    for (const database of opened.filter(({ open }) => open)) {
      database.pragma(`max_page_count = ${pages}`);
    }
  };
  // A limit below the present size is raised to it.
  return {
    open: () => open(file),
    afterPowerLoss: () => open(file, 'another boot'),
    fill: () => limit(1),
    free: () => limit(NO_LIMIT_PAGES),
    spoil: (table, key) => spoilRow(file, table, key),
  };
});

/** Changes a row without its seal. */
function spoilRow(file: string, table: ClientTable, key: string | null): void {
  const { name, keys, rest, split } = SHAPES[table];
  const database = new Database(file);
  if (key === null) {
    database.exec(`DELETE FROM ${name} ${lastOf(name, keys)}`);
  } else {
    const match = keys.map((column) => `${column} = @${column}`).join(' AND ');
    const column = rest.find((each) => each !== 'blocks' && each !== 'name') ?? '';
    database.prepare(`UPDATE ${name} SET ${altered(column)} WHERE ${match}`).run(split(key));
  }
  database.close();
}

function lastOf(name: string, keys: readonly string[]): string {
  const last = `SELECT ${keys.join(', ')} FROM ${name} ORDER BY ${keys.join(' DESC, ')} DESC LIMIT 1`;
  return `WHERE (${keys.join(', ')}) IN (${last})`;
}

/** Another value of the same type. */
const altered = (column: string): string =>
  `${column} = CASE typeof(${column}) WHEN 'integer' THEN ${column} + 1 WHEN 'null' THEN '7' ELSE ${column} || 'x' END`;

clientStoreSuite('in memory', () => {
  const store = new MemoryClientStore();
  return {
    open: () => store,
    afterPowerLoss: () => {
      store.losePower(new SeededRandom(3));
      return store;
    },
    fill: () => {
      store.fault = () => new GodwitError('disk-full');
    },
    free: () => {
      store.fault = null;
    },
    spoil: (table, key) => store.spoil(table, key),
  };
});

clientStoreSuite('in memory, late', () => {
  const store = new MemoryClientStore({ delay: (run) => setImmediate(run) });
  return {
    open: () => store,
    afterPowerLoss: () => {
      store.losePower(new SeededRandom(3));
      return store;
    },
    fill: () => {
      store.fault = () => new GodwitError('disk-full');
    },
    free: () => {
      store.fault = null;
    },
    spoil: (table, key) => store.spoil(table, key),
  };
});

describe('a database file that cannot be used', () => {
  /** A closed store with rows in it. */
  const written = async (): Promise<string> => {
    const file = newFile();
    const store = open(file);
    await store.load();
    await store.commit(SAMPLE_ROWS);
    await store.close();
    return file;
  };
  const change = (file: string, sql: string): void => {
    const database = openDatabase(file, CLIENT_MIGRATIONS);
    database.exec(sql);
    database.close();
  };

  it('is refused and left unchanged when a newer program wrote it', async () => {
    const file = await written();
    change(file, 'PRAGMA user_version = 4711');
    const before = readFileSync(file);
    expect(() => SqliteClientStore.open(file, new NativeHost(), null)).toThrow(
      expect.objectContaining({ code: 'newer-database' }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is reported as damaged when it is no database', () => {
    const file = newFile();
    writeFileSync(file, 'not a database at all, but long enough to be read as one'.repeat(100));
    expect(() => SqliteClientStore.open(file, new NativeHost(), null)).toThrow(
      expect.objectContaining({ code: 'damaged-database' }),
    );
  });

  it('is reported as damaged when its end is missing', async () => {
    const file = await written();
    truncateSync(file, 8192);
    const load = async (): Promise<unknown> => open(file).load();
    await expect(load()).rejects.toMatchObject({ code: 'damaged-database' });
  });

  it('is reported as damaged when a row is no JSON', async () => {
    const file = await written();
    // The file is as it was before there were seals.
    change(file, `UPDATE volume SET blocks = 'gone', seal = NULL; DELETE FROM seal`);
    await expect(open(file).load()).rejects.toMatchObject({ code: 'damaged-database' });
  });

  it('is reported as damaged when any column of any row was altered', async () => {
    const file = await written();
    const database = openDatabase(file, CLIENT_MIGRATIONS);
    opened.push(database);
    const found: string[] = [];
    const unseen: string[] = [];
    for (const { name, keys, rest } of Object.values(SHAPES)) {
      for (const column of [...keys, ...rest]) {
        // Columns of JSON stay JSON.
        const set = column === 'body' ? `body = replace(body, ':', ': ')` : altered(column);
        database.exec(`BEGIN; UPDATE ${name} SET ${set} ${lastOf(name, keys)}`);
        const damage = new SealedRows(database).check();
        database.exec('ROLLBACK');
        (damage.some(({ table }) => table === name) ? found : unseen).push(`${name}.${column}`);
      }
    }
    expect(unseen).toEqual([]);
    expect(found.length).toBeGreaterThan(50);
  });

  it('gets seals when it is older than they are, and later damage is found', async () => {
    const file = await written();
    const tables = Object.values(SHAPES).map(({ name }) => `UPDATE ${name} SET seal = NULL;`);
    change(file, `${tables.join('')} UPDATE recorded SET seal = NULL; DELETE FROM seal`);
    const store = open(file);
    const rows = await store.load();
    expect(store.damage()).toEqual([]);
    expect([...rows.update.keys()]).toEqual(['9', '10', '11']);
    await store.close();
    change(file, 'UPDATE update_log SET rank = 8 WHERE seq = 10');
    const next = open(file);
    await next.load();
    expect(next.damage()).toEqual([{ table: 'update', altered: ['10'], incomplete: false }]);
  });

  it.each([
    ['has another position', 'UPDATE recorded SET position = position + 1'],
    ['has none', 'DELETE FROM recorded'],
    ['has two', 'INSERT INTO recorded (position) VALUES (0)'],
  ])('is reported when its file of records %s, and nothing is taken from there', async (_, sql) => {
    const file = newFile();
    const store = open(file);
    await store.recorded();
    await store.load();
    await store.commit([{ table: 'meta', key: 'a', value: 1 }], (await store.record([])) ?? 0);
    await store.record([{ table: 'meta', key: 'b', value: 1 }]);
    await store.close();
    change(file, sql);
    const next = open(file);
    expect(await next.recorded()).toEqual([]);
    await next.load();
    expect(next.damage()).toMatchObject([{ table: 'recorded' }]);
    await next.commit([]);
    await next.close();
    const last = open(file);
    await last.recorded();
    await last.load();
    expect(last.damage()).toEqual([]);
  });

  it('the view update_log names the operation and file of each update', async () => {
    const database = openDatabase(await written(), CLIENT_MIGRATIONS);
    opened.push(database);
    expect(database.prepare('SELECT seq, op, fid FROM update_log').all()).toEqual([
      { seq: 9, op: 'rmdir', fid: '1.2.77' },
      { seq: 10, op: 'store', fid: '1.3.77' },
      { seq: 11, op: 'setattr', fid: '1.3.77' },
    ]);
  });
});

describe('the file of records', () => {
  const put = (key: string, value: number): RowChange => ({ table: 'meta', key, value });
  const begun = async (file: string, boot?: string | null): Promise<SqliteClientStore> => {
    const store = open(file, boot);
    await store.recorded();
    await store.load();
    return store;
  };
  const keysIn = (found: readonly Recorded[]): string[] =>
    found.flatMap(({ changes }) => changes.map(({ key }) => key));

  it('ends at the first incomplete record, whatever follows', async () => {
    const file = newFile();
    const store = await begun(file);
    for (const key of ['a', 'b', 'c']) await store.record([put(key, 1)]);
    const bytes = readFileSync(`${file}-recorded`);
    const second = bytes.indexOf('"b"');
    bytes.fill(0, second, second + 1);
    writeFileSync(`${file}-recorded`, bytes);
    expect(keysIn(await open(file).recorded())).toEqual(['a']);
  });

  it('takes no older record for one that was recorded later', async () => {
    const file = newFile();
    const first = await begun(file);
    for (const key of ['a', 'b', 'c']) await first.record([put(key, 1)]);
    // Half of the first record is there, so none counts, and the numbers start again.
    const whole = readFileSync(`${file}-recorded`);
    writeFileSync(`${file}-recorded`, Buffer.concat([Buffer.alloc(9), whole.subarray(9)]));
    const second = await begun(file);
    await second.record([put('x', 1)]);
    expect(keysIn(await open(file).recorded())).toEqual(['x']);
  });

  it('is doubtful when the system cannot name the time of its start', async () => {
    const file = newFile();
    await (await begun(file, null)).record([put('a', 1)]);
    expect(await open(file, null).recorded()).toMatchObject([{ isDoubtful: true }]);
  });

  it('takes as many records as have space, and more after a commit', async () => {
    const file = newFile();
    const store = await begun(file);
    const large = { ...put('large', 0), value: 'x'.repeat(MOST_RECORDED_BYTES / 2) } as RowChange;
    expect(await store.record([large])).toBe(1);
    expect(await store.record([large])).toBeNull();
    await store.commit([large], 1);
    expect(await store.record([large])).toBe(2);
    expect(keysIn(await open(file).recorded())).toEqual(['large']);
  });

  it('is readable only by its owner', async () => {
    const file = newFile();
    await (await begun(file)).record([put('a', 1)]);
    expect(statSync(`${file}-recorded`).mode & 0o077).toBe(0);
  });
});

describe('the in-memory ClientStore', () => {
  it('answers when the caller lets it and not before', async () => {
    const waiting: Array<() => void> = [];
    const store = new MemoryClientStore({ delay: (run) => waiting.push(run) });
    const told: string[] = [];
    void store.load().then(() => told.push('loaded'));
    await Promise.resolve();
    expect(told).toEqual([]);
    for (const run of waiting.splice(0)) run();
    await Promise.resolve();
    expect(told).toEqual(['loaded']);
  });

  it('forgets a commit that was unfinished when its process died', async () => {
    const waiting: Array<() => void> = [];
    const store = new MemoryClientStore({ delay: (run) => waiting.push(run) });
    void store.load();
    void store.commit([{ table: 'meta', key: 'a', value: 1 }]);
    const next = store.load();
    for (const run of waiting.splice(0)) run();
    expect((await next).meta.size).toBe(0);
    const again = store.load();
    for (const run of waiting.splice(0)) run();
    expect((await again).meta.size).toBe(0);
  });

  it('requires a load first and takes one commit at a time', async () => {
    const store = new MemoryClientStore({ delay: (run) => setImmediate(run) });
    expect(() => store.commit([])).toThrow('loaded before');
    await store.load();
    const first = store.commit([]);
    expect(() => store.commit([])).toThrow('one commit at a time');
    await first;
  });
});

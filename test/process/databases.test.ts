/**
 * A database in the folder, written by SQLite itself, with a log beside it or with a rollback journal. Each file goes by itself, so what
 * another laptop has while it is written may be of different moments. Promised is: where the program rests, even in the middle of a
 * transaction, and the folder has been flushed, the files together are those of one moment, which SQLite finds whole.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const TRANSACTIONS = 20;
const ROWS = 25;
const BURSTS = 3;

const bench = twoLaptops();
const { a, b } = bench;

/** The files of a database by name, without the shared memory of SQLite, which belongs to one machine. */
function filesOf(folder: string, name: string): string[] {
  return readdirSync(folder).filter((file) => file.startsWith(name) && !file.endsWith('-shm'));
}

let copies = 0;

/** Opens a copy of the files of the other laptop, since opening them changes them, and returns what SQLite finds. */
function opened(name: string): { check: unknown; rows: number; last: number } {
  const there = bench.path(`copy-${(copies += 1)}`);
  mkdirSync(there);
  for (const file of filesOf(b.folder, name)) copyFileSync(join(b.folder, file), join(there, file));
  const copy = new Database(join(there, name));
  const check = copy.pragma('integrity_check', { simple: true });
  const found = copy.prepare('select count(*) as rows, max(n) as last from t').get();
  copy.close();
  return { check, ...(found as { rows: number; last: number }) };
}

function expectSameFiles(name: string): void {
  expect(filesOf(b.folder, name)).toEqual(filesOf(a.folder, name));
  for (const file of filesOf(a.folder, name)) {
    const [here, there] = [a, b].map(({ folder }) => readFileSync(join(folder, file)));
    expect(there?.equals(here ?? Buffer.alloc(0))).toBe(true);
  }
}

describe('a database that is written in the folder', () => {
  it.each(['wal', 'delete'] as const)(
    'is intact on the other laptop when it rests (journal mode %s)',
    async (mode) => {
      const name = `${mode}.db`;
      const database = new Database(join(a.folder, name));
      database.pragma(`journal_mode = ${mode}`);
      // This makes SQLite write a transaction before its end.
      database.pragma('cache_size = 4');
      database.exec('create table t (n integer primary key, filler text)');
      const insert = database.prepare('insert into t values (?, ?)');
      let count = 0;
      const more = (): void => {
        for (let row = 0; row < ROWS; row++) insert.run((count += 1), 'x'.repeat(800));
      };
      const burst = (): void => {
        for (let done = 0; done < TRANSACTIONS; done++) database.transaction(more)();
      };
      for (let round = 0; round < BURSTS; round++) {
        burst();
        const flushing = bench.flush(a);
        // This flush sees none or a part of it.
        burst();
        await flushing;
        await bench.flush(a, b);
        expectSameFiles(name);
        expect(opened(name)).toEqual({ check: 'ok', rows: count, last: count });
      }

      const committed = count;
      database.exec('begin immediate');
      for (let done = 0; done < TRANSACTIONS; done++) more();
      database.prepare('update t set filler = ? where n % 3 = 0').run('y'.repeat(800));
      await bench.flush(a, b);
      expectSameFiles(name);
      expect(filesOf(b.folder, name).length).toBe(2);
      expect(opened(name)).toEqual({ check: 'ok', rows: committed, last: committed });
      database.exec('commit');
      database.close();
      await bench.flush(a, b);
      expectSameFiles(name);
      expect(opened(name)).toEqual({ check: 'ok', rows: count, last: count });
    },
  );
});

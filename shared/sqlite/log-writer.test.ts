import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openDatabase, type Sqlite } from './database.ts';
import { LogWriter, logWriter, type Writer } from './log-writer.ts';

const FRAME = 4096 + 24;
/** However slow the machine is, the thread is not given up. */
const LONG_MS = 3_600_000;

let folder: string;
let file: string;
let database: Sqlite;
const others: Sqlite[] = [];
const writers: LogWriter[] = [];
const threads: HeldWriter[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-log-writer-'));
  file = join(folder, 'rows.db');
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(join(folder, 'migrations', '0001-rows.sql'), 'CREATE TABLE t (b BLOB) STRICT;');
  database = openDatabase(file, join(folder, 'migrations'));
  database.pragma('synchronous = NORMAL');
});
afterEach(async () => {
  for (const { passes } of threads.splice(0)) for (const pass of passes) pass.resolve();
  for (const writer of writers.splice(0)) await writer.close();
  for (const other of others.splice(0)) other.close();
  database.close();
  rmSync(folder, { recursive: true });
});

/** A commit of about so many pages. */
function commit(pages = 20): void {
  database.prepare('INSERT INTO t VALUES (zeroblob(?))').run((pages - 1) * 4096);
}

/** The pages of the log, and those that are written back. */
function log(): { length: number; written: number } {
  const [found] = database.pragma('wal_checkpoint(NOOP)') as [
    { log: number; checkpointed: number },
  ];
  return { length: found.log, written: found.checkpointed };
}

/** Passes that end when they are told to, as a thread would do them. */
class HeldWriter implements Writer {
  readonly #connection = new Database(file, { timeout: 0 });
  passes: Array<PromiseWithResolvers<void>> = [];
  abandoned = false;
  /** At the end of a pass. */
  ends: () => void = () => void this.#connection.pragma('wal_checkpoint(PASSIVE)');

  constructor() {
    threads.push(this);
    others.push(this.#connection);
  }

  run(): Promise<void> {
    const pass = Promise.withResolvers<void>();
    this.passes.push(pass);
    return pass.promise;
  }

  async end(): Promise<void> {
    this.ends();
    this.passes.at(-1)?.resolve();
    await settled();
  }

  close = (): Promise<void> => Promise.resolve();
  abandon = (): void => void (this.abandoned = true);
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function begun(options: ConstructorParameters<typeof LogWriter>[2] = {}) {
  const thread = new HeldWriter();
  const begins: number[] = [];
  const writer = new LogWriter(
    database,
    () => {
      begins.push(log().length);
      return thread;
    },
    { pages: 100, mostPages: 400, ...options },
  );
  writers.push(writer);
  return { writer, thread, begins };
}

/** A commit, and whether it is answered at once. */
async function commitWith(writer: LogWriter): Promise<{ isHeld: boolean; answer: Promise<void> }> {
  commit();
  let isHeld = true;
  const answer = writer.committed().then(() => void (isHeld = false));
  await settled();
  return { isHeld, answer };
}

describe("the log of a database whose writer is a thread's", () => {
  it("is never written back on JavaScript's thread while commits go on", async () => {
    const { writer, thread } = begun();
    for (let made = 0; made < 18; made++) {
      commit();
      await writer.committed();
      expect(log().written).toBe(0);
    }
    expect(thread.passes).toHaveLength(1);
    await thread.end();
    expect(log().written).toBe(log().length);
  });

  it('begins anew when a pass has found all of it, and no commit waits', async () => {
    const { writer, thread, begins } = begun();
    for (let made = 0; made < 100; made++) {
      commit();
      await writer.committed();
      if (thread.passes.length > 0) await thread.end();
    }
    expect(begins).toHaveLength(1);
    expect(log().length).toBeLessThan(150);
  });

  it('holds a commit at its greatest length until the latest ones are written back', async () => {
    const { writer, thread } = begun({ pages: 200 });
    const reader = new Database(file, { readonly: true });
    others.push(reader);
    // Commits follow each other closely: there is one in each pass.
    thread.ends = () => {
      reader.exec('BEGIN; SELECT count(*) FROM t');
      commit();
      others[0]?.pragma('wal_checkpoint(PASSIVE)');
      reader.exec('COMMIT');
    };
    let last = await commitWith(writer);
    for (let made = 0; !last.isHeld; made++) {
      expect(made).toBeLessThan(100);
      if (thread.passes.length > 0) await thread.end();
      last = await commitWith(writer);
    }
    expect(log().length).toBeGreaterThanOrEqual(400);
    expect(log().length).toBeLessThan(600);
    thread.ends = () => void others[0]?.pragma('wal_checkpoint(PASSIVE)');
    await thread.end();
    await last.answer;
    commit();
    expect(log().length).toBeLessThan(100);
  });

  it('holds a commit at twice that length while a pass does not end', async () => {
    const { writer, thread } = begun();
    while (log().length < 780) expect((await commitWith(writer)).isHeld).toBe(false);
    expect(thread.passes).toHaveLength(1);
    const { isHeld, answer } = await commitWith(writer);
    expect(isHeld).toBe(true);
    await thread.end();
    await thread.end();
    await answer;
    expect(thread.passes).toHaveLength(2);
    expect(log().written).toBe(log().length);
  });

  it('holds one commit in many while a reader needs it, and begins anew after that', async () => {
    const { writer, thread } = begun();
    const reader = new Database(file, { readonly: true });
    others.push(reader);
    reader.exec('BEGIN; SELECT count(*) FROM t');
    const held: boolean[] = [];
    for (let made = 0; made < 120; made++) {
      if (made === 100) reader.exec('COMMIT');
      const { isHeld, answer } = await commitWith(writer);
      if (thread.passes.length > 0) await thread.end();
      await answer;
      if (made < 100) held.push(isHeld);
      if (made === 99) expect(log().length).toBeGreaterThan(1500);
    }
    const count = held.filter((each) => each).length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(25);
    expect(log().length).toBeLessThan(600);
  });

  it('is not looked at within the next transaction, and its writer goes on after that', async () => {
    const { writer, thread } = begun();
    for (let made = 0; made < 10; made++) commit();
    database.exec('BEGIN IMMEDIATE');
    await writer.committed();
    expect(thread.passes).toHaveLength(0);
    database.exec('COMMIT');
    await writer.committed();
    expect(thread.passes).toHaveLength(1);
    expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
  });

  it('is written back by SQLite when the thread has ended', async () => {
    const { writer, thread } = begun();
    thread.run = () => Promise.reject(new Error('it has ended'));
    for (let made = 0; made < 100; made++) {
      commit();
      await writer.committed();
    }
    expect(thread.abandoned).toBe(true);
    expect(log().length).toBeLessThan(200);
  });

  it('is written back by SQLite when there can be no thread', async () => {
    const writer = new LogWriter(
      database,
      () => {
        throw new Error('no thread');
      },
      { pages: 100, mostPages: 400 },
    );
    writers.push(writer);
    for (let made = 0; made < 100; made++) {
      commit();
      await writer.committed();
    }
    expect(log().length).toBeLessThan(200);
  });

  it('is written back by SQLite when the thread does not answer, and the held commit goes on', async () => {
    const { writer, thread } = begun({ patienceMs: 0 });
    // The first commit that is held waits until patience is over.
    for (let made = 0; made < 100; made++) {
      commit();
      await writer.committed();
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    commit();
    await writer.committed();
    commit();
    expect(thread.abandoned).toBe(true);
    expect(log().length).toBeLessThan(200);
  });
});

describe('the thread of a log', () => {
  const real = (): LogWriter => {
    const writer = logWriter(database, { pages: 200, mostPages: 1000, patienceMs: LONG_MS });
    writers.push(writer);
    return writer;
  };

  it('keeps the log short beside commits without a rest, and loses none of them', async () => {
    const writer = real();
    for (let made = 0; made < 600; made++) {
      commit();
      await writer.committed();
    }
    expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
    expect(statSync(`${file}-wal`).size).toBeLessThan(2500 * FRAME);
    await writer.close();
    database.close();
    expect(readdirSync(folder).sort()).toEqual(['migrations', 'rows.db']);
    database = openDatabase(file, join(folder, 'migrations'));
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.prepare('SELECT count(*) FROM t').pluck().get()).toBe(600);
  });

  it('ends after the pass under way when the database is closed', async () => {
    const writer = real();
    for (let made = 0; made < 15; made++) {
      commit();
      void writer.committed();
    }
    await writer.close();
    database.close();
    expect(readdirSync(folder).sort()).toEqual(['migrations', 'rows.db']);
    database = openDatabase(file, join(folder, 'migrations'));
  });

  it('leaves another file alone that came to the place of the database', async () => {
    const writer = real();
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    rmSync(file);
    copyFileSync(copy, file);
    const before = statSync(file);
    for (let made = 0; made < 150; made++) {
      commit();
      await writer.committed();
    }
    const { size, mtimeMs } = statSync(file);
    expect({ size, mtimeMs }).toEqual({ size: before.size, mtimeMs: before.mtimeMs });
    await writer.close();
    expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(200);
  });
});

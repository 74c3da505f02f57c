/**
 * Writes the log of a database back beside JavaScript.
 *
 * SQLite does it in the commit that makes the log long: two syncs and the copying in between, on the thread that everybody waits for. Here a thread does it on
 * a connection of its own (`PASSIVE`), while commits go on. The log begins anew with the first commit that finds all of it written back, so beside commits
 * that follow each other closely it never would. So from MOST_PAGES on a commit is not answered before one more pass, which has only the latest ones to write. If
 * passes can't keep up, a commit waits for whatever is under way, too.
 *
 * Invariants
 * 1. One pass is under way at a time, and none when the database is closed: who closes it last takes the log away.
 * 2. A commit waits for one pass that was begun after it, at most, and for the one before that where the log is twice as long.
 * 3. Without the thread (it ended, or is stuck) SQLite does it in the commits, as it does by itself.
 * 4. While a reader keeps the log from being written back, as a backup does, a commit waits only once in PAGES.
 */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { FileOfDatabase, Sqlite } from './database.ts';

/** Pages that are not written back: from here on the thread begins. */
const PAGES = 4000;
/** Pages of the log from which on commits wait for what is left: 64 MB. */
const MOST_PAGES = 16_000;
/** A commit waits for a pass that has no more than this share of PAGES to write: another one goes before it, if need be, while commits go on. */
const LITTLE = 0.25;
/** A pass takes milliseconds, and some seconds on a very slow disk. */
const PATIENCE_MS = 30_000;

/** What does the work. */
export interface Writer {
  /** One pass. Rejects, or never ends, when it is gone. */
  run(): Promise<void>;
  /** After the pass that is under way; it has no connection any more. */
  close(): Promise<void>;
  /** Nobody waits for it any more. */
  abandon(): void;
}

interface Options {
  readonly pages: number;
  readonly mostPages: number;
  readonly patienceMs: number;
}

/** Has a thread write back the log of a database, and holds commits when the log is long. */
export class LogWriter {
  readonly #database: Sqlite;
  readonly #begin: () => Writer;
  readonly #options: Options;
  #thread: Writer | null = null;
  #running: Promise<void> | null = null;
  /** Of the log: its length as last seen, and when the last pass began. */
  #length = 0;
  #tried = 0;
  #holdsFrom: number;
  #isGone = false;

  /** `begin`: makes the thread when it is first needed. */
  constructor(
    database: Sqlite,
    begin: () => Writer,
    { pages = PAGES, mostPages = MOST_PAGES, patienceMs = PATIENCE_MS }: Partial<Options> = {},
  ) {
    this.#database = database;
    this.#begin = begin;
    this.#options = { pages, mostPages, patienceMs };
    this.#holdsFrom = mostPages;
    database.pragma('wal_autocheckpoint = 0');
  }

  /** After each commit. Resolves when the next one may be written. Never rejects. */
  async committed(): Promise<void> {
    const found = this.#look();
    if (found === null) return;
    const { length, written } = found;
    const { pages, mostPages } = this.#options;
    if (length < this.#length) [this.#tried, this.#holdsFrom] = [0, mostPages];
    this.#length = length;
    const fresh = length - Math.max(written, this.#tried);
    const isMuchTooLong = length >= this.#holdsFrom + mostPages;
    if (isMuchTooLong) await this.#running;
    else if (this.#running !== null) return;
    if (isMuchTooLong || (length >= this.#holdsFrom && fresh <= pages * LITTLE)) {
      this.#holdsFrom = length + pages;
      await this.#passOver();
    } else if (fresh >= pages || length >= this.#holdsFrom) {
      void this.#passOver();
    }
  }

  /** Before the database is closed. */
  async close(): Promise<void> {
    this.#isGone = true;
    await this.#running;
    const thread = this.#thread;
    this.#thread = null;
    if (thread !== null && !(await this.#within(thread.close()))) thread.abandon();
  }

  /** Null: it can't be told now, or is not to be looked after any more. */
  #look(): { readonly length: number; readonly written: number } | null {
    // Within the next transaction SQLite does not say.
    if (this.#isGone || this.#database.inTransaction) return null;
    try {
      const [found] = this.#database.pragma('wal_checkpoint(NOOP)') as [
        { log: number; checkpointed: number },
      ];
      return { length: found.log, written: found.checkpointed };
    } catch {
      this.#giveUp();
      return null;
    }
  }

  #passOver(): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    this.#running ??= this.#runOnce();
    return this.#running;
  }

  async #runOnce(): Promise<void> {
    this.#tried = this.#length;
    try {
      this.#thread ??= this.#begin();
      if (!(await this.#within(this.#thread.run()))) this.#giveUp();
    } catch {
      this.#giveUp();
    } finally {
      this.#running = null;
    }
  }

  /** False: it has not ended in time, or not well. */
  async #within(work: Promise<void>): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), this.#options.patienceMs);
    try {
      return await Promise.race([work.then(() => true), late.promise]);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** From now on SQLite does it. */
  #giveUp(): void {
    this.#thread?.abandon();
    this.#thread = null;
    if (this.#isGone) return;
    this.#isGone = true;
    this.#database.pragma(`wal_autocheckpoint = ${this.#options.pages}`);
  }
}

/** For a database that was just opened. */
export function logWriter(database: Sqlite, options: Partial<Options> = {}): LogWriter {
  const { dev, ino } = statSync(database.name);
  const begin = (): Writer => writeBackThread({ file: database.name, dev, ino });
  return new LogWriter(database, begin, options);
}

function writeBackThread(about: FileOfDatabase): Writer {
  const worker = new Worker(new URL('./write-back-thread.ts', import.meta.url), {
    name: 'write-back',
    workerData: about,
  });
  let answer: PromiseWithResolvers<void> | null = null;
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      answer?.reject(new Error('the thread has ended'));
      resolve();
    });
  });
  worker.on('error', () => undefined);
  worker.on('message', () => {
    worker.unref();
    answer?.resolve();
    answer = null;
  });
  const ask = (message: 'pass' | 'close'): void => {
    worker.ref();
    worker.postMessage(message);
  };
  return {
    run: () => {
      answer = Promise.withResolvers<void>();
      ask('pass');
      return answer.promise;
    },
    close: () => {
      ask('close');
      return ended;
    },
    abandon: () => {
      worker.unref();
      void worker.terminate();
    },
  };
}

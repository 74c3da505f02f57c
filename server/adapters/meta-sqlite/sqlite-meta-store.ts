/**
 * The MetaStore over SQLite (migrations/server).
 *
 * SQLite answers at once, on this thread: a look-up is microseconds, and the one slow thing, the sync at the end of a group
 * commit, is paid once for many updates, and goes on beside JavaScript. A load is one transaction, so what it reads is one state even while an administrator's
 * process writes; those of one turn share it, for to begin and to end one costs more than most of them.
 *
 * A commit may be written in turns. There is one connection, which would read what is half written: so whatever is asked meanwhile waits until the
 * transaction has ended.
 */
import type { AccessAnswer, AccessQuestion, Asker } from '../../../shared/model/decide-access.ts';
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type {
  AnyRow,
  DeviceAccess,
  FirstState,
  RowKey,
  RowWrite,
  StoredState,
  StoredVolumes,
} from '../../../shared/model/stored.ts';
import type { MetaStore, WritingTurns } from '../../../shared/ports/meta-store.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { LogSync, type SyncsData } from '../../../shared/sqlite/log-sync.ts';
import { logWriter } from '../../../shared/sqlite/log-writer.ts';
import { assert, present } from '../../../shared/util/assert.ts';
import { askAccess } from './access-rows.ts';
import { accessOfDevice } from './account-rows.ts';
import { readRow } from './read-row.ts';
import { openOwnServerDatabase } from './server-database.ts';
import { makeShared } from './make-shared.ts';
import { Statements } from './statements.ts';
import { storeError } from './store-error.ts';
import { allVolumes, epochOf, makeFirstState, storedState } from './stored-state.ts';
import { writeEach, writeRows } from './write-row.ts';

interface Opened {
  readonly database: Sqlite;
  readonly statements: Statements;
  /** Each in one transaction. Made once: to make one costs more than a small one takes. */
  readonly readAll: (loads: ReadonlyArray<readonly RowKey[]>) => AnyRow[][];
  readonly writeAll: (writes: readonly RowWrite[]) => void;
  /** The same a row at a time. */
  readonly writeEach: (writes: readonly RowWrite[]) => Iterator<void, void>;
  readonly accessOf: (devices: readonly DeviceId[]) => DeviceAccess[];
  readonly volumes: () => StoredVolumes;
  readonly askAccess: (question: AccessQuestion, asker: Asker) => AccessAnswer;
}

interface Load {
  readonly keys: readonly RowKey[];
  readonly resolve: (rows: readonly AnyRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The metadata store in SQLite. Loads of one turn share a transaction; commits are synced off the
 * main thread.
 */
export class SqliteMetaStore implements MetaStore {
  readonly #file: string;
  readonly #host: SyncsData | null;
  readonly #openFile: (file: string) => Sqlite;
  #log: LogSync | null = null;
  #opened: Opened | null = null;
  /** Of this turn. */
  readonly #loads: Load[] = [];
  /** Ends when the commit that is being written in turns is written; null: there is none. */
  #writing: Promise<void> | null = null;
  /** SQLite's count of the commits of others, as last seen. */
  #dataVersion = 0;

  /** `host` null: SQLite syncs its commits on this thread. `openFile`: for a test that wants a database with limits. */
  constructor(
    file: string,
    host: SyncsData | null = null,
    openFile: (file: string) => Sqlite = openOwnServerDatabase,
  ) {
    this.#file = file;
    this.#host = host;
    this.#openFile = openFile;
  }

  open(first: FirstState): Promise<StoredState> {
    return answer(() => {
      assert(this.#opened === null, 'a store is opened once');
      const database = this.#openFile(this.#file);
      try {
        const statements = new Statements(database);
        this.#dataVersion = dataVersionOf(statements);
        if (epochOf(statements) === null) {
          database.transaction(() => makeFirstState(statements, first)).immediate();
        }
        const epoch = present(epochOf(statements), 'a store has an epoch');
        const state = database.transaction(() => storedState(statements, epoch))();
        this.#log =
          this.#host === null ? null : LogSync.of(database, this.#host, (its) => logWriter(its));
        this.#opened = prepared(database, statements);
        return state;
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  load(keys: readonly RowKey[]): Promise<readonly AnyRow[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly AnyRow[]>();
    this.#loads.push({ keys, resolve, reject });
    if (this.#loads.length === 1) queueMicrotask(() => this.#loadAll());
    return promise;
  }

  #loadAll(): void {
    // It is called again when all is written.
    if (this.#writing !== null) return;
    const loads = this.#loads.splice(0);
    if (loads.length === 0) return;
    try {
      const rows = this.#here().readAll(loads.map(({ keys }) => keys));
      for (const [index, { resolve }] of loads.entries()) resolve(rows[index] ?? []);
    } catch (error) {
      if (loads.length > 1) this.#loadEach(loads);
      else for (const { reject } of loads) reject(storeError(error));
    }
  }

  /** A row that can't be read is the failure of who asked for it. */
  #loadEach(loads: readonly Load[]): void {
    for (const { keys, resolve, reject } of loads) {
      answer(() => this.#here().readAll([keys])[0] ?? []).then(resolve, reject);
    }
  }

  async commit(writes: readonly RowWrite[], turns?: WritingTurns): Promise<void> {
    await (turns === undefined
      ? answer(() => this.#here().writeAll(writes))
      : this.#writeInTurns(writes, turns));
    await this.#log?.synced();
  }

  #writeInTurns(writes: readonly RowWrite[], turns: WritingTurns): Promise<void> {
    const written = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.#writing = ended.promise;
    const end = (): void => {
      this.#writing = null;
      ended.resolve();
      this.#loadAll();
    };
    try {
      const rows = this.#here().writeEach(writes);
      const writeOn = (): void => {
        try {
          while (rows.next().done !== true) if (turns.isOver()) return turns.goOn(writeOn);
          written.resolve();
        } catch (error) {
          written.reject(storeError(error));
        }
        end();
      };
      writeOn();
    } catch (error) {
      written.reject(storeError(error));
      end();
    }
    return written.promise;
  }

  /** Another commit may have begun when the one before has ended. */
  async #written(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async changedOutside(): Promise<boolean> {
    await this.#written();
    return answer(() => {
      const before = this.#dataVersion;
      this.#dataVersion = dataVersionOf(this.#here().statements);
      return this.#dataVersion !== before;
    });
  }

  async accessOf(devices: readonly DeviceId[]): Promise<readonly DeviceAccess[]> {
    await this.#written();
    return answer(() => this.#here().accessOf(devices));
  }

  async volumes(): Promise<StoredVolumes> {
    await this.#written();
    return answer(() => this.#here().volumes());
  }

  async askAccess(question: AccessQuestion, asker: Asker): Promise<AccessAnswer> {
    await this.#written();
    const given = await answer(() => this.#here().askAccess(question, asker));
    if (given.answer === 'done' || given.answer === 'made') await this.#log?.synced();
    return given;
  }

  async close(): Promise<void> {
    await this.#written();
    this.#loadAll();
    const log = this.#log;
    this.#log = null;
    await log?.closeWriter();
    await answer(() => {
      this.#opened?.database.close();
      this.#opened = null;
    });
    await log?.close();
  }

  #here(): Opened {
    return present(this.#opened, 'the store is open');
  }
}

function prepared(database: Sqlite, statements: Statements): Opened {
  const write = database.transaction((writes: readonly RowWrite[]) => {
    writeRows(statements, writes);
  });
  const ask = database.transaction((question: AccessQuestion, asker: Asker) => {
    const answer = askAccess(statements, question, asker);
    if (answer.answer !== 'done') return answer;
    const made = answer.writes.find((write) => write.what === 'volume');
    return made === undefined ? answer : makeShared(statements, made);
  });
  return {
    database,
    statements,
    readAll: database.transaction((loads: ReadonlyArray<readonly RowKey[]>) =>
      loads.map((keys) => {
        const walked = new Set<Fid>();
        return keys.map((key) => readRow(statements, key, walked));
      }),
    ),
    // The write lock first: a transaction that began by reading can't wait for another process's.
    writeAll: (writes) => write.immediate(writes),
    writeEach: (writes) => transactionOf(database, writeEach(statements, writes)),
    accessOf: database.transaction((devices: readonly DeviceId[]) =>
      devices
        .map((device) => accessOfDevice(statements, device))
        .filter((access) => access !== null),
    ),
    volumes: database.transaction(() => allVolumes(statements)),
    askAccess: (question, asker) => ask.immediate(question, asker),
  };
}

/** The same as a whole transaction, a step at a time. */
function* transactionOf(database: Sqlite, work: Generator<void, void>): Generator<void, void> {
  database.exec('BEGIN IMMEDIATE');
  try {
    yield* work;
    database.exec('COMMIT');
  } finally {
    // It was not committed, and SQLite may have ended it by itself.
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

function dataVersionOf(statements: Statements): number {
  const row = statements.get<{ data_version: number }>('PRAGMA data_version');
  return present(row, 'SQLite counts').data_version;
}

/** The answer, or the error as the port has it, always by way of the promise. */
function answer<T>(work: () => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  try {
    resolve(work());
  } catch (error) {
    reject(storeError(error));
  }
  return promise;
}

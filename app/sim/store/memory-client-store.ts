/**
 * The ClientStore port in memory, for the simulator.
 *
 * It outlives the processes that use it: each one begins with `load`. A commit takes effect when `delay` runs it, a moment
 * before it is answered; one that has not got there when the next process loads never does, as with a power failure.
 *
 * Rows are kept as JSON, as on a disk: who changes an object after handing it over changes nothing here.
 */
import { compareNames } from '../../../shared/model/names.ts';
import { CLIENT_TABLES } from '../../../shared/ports/client-store.ts';
import type {
  ClientRows,
  ClientStore,
  ClientTable,
  MetaValue,
  RowChange,
} from '../../../shared/ports/client-store.ts';
import { Troubles } from '../disk/troubles.ts';
import { assert } from '../../../shared/util/assert.ts';

/** Tables whose keys are numbers; the others' are text. */
const NUMBERED: ReadonlySet<ClientTable> = new Set(['volume', 'update', 'adjustment', 'conflict']);

export interface MemoryClientStoreOptions {
  /** Runs what it is given, now or later, in the order given; at once where it is left out. */
  readonly delay?: (run: () => void) => void;
  /** Hears what has just become durable, whoever is alive to be told. */
  readonly saved?: (changes: readonly RowChange[]) => void;
}

export class MemoryClientStore implements ClientStore {
  /** Asked before each commit: an error makes it fail with nothing changed. */
  fault: ((changes: readonly RowChange[]) => Error | null) | null = null;
  /** Asked with the method: an error makes it fail with nothing changed. */
  readonly troubles = new Troubles<[keyof ClientStore], Error>();
  readonly #delay: (run: () => void) => void;
  readonly #saved: (changes: readonly RowChange[]) => void;
  readonly #tables = new Map(CLIENT_TABLES.map((table) => [table, new Map<string, string>()]));
  /** The process that loaded last; commits of earlier ones come to nothing. */
  #life = 0;
  #open = false;
  #committing = false;

  constructor(options: MemoryClientStoreOptions = {}) {
    this.#delay = options.delay ?? ((run) => run());
    this.#saved = options.saved ?? (() => undefined);
  }

  /** Everything is as it is in that one now. */
  copyFrom(other: MemoryClientStore): void {
    for (const table of CLIENT_TABLES) {
      const rows = this.#table(table);
      rows.clear();
      for (const [key, json] of other.#table(table)) rows.set(key, json);
    }
  }

  /** A value of `meta`, as the next process would find it. */
  meta(key: string): MetaValue | undefined {
    const json = this.#table('meta').get(key);
    return json === undefined ? undefined : (JSON.parse(json) as MetaValue);
  }

  load(): Promise<ClientRows> {
    this.#life += 1;
    this.#open = true;
    this.#committing = false;
    return this.#answer(() => {
      this.#meet('load');
      const tables = CLIENT_TABLES.map((table) => [table, this.#rowsOf(table)] as const);
      return Object.fromEntries(tables) as unknown as ClientRows;
    });
  }

  commit(changes: readonly RowChange[]): Promise<void> {
    assert(this.#open, 'a store is loaded before the first commit');
    assert(!this.#committing, 'one commit at a time');
    this.#committing = true;
    const life = this.#life;
    const written = changes.map(({ table, key, value }) => {
      assert(!NUMBERED.has(table) || isNumber(key), 'the key is a number', { table, key });
      return { table, key, json: value === undefined ? null : JSON.stringify(value) };
    });
    return this.#answer(() => {
      if (life !== this.#life) return;
      this.#committing = false;
      const error = this.fault?.(changes) ?? null;
      if (error !== null) throw error;
      this.#meet('commit');
      for (const { table, key, json } of written) {
        if (json === null) this.#table(table).delete(key);
        else this.#table(table).set(key, json);
      }
      this.#saved(changes);
    });
  }

  /** What is durable in a table, as the next process would load it. */
  rows<T extends ClientTable>(table: T): ClientRows[T] {
    return this.#rowsOf(table) as ClientRows[T];
  }

  close(): Promise<void> {
    this.#open = false;
    return this.#answer(() => undefined);
  }

  #meet(method: keyof ClientStore): void {
    const trouble = this.troubles.first(method);
    if (trouble !== null) throw trouble;
  }

  /** In the order of keys and not of writing, as a database has them. */
  #rowsOf(table: ClientTable): ReadonlyMap<string, unknown> {
    const rows = [...this.#table(table)].sort(([a], [b]) =>
      NUMBERED.has(table) ? Number(a) - Number(b) : compareNames(a, b),
    );
    return new Map(rows.map(([key, json]) => [key, JSON.parse(json) as unknown]));
  }

  #table(table: ClientTable): Map<string, string> {
    return this.#tables.get(table) as Map<string, string>;
  }

  #answer<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#delay(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}

function isNumber(key: string): boolean {
  return Number.isSafeInteger(Number(key)) && String(Number(key)) === key;
}

/**
 * The ClientStore port in memory, for the simulator.
 *
 * It outlives the processes that use it: each one begins with `recorded` or `load`. A commit takes effect when `delay` runs it, a moment
 * before it is answered; one that has not got there when the next process begins never does, as with a power failure. What is recorded
 * outlives the process too; `losePower` leaves any first part of it.
 *
 * Rows are kept as JSON, as on a disk: who changes an object after handing it over changes nothing here.
 */
import { compareNames } from '../../../../shared/model/names.ts';
import { CLIENT_TABLES } from '../../../../shared/ports/client-store.ts';
import type {
  ClientRows,
  ClientStore,
  ClientTable,
  MetaValue,
  Recorded,
  RowChange,
  RowDamage,
} from '../../../../shared/ports/client-store.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Later } from '../clock/later.ts';
import { Troubles } from '../disk/troubles.ts';
import { assert } from '../../../../shared/util/assert.ts';

/** Tables whose keys are numbers; the others' are text. */
const NUMBERED: ReadonlySet<ClientTable> = new Set(['volume', 'update', 'adjustment', 'conflict']);

export interface MemoryClientStoreOptions {
  /** Runs what it is given, now or later, in the order given; at once where it is left out. */
  readonly delay?: Later;
  /** The same for what is recorded, which waits for no commit; left out: the same. */
  readonly recordDelay?: Later;
  /** Called with what has just become durable, even if its process has ended. */
  readonly saved?: (changes: readonly RowChange[]) => void;
  /** The same of what is recorded. */
  readonly recorded?: (changes: readonly RowChange[]) => void;
}

interface Written {
  readonly table: ClientTable;
  readonly key: string;
  readonly json: string | null;
}

/** Implements the ClientStore port in memory, with the losses of a power failure. */
export class MemoryClientStore implements ClientStore {
  /** Asked before each commit: an error makes it fail with nothing changed. */
  fault: ((changes: readonly RowChange[]) => Error | null) | null = null;
  /** Asked with the method: an error makes it fail with nothing changed. */
  readonly troubles = new Troubles<[keyof ClientStore], Error>();
  readonly #delay: Later;
  readonly #recordDelay: Later;
  readonly #saved: (changes: readonly RowChange[]) => void;
  readonly #recorded: (changes: readonly RowChange[]) => void;
  readonly #tables = new Map(CLIENT_TABLES.map((table) => [table, new Map<string, string>()]));
  #spoilt: RowDamage[] = [];
  #isLoaded = false;
  /** Not committed. */
  #records: Array<{ number: number; isDoubtful: boolean; written: readonly Written[] }> = [];
  #lastRecord = 0;
  /** The process that began last; commits of earlier ones come to nothing. */
  #life = 0;
  /** What is being recorded when the power goes is nowhere. */
  #powerLost = 0;
  #open = false;
  #committing = false;
  #recording = false;

  constructor(options: MemoryClientStoreOptions = {}) {
    this.#delay = options.delay ?? ((run) => run());
    this.#recordDelay = options.recordDelay ?? this.#delay;
    this.#saved = options.saved ?? (() => undefined);
    this.#recorded = options.recorded ?? (() => undefined);
  }

  /** Everything is as it is in that one now. */
  copyFrom(other: MemoryClientStore): void {
    for (const table of CLIENT_TABLES) {
      const rows = this.#table(table);
      rows.clear();
      for (const [key, json] of other.#table(table)) rows.set(key, json);
    }
    this.#records = other.#records.map((record) => ({ ...record, isDoubtful: true }));
    this.#lastRecord = other.#lastRecord;
  }

  /** A row is not as it was committed any more; without a key, one of the table is gone. */
  spoil(table: ClientTable, key: string | null = null): void {
    const gone = key ?? [...this.#table(table).keys()].at(-1);
    if (gone !== undefined) this.#table(table).delete(gone);
    const altered = key === null ? [] : [key];
    this.#spoilt.push({ table, altered, incomplete: key === null });
  }

  damage(): readonly RowDamage[] {
    return [...this.#spoilt];
  }

  /** A value of `meta`, as the next process would find it. */
  meta(key: string): MetaValue | undefined {
    const json = this.#table('meta').get(key);
    return json === undefined ? undefined : (JSON.parse(json) as MetaValue);
  }

  /** How much a loss of power may take. */
  get recordsLeft(): number {
    return this.#records.length;
  }

  /** The machine has lost power: without a random source nothing is left that was not committed. */
  losePower(random: SeededRandom | null = null): void {
    this.#powerLost += 1;
    const left = random?.below(this.#records.length + 1) ?? 0;
    this.#records = this.#records.slice(0, left).map((record) => ({ ...record, isDoubtful: true }));
  }

  load(): Promise<ClientRows> {
    this.#begin();
    return this.#answer(() => {
      this.#meet('load');
      this.#isLoaded = true;
      const tables = CLIENT_TABLES.map((table) => [table, this.#rowsOf(table)] as const);
      return Object.fromEntries(tables) as unknown as ClientRows;
    });
  }

  recorded(): Promise<readonly Recorded[]> {
    this.#begin();
    return this.#answer(() => {
      this.#meet('recorded');
      return this.#records.map(({ number, isDoubtful, written }) => ({
        ...{ number, isDoubtful },
        changes: written.map(changeOf),
      }));
    });
  }

  record(changes: readonly RowChange[]): Promise<number | null> {
    assert(this.#open, 'a store is loaded before the first record');
    assert(!this.#recording, 'one record at a time');
    this.#recording = true;
    const [life, powerLost] = [this.#life, this.#powerLost];
    const written = changes.map(writtenOf);
    return this.#answer(() => {
      if (life !== this.#life || powerLost !== this.#powerLost) return null;
      this.#recording = false;
      const isRefused = this.fault?.(changes) ?? this.troubles.first('record');
      if (isRefused !== null) return null;
      this.#lastRecord += 1;
      this.#records.push({ number: this.#lastRecord, isDoubtful: false, written });
      this.#recorded(changes);
      return this.#lastRecord;
    }, this.#recordDelay);
  }

  commit(changes: readonly RowChange[], upTo = 0): Promise<void> {
    assert(this.#open, 'a store is loaded before the first commit');
    assert(!this.#committing, 'one commit at a time');
    this.#committing = true;
    const life = this.#life;
    const written = changes.map(writtenOf);
    return this.#answer(
      () => {
        if (life !== this.#life) return;
        this.#committing = false;
        const error = this.fault?.(changes) ?? null;
        if (error !== null) throw error;
        this.#meet('commit');
        if (this.#isLoaded) this.#spoilt = [];
        for (const { table, key, json } of written) {
          if (json === null) this.#table(table).delete(key);
          else this.#table(table).set(key, json);
        }
        this.#records = this.#records.filter(({ number }) => number > upTo);
        this.#lastRecord = Math.max(this.#lastRecord, upTo);
        this.#saved(changes);
      },
      this.#delay,
      true,
    );
  }

  /** What is durable in a table, as the next process would load it. */
  rows<T extends ClientTable>(table: T): ClientRows[T] {
    return this.#rowsOf(table) as ClientRows[T];
  }

  close(): Promise<void> {
    this.#open = false;
    return this.#answer(() => undefined);
  }

  #begin(): void {
    this.#life += 1;
    this.#open = true;
    this.#isLoaded = false;
    this.#committing = false;
    this.#recording = false;
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

  #answer<T>(work: () => T, delay: Later = this.#delay, syncs = false): Promise<T> {
    return new Promise((resolve, reject) => {
      delay(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }, syncs);
    });
  }
}

function writtenOf({ table, key, value }: RowChange): Written {
  assert(!NUMBERED.has(table) || isNumber(key), 'the key is a number', { table, key });
  return { table, key, json: value === undefined ? null : JSON.stringify(value) };
}

function changeOf({ table, key, json }: Written): RowChange {
  const value: unknown = json === null ? undefined : JSON.parse(json);
  return { table, key, value } as RowChange;
}

function isNumber(key: string): boolean {
  return Number.isSafeInteger(Number(key)) && String(Number(key)) === key;
}

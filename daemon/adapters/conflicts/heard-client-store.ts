/**
 * Observes commits of the client's store, so that changes of the list of conflicts need no polling: the list is one of its tables.
 * It also counts written rows, as a measure of work.
 */
import type {
  ClientRows,
  ClientStore,
  Recorded,
  RowChange,
  RowDamage,
} from '../../../shared/ports/client-store.ts';

/**
 * A client store that calls back after each commit, and after each that changed the list of
 * conflicts.
 */
export class HeardClientStore implements ClientStore {
  /** Called after each such commit. */
  heard: () => void = () => undefined;
  /** Called after each commit, with how many rows it had. */
  wrote: (rows: number) => void = () => undefined;
  readonly #store: ClientStore;

  constructor(store: ClientStore) {
    this.#store = store;
  }

  load(): Promise<ClientRows> {
    return this.#store.load();
  }

  damage(): readonly RowDamage[] {
    return this.#store.damage();
  }

  recorded(): Promise<readonly Recorded[]> {
    return this.#store.recorded();
  }

  record(changes: readonly RowChange[]): Promise<number | null> {
    return this.#store.record(changes);
  }

  async commit(changes: readonly RowChange[], upTo?: number): Promise<void> {
    await this.#store.commit(changes, upTo);
    this.wrote(changes.length);
    if (changes.some(({ table }) => table === 'conflict')) this.heard();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

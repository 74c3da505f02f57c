/** Single values that outlive the daemon, by their keys: rows of the table `meta`. */
import type { MetaValue } from '../../shared/ports/client-store.ts';
import type { Outbox } from './effects.ts';

/** Keeps the single durable values of the client in memory, and stages each change. */
export class Meta {
  readonly #out: Outbox;
  readonly #values = new Map<string, MetaValue>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  /** As the run before left them. */
  load(rows: ReadonlyMap<string, MetaValue>): void {
    for (const [key, value] of rows) this.#values.set(key, value);
  }

  get(key: string): MetaValue | undefined {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  set(key: string, value: MetaValue): void {
    this.#values.set(key, value);
    this.#out.put('meta', key, value);
  }

  drop(key: string): void {
    this.#values.delete(key);
    this.#out.drop('meta', key);
  }
}

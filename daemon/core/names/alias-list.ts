/** Fids of ours that have become other vnodes. The rows are durable. What they mean: aliases.ts. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { AliasRow } from '../../../shared/ports/client-store.ts';
import type { Outbox } from '../effects.ts';

/** Keeps the durable aliases of fids. */
export class AliasList {
  readonly #out: Outbox;
  readonly #rows = new Map<Fid, AliasRow>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  /** As the run before left them. */
  load(rows: ReadonlyMap<string, AliasRow>): void {
    for (const [fid, alias] of rows) this.#rows.set(fid as Fid, alias);
  }

  get size(): number {
    return this.#rows.size;
  }

  get(fid: Fid): AliasRow | undefined {
    return this.#rows.get(fid);
  }

  has(fid: Fid): boolean {
    return this.#rows.has(fid);
  }

  [Symbol.iterator](): IterableIterator<[Fid, AliasRow]> {
    return this.#rows[Symbol.iterator]();
  }

  put(fid: Fid, alias: AliasRow): void {
    this.#rows.set(fid, alias);
    this.#out.put('alias', fid, alias);
  }

  drop(fid: Fid): void {
    this.#rows.delete(fid);
    this.#out.drop('alias', fid);
  }
}

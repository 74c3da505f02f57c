/** The conflicts a person has not dealt with yet: what the status shows until they are dismissed. */
import type { ConflictRow } from '../../../shared/ports/client-store.ts';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { Outbox } from '../effects.ts';

export class ConflictList {
  readonly #out: Outbox;
  readonly #rows = new Map<number, ConflictRow>();
  #lastId = 0;

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, ConflictRow>, lastId: number): void {
    const ids = [...rows.keys()].map(Number).sort((a, b) => a - b);
    for (const id of ids) this.#rows.set(id, rows.get(String(id)) as ConflictRow);
    this.#lastId = lastId;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(row: ConflictRow): number {
    this.#lastId += 1;
    this.#out.put('meta', 'last-conflict', this.#lastId);
    this.#rows.set(this.#lastId, row);
    this.#out.put('conflict', this.#lastId, row);
    return this.#lastId;
  }

  /** The copy got another path after all. */
  renamed(copy: string, to: string): void {
    for (const [id, row] of this.#rows) {
      if (row.copy !== copy) continue;
      this.#rows.set(id, { ...row, copy: to });
      this.#out.put('conflict', id, { ...row, copy: to });
    }
  }

  dismiss(id: number): void {
    if (this.#rows.delete(id)) this.#out.drop('conflict', id);
  }

  /** The newest first. */
  newest(most: number): ConflictStatus[] {
    return [...this.#rows]
      .slice(-most)
      .reverse()
      .map(([id, row]) => ({ id, ...row }));
  }
}

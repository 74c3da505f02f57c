/**
 * What a person wants to have here always: files, and folders with all that is in them, now and later. A pin is of a vnode, so it goes
 * along when that is renamed, and what takes its name by a safe save inherits it (rule W3).
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { PinRow } from '../../../shared/ports/client-store.ts';
import type { Outbox } from '../effects.ts';

/**
 * Keeps the durable set of pinned vnodes, each with its row, in the order in which they were
 * pinned.
 */
export class Pins {
  readonly #out: Outbox;
  readonly #pins = new Map<Fid, PinRow>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, PinRow>): void {
    for (const [fid, row] of rows) this.#pins.set(fid as Fid, row);
  }

  get size(): number {
    return this.#pins.size;
  }

  /** In the order in which they were pinned. */
  all(): Fid[] {
    return [...this.#pins.keys()];
  }

  has(fid: Fid): boolean {
    return this.#pins.has(fid);
  }

  set(fid: Fid, row: PinRow): void {
    this.#pins.set(fid, row);
    this.#out.put('pin', fid, row);
  }

  drop(fid: Fid): void {
    if (this.#pins.delete(fid)) this.#out.drop('pin', fid);
  }

  /** What takes the place of a pinned vnode is pinned. */
  inherit(from: Fid, to: Fid): void {
    const row = this.#pins.get(from);
    if (row === undefined) return;
    this.drop(from);
    this.set(to, row);
  }
}

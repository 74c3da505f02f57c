/**
 * What a person wants to have here always: files, and folders with all that is in them, now and later; and folders that are not to be on this disk
 * (rule X1). Either is of a vnode, so it goes along when that is renamed. What takes the name of a pinned file by a safe save inherits the pin (W3).
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { PinRow } from '../../../shared/ports/client-store.ts';
import type { Outbox } from '../effects.ts';

/**
 * Keeps the durable set of vnodes that are pinned (or excluded), each with its row, in the order in
 * which they were.
 */
export class Pins {
  readonly #out: Outbox;
  readonly #table: 'pin' | 'excluded';
  readonly #pins = new Map<Fid, PinRow>();

  constructor(out: Outbox, table: 'pin' | 'excluded') {
    this.#out = out;
    this.#table = table;
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
    this.#out.put(this.#table, fid, row);
  }

  drop(fid: Fid): void {
    if (this.#pins.delete(fid)) this.#out.drop(this.#table, fid);
  }

  /** What takes the place of a pinned vnode is pinned. */
  inherit(from: Fid, to: Fid): void {
    const row = this.#pins.get(from);
    if (row === undefined) return;
    this.drop(from);
    this.set(to, row);
  }
}

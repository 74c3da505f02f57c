/** How long the lookup of a row of each kind takes, measured. Pure: the caller says how long its lookups took. */
import type { RowKey } from '../../shared/model/stored.ts';

type Kind = RowKey['kind'];

/** Before anything was measured, milliseconds. */
const FIRST = 0.02;
/** What the last part says counts so much; one that was far off is taken for a pause of the machine. */
const NEWS = 0.2;
const MOST_OFF = 4;
const [LEAST, MOST] = [0.001, 5];

/** Estimates the time to look one row up, in milliseconds, by kind. */
export class RowPaces {
  readonly #paces = new Map<Kind, number>();

  /** Milliseconds of one. */
  of(kind: Kind): number {
    return this.#paces.get(kind) ?? FIRST;
  }

  /** Rows of these kinds took `took` together where `reckoned` was reckoned, milliseconds. */
  measured(kinds: ReadonlySet<Kind>, took: number, reckoned: number): void {
    if (reckoned <= 0) return;
    const off = Math.min(Math.max(took / reckoned, 1 / MOST_OFF), MOST_OFF);
    for (const kind of kinds) {
      const pace = this.of(kind) * (1 + NEWS * (off - 1));
      this.#paces.set(kind, Math.min(Math.max(pace, LEAST), MOST));
    }
  }
}

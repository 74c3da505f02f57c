/**
 * What moved in the last minutes by class and direction, once a second: what the graphs draw and the table beside them says. Times are
 * milliseconds of one clock that never goes back.
 */
import type { TrafficRates } from '../../../shared/control/snapshot.ts';
import { PRIORITY_CLASSES, type PriorityClass } from '../../../shared/model/priority-class.ts';

export type Direction = 'up' | 'down';

/** Five minutes. */
export const MOST_SAMPLES = 300;

interface Sample {
  readonly at: number;
  readonly rates: TrafficRates;
}

export interface RateRow {
  readonly priorityClass: PriorityClass;
  readonly up: number;
  readonly down: number;
}

const NOTHING = { up: 0, down: 0 };
const STILL: TrafficRates = {
  ...NOTHING,
  classes: Object.fromEntries(PRIORITY_CLASSES.map((name) => [name, NOTHING])) as Record<
    PriorityClass,
    typeof NOTHING
  >,
};

/** Keeps the rates of the last `MOST_SAMPLES` samples by class and direction, in bytes a second. */
export class RateHistory {
  readonly #samples: Sample[] = [];

  /** `rates` null: there is no daemon to tell, and nothing moves. */
  add(at: number, rates: TrafficRates | null): void {
    this.#samples.push({ at, rates: rates ?? STILL });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }

  /** Seconds before the newest sample (0, and negative before), and for each class, most urgent first, bytes a second then. */
  series(way: Direction): number[][] {
    const newest = this.#samples.at(-1)?.at ?? 0;
    const times = this.#samples.map(({ at }) => (at - newest) / 1000);
    const lines = PRIORITY_CLASSES.map((name) =>
      this.#samples.map(({ rates }) => rates.classes[name][way]),
    );
    return [times, ...lines];
  }

  /** What moves now, by class, and all of it (with what no class has: acknowledgements, handshakes). */
  now(): { readonly rows: readonly RateRow[]; readonly all: { up: number; down: number } } {
    const { classes, up, down } = this.#samples.at(-1)?.rates ?? STILL;
    const rows = PRIORITY_CLASSES.map((name) => ({ priorityClass: name, ...classes[name] }));
    return { rows, all: { up, down } };
  }
}

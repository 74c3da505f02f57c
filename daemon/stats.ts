/** What a daemon counts, since its start or since a time: `godwit stats`. */
import type { StatsReport } from '../shared/control/stats.ts';
import {
  callCounts,
  CALL_VALUES,
  STEPS_MS,
  type NamedCalls,
} from '../shared/metrics/named-calls.ts';
import { Samples } from '../shared/metrics/samples.ts';
import type { Clock, Timers } from '../shared/ports/clock.ts';
import { SPARED_VALUES, sparedCounts } from './core/log/spared.ts';
import type { ClientState } from './core/state.ts';
import { LOOK_VALUES, lookCounts } from './core/waits/look-counts.ts';

/** What counts. */
export interface StatsSource {
  readonly calls: Pick<NamedCalls, 'values'>;
  readonly core: Pick<ClientState, 'looks' | 'spared'>;
}

/** Where each of them begins in a sample. */
const LOOKS_AT = CALL_VALUES;
const SPARED_AT = LOOKS_AT + LOOK_VALUES;

/** Keeps samples of all that is counted, and reports what came since. */
export class DaemonStats {
  readonly #samples: Samples;

  constructor({ calls, core }: StatsSource, time: { clock: Clock; timers: Timers }) {
    const now = new Float64Array(SPARED_AT + SPARED_VALUES);
    const read = (): Float64Array => {
      now.set(calls.values);
      now.set(core.looks.values, LOOKS_AT);
      now.set(core.spared.values, SPARED_AT);
      return now;
    };
    this.#samples = new Samples(read, time);
  }

  /** What came in the last `ms` milliseconds, or in a little more; null: since the start. */
  report(ms: number | null): StatsReport {
    const { since, until, isSinceStart, values } = this.#samples.since(ms);
    return {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      forMs: until - since,
      isSinceStart,
      stepsMs: STEPS_MS,
      calls: callCounts(values.subarray(0, LOOKS_AT)),
      looks: lookCounts(values.subarray(LOOKS_AT, SPARED_AT)).filter(({ count }) => count > 0),
      spared: sparedCounts(values.subarray(SPARED_AT)).filter(({ updates }) => updates > 0),
    };
  }

  close(): void {
    this.#samples.close();
  }
}

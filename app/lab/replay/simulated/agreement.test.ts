/**
 * Whether the simulated line is as the real one: replays beside what the same ones came to with real processes over the relay, on two cores
 * that had other work (load 10 to 13, single runs). `godwit bench NAME --simulate --against FILE` does the same with whole experiments.
 */
import { expect, it } from '@jest/globals';
import { generateTrace } from '../../trace/generate/generators.ts';
import { replay } from '../engine/replay.ts';
import { PlanBuilder } from '../plan/replay-plan.ts';
import { SimulatedWorld } from './simulated-world.ts';

interface Real {
  readonly workload: string;
  readonly kilobytes: number;
  /** Until all was committed. */
  readonly seconds: number;
  /** Bytes that came out of the relay, with headers. */
  readonly up: number;
  readonly down: number;
}

const REAL: readonly Real[] = [
  { workload: 'multigrep', kilobytes: 256, seconds: 9.59, up: 139_706, down: 2_289_482 },
  { workload: 'grep', kilobytes: 64, seconds: 39.41, up: 217_958, down: 2_399_405 },
];
/** What goes back beside contents depends on how long acknowledgements wait for a busy core, and on packets that are smaller after a loss. */
const MOST_OFF = 0.03;
const MOST_BACK_OFF = 0.15;
const MOST_SECONDS_OFF = 0.1;

it.each(REAL)(
  'the simulated $workload at $kilobytes KB/s agrees with the real one',
  async ({ workload, kilobytes, ...real }) => {
    const builder = new PlanBuilder();
    const trace = generateTrace(workload, 1);
    for (const record of trace?.records ?? []) builder.add(record);
    const { signal } = new AbortController();
    const world = new SimulatedWorld({ seed: 1, scheduling: 'priorities', signal });
    const rate = [{ atMs: 0, bytesPerSecond: kilobytes * 1024 }];
    const result = await replay(world, {
      plan: builder.finish([]),
      settings: {
        ...{ policy: 'async', scheduling: 'priorities', laptops: 1, pace: 'real' },
        // The real ones are of before files were read ahead.
        prefetch: false,
        lines: [{ rate, roundTripMs: 0, queueMs: 100 }],
      },
      signal,
      onProgress: () => undefined,
    }).finally(() => world.close());
    const { up = 0, down = 0 } = result.byLaptop[0]?.crossed ?? {};
    expect(Math.abs(up / real.up - 1)).toBeLessThan(MOST_BACK_OFF);
    expect(Math.abs(down / real.down - 1)).toBeLessThan(MOST_OFF);
    expect(Math.abs(result.drained / real.seconds - 1)).toBeLessThan(MOST_SECONDS_OFF);
  },
);

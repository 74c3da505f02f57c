/** One run of an experiment, as plain data: it goes to another thread, and names its result. */
import type { RateStep } from '../../shaper/conditions.ts';
import type { ConsistencyChange } from '../../../../shared/model/consistency.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import type { Baseline } from '../engine/baseline.ts';
import type { ReplaySettings } from '../engine/replay.ts';
import type { ReplayResult } from '../engine/replay-result.ts';

export interface Cell {
  /** Of `godwit trace generate`, or a file. */
  readonly workload: string;
  readonly policy: WritebackPolicy;
  readonly scheduling: Scheduling;
  readonly rate: readonly RateStep[];
  /** By the file groups of the workload. */
  readonly prefetch?: boolean;
  /** How paths begin that are in the cache before. */
  readonly warm: readonly string[];
  /** Their promises are gone. */
  readonly expired: boolean;
  readonly stopAtMs?: number;
  /** Periods are distinguished. */
  readonly marksMs?: readonly number[];
  /** Another laptop, over a line of its own, to which every other process goes. */
  readonly second?: readonly RateStep[];
  readonly consistency?: ConsistencyChange;
  /** Programs that begin anew as long as another one runs. */
  readonly repeats?: readonly string[];
  /** No process waits for what another did. */
  readonly apart?: boolean;
  /** Of the path without a queue, milliseconds; left out: none. */
  readonly roundTripMs?: number;
  /** What it runs without; left out: nothing. */
  readonly baseline?: Baseline;
}

/** Of the path without a queue where a cell has none of its own, and of the queue before it: as MFS's emulated links, near and short. */
const ROUND_TRIP_MS = 0;
const QUEUE_MS = 100;
/** Of each laptop: "256 MB" (MFS, section 3.4). */
const CACHE_BYTES = 256 * 1024 * 1024;

export const KB = 1024;

/** Makes a bandwidth that never changes. `kilobytes`: a second, of `KB` bytes each. */
export const constant = (kilobytes: number): readonly RateStep[] => [
  { atMs: 0, bytesPerSecond: kilobytes * KB },
];

/** Turns a cell into the settings of its replay, with one laptop or two. */
export function settingsOf(cell: Cell): ReplaySettings {
  const { policy, scheduling, rate, warm, expired, second, consistency, repeats } = cell;
  const { prefetch, stopAtMs, marksMs, roundTripMs = ROUND_TRIP_MS, baseline } = cell;
  const rates = second === undefined ? [rate] : [rate, second];
  return {
    ...{ policy, scheduling, warm, expired, laptops: rates.length, pace: 'real' },
    cacheBytes: CACHE_BYTES,
    lines: rates.map((each) => {
      return { rate: each, roundTripMs, queueMs: QUEUE_MS };
    }),
    ...(baseline === undefined ? {} : { baseline }),
    ...(prefetch === undefined ? {} : { prefetch }),
    ...(marksMs === undefined ? {} : { marksMs }),
    ...(stopAtMs === undefined ? {} : { stopAtMs }),
    ...(consistency === undefined ? {} : { consistency }),
    ...(repeats === undefined ? {} : { repeats }),
  };
}

/** The same for cells that are the same run. */
export const keyOf = (cell: Cell): string => JSON.stringify(cell);

/** So many of them, spread over all, the first and the last among them; each run once, though several experiments have it. */
export function sampleOf(cells: readonly Cell[], count: number): readonly Cell[] {
  const once = [...new Map(cells.map((cell) => [keyOf(cell), cell])).values()];
  if (count >= once.length) return once;
  const step = count < 2 ? 0 : (once.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => once[Math.round(index * step)]).filter(
    (cell) => cell !== undefined,
  );
}

/** For people: what is under way. */
export function titleOf({ workload, policy, scheduling, rate, prefetch }: Cell): string {
  const [first] = rate;
  const link = rate.length === 1 ? `${(first?.bytesPerSecond ?? 0) / KB} KB/s` : 'a changing line';
  const ahead = prefetch === undefined ? '' : `, ${prefetch ? 'with' : 'without'} prefetch`;
  return `${workload}, ${link}, ${policy}, ${scheduling}${ahead}`;
}

/** What of a frame is contents: 1,442 of 1,514 bytes. */
const CONTENTS_SHARE = 0.952;

/** The least time that contents can take over a line, seconds. */
export const leastSeconds = (bytes: number, kilobytesPerSecond: number): number =>
  bytes / (CONTENTS_SHARE * kilobytesPerSecond * KB);

/** When a program of it ended, seconds. */
export function endOf({ processes }: ReplayResult, program: string): number {
  const ends = processes.filter((process) => process.program === program);
  return Math.max(0, ...ends.map(({ ended }) => ended));
}

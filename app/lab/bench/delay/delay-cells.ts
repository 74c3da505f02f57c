/** The lines on which `godwit bench delay` measures: rates, queues and round trips each with each, and some that change or lose. */
import type { RateStep } from '../../shaper/conditions.ts';

export type Direction = 'up' | 'down' | 'both';

export interface DelayCell {
  /** What sets it apart from the others; empty: nothing but its numbers. */
  readonly name: string;
  readonly direction: Direction;
  /** From when bulk begins. */
  readonly rate: readonly RateStep[];
  /** What waits before the line at most. */
  readonly queueMs: number;
  /** Of the path without a queue. */
  readonly roundTripMs: number;
  readonly loss: number;
}

export interface CellSettings {
  /** Bytes a second, with headers. */
  readonly rates: readonly number[];
  readonly queuesMs: readonly number[];
  readonly roundTripsMs: readonly number[];
  readonly direction: Direction;
  /** Those that change or lose, too. */
  readonly changing: boolean;
  /** From when bulk begins until the end. */
  readonly ms: number;
}

/** The rate falls to this part for the middle third, and is back for the last. */
const FALL = 1 / 16;
const LOSS = 0.01;
const CHANGING = { queueMs: 1000, roundTripMs: 50 };

/**
 * Combines all rates, queues and round trips into cells, and adds the changing and lossy lines if
 * asked.
 */
export function cellsOf(settings: CellSettings): DelayCell[] {
  const { rates, queuesMs, roundTripsMs, direction } = settings;
  const plain = rates.flatMap((bytesPerSecond) =>
    queuesMs.flatMap((queueMs) =>
      roundTripsMs.map((roundTripMs) => {
        const rate = [{ atMs: 0, bytesPerSecond }];
        return { name: '', direction, rate, queueMs, roundTripMs, loss: 0 };
      }),
    ),
  );
  return settings.changing ? [...plain, ...changingCells(settings)] : plain;
}

function changingCells({ rates, direction, ms }: CellSettings): DelayCell[] {
  const most = Math.max(...rates);
  const steps = [most, most * FALL, most].map((bytesPerSecond, third) => {
    return { atMs: Math.round((third * ms) / 3), bytesPerSecond: Math.round(bytesPerSecond) };
  });
  const one = { ...CHANGING, direction };
  return [
    { ...one, name: 'falls to a 16th', rate: steps, loss: 0 },
    { ...one, name: 'loses 1 %', rate: [{ atMs: 0, bytesPerSecond: most }], loss: LOSS },
  ];
}

/** What a line of that rate carries between two moments, bytes. */
export function carried(rate: readonly RateStep[], fromMs: number, untilMs: number): number {
  let bytes = 0;
  for (const [index, { atMs, bytesPerSecond }] of rate.entries()) {
    const endMs = rate[index + 1]?.atMs ?? Infinity;
    const ms = Math.min(untilMs, endMs) - Math.max(fromMs, atMs);
    if (ms > 0) bytes += (ms / 1000) * bytesPerSecond;
  }
  return bytes;
}

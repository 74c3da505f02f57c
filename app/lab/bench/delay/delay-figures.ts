/** What an urgent message waits beside bulk, each figure beside what the bulk window has to hold. */
import { formatTable } from '../../../cli/format.ts';
import { percentile } from '../link/received.ts';
import type { DelayCell, Direction } from './delay-cells.ts';
import { NO_ANSWER_MS, type Answers } from './urgent-messages.ts';

/** Of what the line carries, headers counted. */
export const LEAST_SHARE = 0.97;
/** What 95 in 100 round trips of an urgent message take at most over what they take without bulk. */
export const MOST_DELAY_MS: Record<Direction, number> = { up: 60, down: 60, both: 110 };

/** Of urgent messages beside something. */
export interface Delays {
  /** Over the idle line: the middle, what 5 in 100 exceed, and the longest. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  readonly urgent: number;
  /** Those that had no answer in time. They count with that time, which is less than they took. */
  readonly unanswered: number;
}

export interface CellFigure extends DelayCell, Delays {
  /** Of an urgent message, without bulk: the middle. */
  readonly idleMs: number;
  /** Of what the line carries; null: no bulk went that way. */
  readonly up: number | null;
  readonly down: number | null;
  /** Null: nothing is demanded of a line that changes or loses. */
  readonly met: boolean | null;
}

export interface Measured extends Answers {
  readonly idleMs: readonly number[];
  readonly up: number;
  readonly down: number;
}

/**
 * Works out the delays and shares of one cell, and whether they meet the target. `met` is null for
 * the changing and lossy lines, which have no target.
 */
export function cellFigure(cell: DelayCell, measured: Measured): CellFigure {
  const idleMs = middle(measured.idleMs);
  const delays = delaysOver(idleMs, measured);
  const [up, down] = byWay(cell.direction, (way) => thousandths(measured[way]));
  const filled = [up, down].every((share) => share === null || share >= LEAST_SHARE);
  const isMet = filled && delays.urgent > 0 && delays.p95Ms <= MOST_DELAY_MS[cell.direction];
  const met = cell.name === '' ? isMet : null;
  return { ...cell, idleMs, ...delays, up, down, met };
}

/**
 * Works out by how many milliseconds urgent messages were slower than on the idle line. A message
 * without an answer counts as `NO_ANSWER_MS`.
 */
export function delaysOver(idleMs: number, { answeredMs, unanswered }: Answers): Delays {
  const late = Array.from({ length: unanswered }, () => NO_ANSWER_MS);
  const urgent = inOrder([...answeredMs, ...late]);
  const over = (share: number): number => tenths(percentile(urgent, share) - idleMs);
  return {
    p50Ms: over(0.5),
    p95Ms: over(0.95),
    mostMs: over(1),
    urgent: urgent.length,
    unanswered,
  };
}

export const middle = (values: readonly number[]): number =>
  tenths(percentile(inOrder(values), 0.5));

/** Up and down; null: nothing goes that way. */
export function byWay<T>(
  direction: Direction,
  of: (way: 'up' | 'down') => T,
): [up: T | null, down: T | null] {
  return [direction === 'down' ? null : of('up'), direction === 'up' ? null : of('down')];
}

const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const tenths = (value: number): number => Math.round(value * 10) / 10;
/** Of a share. */
export const thousandths = (share: number): number => Math.round(share * 1000) / 1000;

/** Writes the figures of all cells as a table for people. */
export function cellLines(figures: readonly CellFigure[]): string[] {
  const title = ['KB/s', 'queue', 'RTT', 'bulk', 'of the line', 'idle', '50 in 100', '95 in 100'];
  const rows = figures.map((figure) => {
    const { name, direction, rate, queueMs, roundTripMs, idleMs, p50Ms, p95Ms, met } = figure;
    return [
      rateText(rate),
      `${queueMs} ms`,
      `${roundTripMs} ms`,
      direction,
      sharesText([figure.up, figure.down]),
      `${idleMs} ms`,
      `+${p50Ms} ms`,
      `+${p95Ms} ms`,
      met === null ? name : met ? 'met' : 'missed',
    ];
  });
  return formatTable([[...title, ''], ...rows], [0, 1, 2, 4, 5, 6, 7]);
}

export const rateText = (rate: DelayCell['rate']): string =>
  rate.map(({ bytesPerSecond }) => Math.round(bytesPerSecond / 1000)).join(', ');

/** Each way that something went. */
export function sharesText(shares: ReadonlyArray<number | null>): string {
  const told = shares.filter((share) => share !== null);
  return told.map((share) => `${(share * 100).toFixed(1)} %`).join(', ');
}

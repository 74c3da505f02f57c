/** What an urgent message waits beside bulk, each figure beside what the bulk window has to hold. */
import { formatTable } from '../../format.ts';
import { percentile } from '../link/received.ts';
import type { DelayCell, Direction } from './delay-cells.ts';

/** Of what the line carries, headers counted. */
export const LEAST_SHARE = 0.97;
/** How long the last urgent messages are waited for. */
export const NO_ANSWER_MS = 5000;
/** What 95 in 100 round trips of an urgent message take at most over what they take without bulk. */
export const MOST_DELAY_MS: Record<Direction, number> = { up: 60, down: 60, both: 110 };

export interface CellFigure extends DelayCell {
  /** Of an urgent message, without bulk: the middle. */
  readonly idleMs: number;
  /** Over that, beside bulk: the middle, what 5 in 100 exceed, and the longest. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  readonly urgent: number;
  /** Those that had no answer in time. They count with that time, which is less than they took. */
  readonly unanswered: number;
  /** Of what the line carries; null: no bulk went that way. */
  readonly up: number | null;
  readonly down: number | null;
  /** Null: nothing is demanded of a line that changes or loses. */
  readonly met: boolean | null;
}

export interface Measured {
  readonly idleMs: readonly number[];
  readonly urgentMs: readonly number[];
  readonly unanswered: number;
  readonly up: number;
  readonly down: number;
}

export function cellFigure(cell: DelayCell, measured: Measured): CellFigure {
  const { unanswered } = measured;
  const idle = percentile(inOrder(measured.idleMs), 0.5);
  const late = Array.from({ length: unanswered }, () => NO_ANSWER_MS);
  const urgent = inOrder([...measured.urgentMs, ...late]);
  const over = (share: number): number => tenths(percentile(urgent, share) - idle);
  const [up, down] = (['up', 'down'] as const).map((way) => {
    const goes = cell.direction === way || cell.direction === 'both';
    return goes ? Math.round(measured[way] * 1000) / 1000 : null;
  }) as [number | null, number | null];
  const p95Ms = over(0.95);
  const filled = [up, down].every((share) => share === null || share >= LEAST_SHARE);
  return {
    ...cell,
    idleMs: tenths(idle),
    p50Ms: over(0.5),
    p95Ms,
    mostMs: over(1),
    urgent: urgent.length,
    unanswered,
    up,
    down,
    met:
      cell.name === ''
        ? filled && urgent.length > 0 && p95Ms <= MOST_DELAY_MS[cell.direction]
        : null,
  };
}

const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const tenths = (value: number): number => Math.round(value * 10) / 10;

export function cellLines(figures: readonly CellFigure[]): string[] {
  const title = ['KB/s', 'queue', 'RTT', 'bulk', 'of the line', 'idle', '50 in 100', '95 in 100'];
  const rows = figures.map((figure) => {
    const { name, direction, rate, queueMs, roundTripMs, idleMs, p50Ms, p95Ms, met } = figure;
    const shares = [figure.up, figure.down].filter((share) => share !== null);
    return [
      rate.map(({ bytesPerSecond }) => Math.round(bytesPerSecond / 1000)).join(', '),
      `${queueMs} ms`,
      `${roundTripMs} ms`,
      direction,
      shares.map((share) => `${(share * 100).toFixed(1)} %`).join(', '),
      `${idleMs} ms`,
      `+${p50Ms} ms`,
      `+${p95Ms} ms`,
      met === null ? name : met ? 'met' : 'missed',
    ];
  });
  return formatTable([[...title, ''], ...rows], [0, 1, 2, 4, 5, 6, 7]);
}

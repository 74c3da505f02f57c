/** The mean of several measurements of a machine. */
import type { MachineCosts } from './replay-world.ts';

/** Null: none of them has measured anything. */
export function meanCosts(all: ReadonlyArray<MachineCosts | null>): MachineCosts | null {
  const measured = all.filter((costs) => costs !== null);
  if (measured.length === 0) return null;
  const mean = (of: (costs: MachineCosts) => number): number =>
    measured.reduce((sum, costs) => sum + of(costs), 0) / measured.length;
  const seconds = Math.max(...measured.map(({ calls }) => calls.length));
  return {
    callMs: mean(({ callMs }) => callMs),
    calls: Array.from({ length: seconds }, (_, second) => mean((costs) => callMsAt(costs, second))),
    editMs: mean(({ editMs }) => editMs),
    syncMs: mean(({ syncMs }) => syncMs),
    writeMsPerMiB: mean(({ writeMsPerMiB }) => writeMsPerMiB),
  };
}

/** No call takes less, milliseconds. */
const SHORTEST_MS = 0.001;

/**
 * How long each takes of calls that are made one after the other, by what some moments found of them: in one in which they are slow there are
 * fewer of them.
 */
export function paceOfCalls(moments: readonly number[]): number {
  const inOneMs = moments.reduce((sum, ms) => sum + 1 / Math.max(ms, SHORTEST_MS), 0);
  return moments.length / inOneMs;
}

/** Of the last second that was measured, where it is over. `second`: from the beginning on. */
export function callMsAt({ calls, callMs }: MachineCosts, second: number): number {
  return calls[Math.min(Math.floor(second), calls.length - 1)] ?? callMs;
}

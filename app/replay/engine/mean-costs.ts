/** The mean of what several measurements of a machine came to. */
import type { MachineCosts } from './replay-world.ts';

/** Null: none of them has measured anything. */
export function meanCosts(all: ReadonlyArray<MachineCosts | null>): MachineCosts | null {
  const measured = all.filter((costs) => costs !== null);
  if (measured.length === 0) return null;
  const mean = (of: (costs: MachineCosts) => number): number =>
    measured.reduce((sum, costs) => sum + of(costs), 0) / measured.length;
  return {
    callMs: mean(({ callMs }) => callMs),
    syncMs: mean(({ syncMs }) => syncMs),
    writeMsPerMiB: mean(({ writeMsPerMiB }) => writeMsPerMiB),
  };
}

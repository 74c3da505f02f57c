/** One run of an experiment, from its cell: the same on a thread and here. */
import type { MachineCosts } from '../engine/replay-world.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { ReplayProgress } from '../engine/replay.ts';
import { settingsOf, type Cell } from '../bench/cell.ts';
import { planOf } from './plan-of.ts';
import { runReplay } from './run-replay.ts';

export interface CellRun {
  readonly cell: Cell;
  /** Of the workload and of the simulated world. */
  readonly seed: number;
  readonly simulate: boolean;
  /** Of a simulated one: as in the real runs it is held against; null: the usual. */
  readonly machine: MachineCosts | null;
}

/** Runs one cell with one seed, simulated or real, and gives its result. */
export async function runCell(
  { cell, seed, simulate, machine }: CellRun,
  signal: AbortSignal,
  onProgress: (progress: ReplayProgress) => void,
): Promise<ReplayResult> {
  const { plan } = await planOf(cell.workload, { skipBad: true }, seed, cell.apart);
  const simulated = simulate ? seed : null;
  return runReplay({ plan, settings: settingsOf(cell), simulated, machine, signal, onProgress });
}

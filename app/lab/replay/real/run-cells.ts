/** Carries out the runs of experiments, each cell once however many of them want it: simulated ones on threads, real ones one by one. */
import { keyOf, titleOf, type Cell } from '../bench/cell.ts';
import type { ResultsOf } from '../bench/paper-experiment.ts';
import type { MachineCosts } from '../engine/replay-world.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import { durationText } from '../../../../shared/util/amounts.ts';
import { onThreads } from './on-threads.ts';
import { runCell, type CellRun } from './run-cell.ts';
import { progressTeller } from './run-replay.ts';

export interface RunCells {
  readonly simulate: boolean;
  /** Of each cell, with seeds from 1. */
  readonly runs: number;
  /** What the machine is to take where a cell is simulated; left out: the usual. */
  readonly machineOf?: (cell: Cell) => MachineCosts | null;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

export interface CellResults {
  readonly of: ResultsOf;
  readonly raw: ReadonlyArray<{ readonly cell: Cell; readonly runs: readonly ReplayResult[] }>;
}

/**
 * Runs each distinct cell `runs` times, with the seeds from 1 on, and gives the results by cell.
 */
export async function runCells(cells: readonly Cell[], how: RunCells): Promise<CellResults> {
  const { runs, simulate, machineOf = () => null } = how;
  const once = [...new Map(cells.map((cell) => [keyOf(cell), cell])).values()];
  const seeds = Array.from({ length: runs }, (_, index) => index + 1);
  const all = once.flatMap((cell) =>
    seeds.map((seed): CellRun => ({ cell, seed, simulate, machine: machineOf(cell) })),
  );
  const found = new Map<string, ReplayResult[]>(once.map((cell) => [keyOf(cell), []]));
  const counted = new Counter(all.length, how.onStep);
  const keep = ({ cell, seed }: CellRun, result: ReplayResult): void => {
    const results = found.get(keyOf(cell));
    if (results !== undefined) results[seed - 1] = result;
    counted.done(cell);
  };
  if (simulate) {
    const worker = new URL('./cell-worker.ts', import.meta.url);
    await onThreads({ worker, jobs: all, signal: how.signal, keep });
  } else {
    for (const run of all) {
      const show = progressTeller((line) => counted.step(run.cell, line));
      keep(run, await runCell(run, how.signal, show));
    }
  }
  const resultsOf = (cell: Cell): readonly ReplayResult[] => found.get(keyOf(cell)) ?? [];
  return { of: resultsOf, raw: once.map((cell) => ({ cell, runs: resultsOf(cell) })) };
}

/** Says how far it is, and how long it may take. */
class Counter {
  readonly #of: number;
  readonly #onStep: (step: string) => void;
  readonly #began = performance.now();
  #done = 0;

  constructor(of: number, onStep: (step: string) => void) {
    this.#of = of;
    this.#onStep = onStep;
    onStep(`0 of ${of} runs`);
  }

  done(cell: Cell): void {
    this.#done += 1;
    this.#onStep(`${this.#done} of ${this.#of} runs${this.#left()}: ${titleOf(cell)} is done`);
  }

  step(cell: Cell, line: string): void {
    this.#onStep(`${this.#done} of ${this.#of} runs${this.#left()}: ${titleOf(cell)}: ${line}`);
  }

  #left(): string {
    if (this.#done === 0 || this.#done === this.#of) return '';
    const each = (performance.now() - this.#began) / this.#done;
    return `, some ${durationText(each * (this.#of - this.#done))} left`;
  }
}

/** How near simulated runs are to real ones of the same cells: what is further off than 10 % is not to be quoted. */
import type { ReplayResult } from '../engine/replay-result.ts';
import type { Section } from '../report/html-report.ts';
import { titleOf, type Cell } from './cell.ts';
import { meanOf, type ResultsOf } from './paper-experiment.ts';

/** What is compared of a run. */
export interface RunTimes {
  readonly drained: number;
  readonly processes: ReadonlyArray<Pick<ReplayResult['processes'][number], 'program' | 'ended'>>;
}

export interface RealCell {
  readonly cell: Cell;
  readonly runs: readonly RunTimes[];
}

/** Per cent. */
const MOST_OFF = 10;
/** What is shorter is noise, seconds. */
const LEAST_SECONDS = 0.5;

/** Null: none of the real cells was simulated too. */
export function agreementOf(real: readonly RealCell[], simulated: ResultsOf): Section | null {
  const rows = real.flatMap(({ cell, runs }) => {
    const same = simulated(cell);
    return same.length === 0 ? [] : rowsOf(titleOf(cell), runs, same);
  });
  if (rows.length === 0) return null;
  const near = rows.filter(({ off }) => Math.abs(off) <= MOST_OFF).length;
  return {
    heading:
      'Simulated against real: seconds until each program ended, and until all was committed',
    text: [`${near} of ${rows.length} are within ${MOST_OFF} %; the others are not to be quoted.`],
    table: [
      ['run', 'until', 'real', 'simulated', 'off', ''],
      ...rows.map(({ title, what, real: seconds, simulated: ours, off }) => [
        ...[title, what, seconds.toFixed(1), ours.toFixed(1), `${off.toFixed(1)} %`],
        Math.abs(off) <= MOST_OFF ? '' : 'not to be quoted',
      ]),
    ],
  };
}

interface Row {
  readonly title: string;
  readonly what: string;
  readonly real: number;
  readonly simulated: number;
  /** Per cent of the real time. */
  readonly off: number;
}

function rowsOf(title: string, real: readonly RunTimes[], simulated: readonly RunTimes[]): Row[] {
  const programs = new Set(real.flatMap(({ processes }) => processes.map((each) => each.program)));
  const times = (runs: readonly RunTimes[], program: string | null): number =>
    meanOf(runs.map((run) => (program === null ? run.drained : lastOf(run, program))));
  return [...programs, null].flatMap((program): Row[] => {
    const [one, other] = [times(real, program), times(simulated, program)];
    if (one < LEAST_SECONDS) return [];
    const off = (other / one - 1) * 100;
    return [{ title, what: program ?? 'committed', real: one, simulated: other, off }];
  });
}

const lastOf = ({ processes }: RunTimes, program: string): number =>
  Math.max(0, ...processes.filter((each) => each.program === program).map(({ ended }) => ended));

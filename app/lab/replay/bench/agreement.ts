/**
 * How near simulated runs are to real ones of the same cells: what is further off than 10 % is not to be quoted. What a machine takes for calls and for
 * its disk is in none of the line's figures: a simulated run that is held against a real one is given what the real one measured of it.
 *
 * Of a few programs each one's end is compared, of many only the last read and the last write. What is very short differs by more than 10 % from
 * one real run to the next; so a tenth of a second, which nobody notices, counts as near too, and some packets do.
 */
import type { MachineCosts } from '../engine/replay-world.ts';
import { meanCosts } from '../engine/mean-costs.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { Section } from '../report/html-report.ts';
import { keyOf, titleOf, type Cell } from './cell.ts';
import { meanOf, type ResultsOf } from './paper-experiment.ts';

/** What is compared of a run. */
export interface RunTimes extends Pick<ReplayResult, 'drained' | 'lastRead' | 'lastWrite'> {
  readonly processes: ReadonlyArray<Pick<ReplayResult['processes'][number], 'program' | 'ended'>>;
  readonly byLaptop: ReadonlyArray<{
    readonly crossed: { readonly up: number; readonly down: number };
  }>;
  readonly machine: MachineCosts | null;
}

export interface RealCell {
  readonly cell: Cell;
  readonly runs: readonly RunTimes[];
}

/** Per cent. */
const MOST_OFF = 10;
const KIB = 1024;
const UNITS = {
  s: { near: 0.1, digits: 2 },
  KiB: { near: 64, digits: 0 },
} as const;
/** Further ones show in the last read and the last write. */
const MOST_PROGRAMS = 3;

/** What the machine took in the real runs of a cell; null: nothing was measured. */
export function machineOf(real: readonly RealCell[], cell: Cell): MachineCosts | null {
  const same = real.find((each) => keyOf(each.cell) === keyOf(cell));
  return meanCosts(same?.runs.map(({ machine }) => machine) ?? []);
}

/** Null: none of the real cells was simulated too. */
export function agreementOf(real: readonly RealCell[], simulated: ResultsOf): Section | null {
  const rows = real.flatMap(({ cell, runs }) => {
    const same = simulated(cell);
    return same.length === 0 ? [] : rowsOf(cell, runs, same);
  });
  if (rows.length === 0) return null;
  const near = rows.filter(isNear).length;
  const tolerance = `${MOST_OFF} %, or ${UNITS.s.near} s or ${UNITS.KiB.near} KiB`;
  return {
    heading: 'Simulated against real, with the calls and the disk of the real machine',
    text: [`${near} of ${rows.length} are within ${tolerance}; the others are not to be quoted.`],
    table: [
      ['run', 'what', 'real', 'simulated', 'off', ''],
      ...rows.map((row) => [
        ...[row.title, row.what, shownIn(row, row.real), shownIn(row, row.simulated)],
        `${offOf(row).toFixed(1)} %`,
        isNear(row) ? '' : 'not to be quoted',
      ]),
    ],
  };
}

interface Row {
  readonly title: string;
  readonly what: string;
  readonly unit: keyof typeof UNITS;
  readonly real: number;
  readonly simulated: number;
}

/** Per cent of the real one. */
const offOf = ({ real, simulated }: Row): number => (real === 0 ? 0 : (simulated / real - 1) * 100);

function isNear(row: Row): boolean {
  const { real, simulated, unit } = row;
  return Math.abs(simulated - real) <= Math.max(UNITS[unit].near, (MOST_OFF / 100) * real);
}

const shownIn = ({ unit }: Row, value: number): string =>
  `${value.toFixed(UNITS[unit].digits)} ${unit}`;

type Measure = (run: RunTimes) => number;

function rowsOf(cell: Cell, real: readonly RunTimes[], simulated: readonly RunTimes[]): Row[] {
  const row = (what: string, unit: Row['unit'], measure: Measure): Row => {
    const [one, other] = [meanOf(real.map(measure)), meanOf(simulated.map(measure))];
    return { title: titleOf(cell), what, unit, real: one, simulated: other };
  };
  const bytes = (way: 'up' | 'down'): Measure => {
    return ({ byLaptop }) => byLaptop.reduce((sum, { crossed }) => sum + crossed[way], 0) / KIB;
  };
  return [
    ...timesOf(cell, real).map(([what, measure]) => row(what, 's', measure)),
    row('up', 'KiB', bytes('up')),
    row('down', 'KiB', bytes('down')),
  ];
}

/** Of a run that is stopped none: it is over when its time is. */
function timesOf({ stopAtMs }: Cell, real: readonly RunTimes[]): Array<readonly [string, Measure]> {
  if (stopAtMs !== undefined) return [];
  const programs = new Set(real.flatMap(({ processes }) => processes.map((each) => each.program)));
  const ends: ReadonlyArray<readonly [string, Measure]> =
    programs.size <= MOST_PROGRAMS
      ? [...programs].map((program) => [program, (run) => lastOf(run, program)])
      : [
          ['last read', ({ lastRead }) => lastRead],
          ['last write', ({ lastWrite }) => lastWrite],
        ];
  return [...ends, ['committed', ({ drained }) => drained]];
}

const lastOf = ({ processes }: RunTimes, program: string): number =>
  Math.max(0, ...processes.filter((each) => each.program === program).map(({ ended }) => ended));

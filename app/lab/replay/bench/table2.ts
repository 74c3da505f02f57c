/** Table 2 of MFS: priorities and writeback schemes at 1024 KB/s, two programs side by side. */
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import { endOf, leastSeconds } from './cell.ts';
import {
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type Check,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';
import { cellOf, TESTS, type How } from './side-by-side.ts';

const POLICIES: readonly WritebackPolicy[] = ['sync', 'logging', 'async'];
const SCHEDULINGS: readonly Scheduling[] = ['uniform', 'priorities'];
const HOWS: readonly How[] = POLICIES.flatMap((policy) =>
  SCHEDULINGS.map((scheduling) => ({ policy, scheduling })),
);
const RATE = 1024;
const READ_BYTES = 16 * 1024 * 1024;
const MOST_OVER_LIMIT = 1.03;

/** Seconds, in the order of HOWS. */
const PAPER: Readonly<Record<string, readonly number[]>> = {
  'GC grep': [2.9, 3.4, 3.2, 3.1, 3.3, 3.1],
  'GC compile': [63.6, 63.0, 54.4, 48.1, 60.7, 52.6],
  'GW grep': [9.2, 8.9, 8.4, 8.5, 8.5, 8.1],
  'GW write': [10.7, 10.8, 1.7, 1.6, 1.7, 1.6],
  'RC read': [19.2, 19.5, 20.1, 20.1, 20.3, 19.8],
  'RC compile': [75.7, 78.7, 65.0, 66.0, 71.9, 68.0],
  'RW read': [34.7, 21.3, 35.0, 22.3, 35.4, 21.4],
  'RW write': [23.8, 40.3, 3.4, 3.0, 3.7, 3.1],
};

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? [RATE];

export const TABLE2: PaperExperiment = {
  name: 'table2',
  about: 'priorities and writeback schemes, two programs side by side (MFS, table 2)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) =>
      TESTS.flatMap(({ workload }) => HOWS.map((how) => cellOf(workload, how, rate))),
    ),
  report: (options, results) => {
    const rates = ratesOf(options);
    return {
      sections: rates.map((rate) => ({
        heading: `Table 2 at ${rate} KB/s: seconds until each program ended`,
        text: [`The paper's figures, at ${RATE} KB/s, stand behind the stroke.`],
        table: tableAt(rate, results),
      })),
      checks: rates.flatMap((rate) => checksAt(rate, results)),
    };
  },
};

function tableAt(rate: number, results: ResultsOf): string[][] {
  const head = HOWS.map(({ policy, scheduling }) => `${policy} ${scheduling}`);
  const rows = TESTS.flatMap(({ name, workload, foreground, background }) =>
    [foreground, background].map((program) => {
      const cells = HOWS.map((how, index) => {
        const ends = results(cellOf(workload, how, rate)).map((result) => endOf(result, program));
        const paper = rate === RATE ? PAPER[`${name} ${program}`]?.[index] : undefined;
        return shown(ends) + (paper === undefined ? '' : ` / ${paper.toFixed(1)}`);
      });
      return [name, program, ...cells];
    }),
  );
  return [['test', 'activity', ...head], ...rows];
}

function checksAt(rate: number, results: ResultsOf): Check[] {
  const mean = (workload: string, how: How, program: string): number =>
    meanOf(results(cellOf(workload, how, rate)).map((result) => endOf(result, program)));
  const limit = leastSeconds(READ_BYTES, rate);
  const queued: readonly How[] = HOWS.filter(
    ({ policy, scheduling }) => policy === 'async' && scheduling === 'priorities',
  );
  const checks = queued.flatMap((how) => [
    atMost(
      `${rate} KB/s: RW read, of the limit of the line`,
      mean('read-write', how, 'read'),
      MOST_OVER_LIMIT * limit,
    ),
    atMost(
      `${rate} KB/s: RW write returns, of the paper's`,
      mean('read-write', how, 'write'),
      PAPER['RW write']?.[5] ?? 0,
    ),
  ]);
  if (rate !== RATE) return checks;
  const best = TESTS.flatMap(({ name, workload, foreground }) => {
    const paper = PAPER[`${name} ${foreground}`]?.[5];
    if (paper === undefined) return [];
    const ours = queued.map((how) => mean(workload, how, foreground));
    return ours.map((value) => atMost(`${name} ${foreground}, of the paper's`, value, paper));
  });
  return [...checks, ...best];
}

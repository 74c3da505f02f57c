/**
 * Figure 4 of MFS: Grep beside Write, synchronous with priorities, against a client as AFS had them: our own daemon, with synchronous writes
 * and no priorities, which asks for each file by itself when its promise is gone: "Venus considers all cached files and directories suspect and
 * generates a cache validation request for the first use of each such entry" (Howard et al. 1988, section 3.1). Grep must be ahead of it. Write
 * can't be: both fill the line with the same contents, and in the paper AFS is slightly ahead there.
 */
import { endOf } from './cell.ts';
import {
  atLeast,
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';
import { cellOf, type How } from './side-by-side.ts';

const RATES = [32, 64, 128, 256, 512];
const AFS: How = { policy: 'sync', scheduling: 'uniform', asksEach: true };
const OURS: How = { policy: 'sync', scheduling: 'priorities' };
const WORKLOAD = 'grep-write';
const PROGRAMS = ['grep', 'write'] as const;
/** Per cent: as fast is not ahead. */
const LEAST_LEAD = 1;
/** Of the time as AFS has it: as fast is enough. */
const MOST_BEHIND = 1.02;

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;

export const FIG4: PaperExperiment = {
  name: 'fig4',
  about: 'Grep beside Write against a client as AFS had them (MFS, figure 4)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) => [AFS, OURS].map((how) => cellOf(WORKLOAD, how, rate))),
  isOther: ({ consistency }) => consistency?.validations === 'each',
  report: (options, results) => {
    const rates = ratesOf(options);
    const slowest = Math.min(...rates);
    return {
      sections: PROGRAMS.map((program) => {
        const base = mean(results, AFS, slowest, program);
        return {
          heading: `Figure 4, ${program}`,
          lines: [
            {
              x: 'KB/s',
              y: `speed-up over AFS at ${slowest}`,
              doubling: true,
              series: [AFS, OURS].map((how) => ({
                name: how === AFS ? 'as AFS' : 'ours',
                points: rates.map((rate) => {
                  return [rate, base / Math.max(mean(results, how, rate, program), 1e-3)] as const;
                }),
              })),
            },
          ],
          table: [
            ['', ...rates.map((rate) => `${rate} KB/s, s`)],
            ['as AFS', ...rates.map((rate) => shown(times(results, AFS, rate, program)))],
            ['ours', ...rates.map((rate) => shown(times(results, OURS, rate, program)))],
          ],
        };
      }),
      checks: rates.flatMap((rate) => {
        const [grep, write] = PROGRAMS.map((program) =>
          [AFS, OURS].map((how) => mean(results, how, rate, program)),
        ) as [[number, number], [number, number]];
        return [
          atLeast(
            `${rate} KB/s: grep, ahead of the time as AFS has it by`,
            (grep[0] / grep[1] - 1) * 100,
            LEAST_LEAD,
          ),
          atMost(
            `${rate} KB/s: write, of the time as AFS has it`,
            write[1],
            MOST_BEHIND * write[0],
          ),
        ];
      }),
    };
  },
};

function times(results: ResultsOf, how: How, rate: number, program: string): number[] {
  return results(cellOf(WORKLOAD, how, rate)).map((result) => endOf(result, program));
}

const mean = (results: ResultsOf, how: How, rate: number, program: string): number =>
  meanOf(times(results, how, rate, program));

/** Figure 4 of MFS: Grep beside Write, synchronous with priorities, against a client as AFS had them: synchronous, without. */
import { endOf } from './cell.ts';
import {
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';
import { cellOf, type How } from './side-by-side.ts';

const RATES = [32, 64, 128, 256, 512];
const AFS: How = { policy: 'sync', scheduling: 'uniform' };
const OURS: How = { policy: 'sync', scheduling: 'priorities' };
const WORKLOAD = 'grep-write';
const PROGRAMS = ['grep', 'write'] as const;
/** What two runs alike may differ by. */
const NOISE = 1.02;

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;

export const FIG4: PaperExperiment = {
  name: 'fig4',
  about: 'Grep beside Write against a client as AFS had them (MFS, figure 4)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) => [AFS, OURS].map((how) => cellOf(WORKLOAD, how, rate))),
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
      checks: rates.flatMap((rate) =>
        PROGRAMS.map((program) =>
          atMost(
            `${rate} KB/s: ${program}, of the time as AFS has it`,
            mean(results, OURS, rate, program),
            NOISE * mean(results, AFS, rate, program),
          ),
        ),
      ),
    };
  },
};

function times(results: ResultsOf, how: How, rate: number, program: string): number[] {
  return results(cellOf(WORKLOAD, how, rate)).map((result) => endOf(result, program));
}

const mean = (results: ResultsOf, how: How, rate: number, program: string): number =>
  meanOf(times(results, how, rate, program));

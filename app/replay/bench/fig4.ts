/** Figure 4 of MFS: Grep beside Write, synchronous with priorities, against a client as AFS had them: our own daemon, synchronous, without. */
import { endOf } from './cell.ts';
import {
  atLeast,
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
/** Per cent: as fast is not ahead. */
const LEAST_LEAD = 1;

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
          atLeast(
            `${rate} KB/s: ${program}, ahead of the time as AFS has it by`,
            (mean(results, AFS, rate, program) / mean(results, OURS, rate, program) - 1) * 100,
            LEAST_LEAD,
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

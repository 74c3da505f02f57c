/** Figure 3 of MFS: what priorities and asynchronous writes are worth as bandwidth falls, as speed-up over neither at 64 KB/s. */
import { endOf } from './cell.ts';
import {
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';
import type { Section } from '../report/html-report.ts';
import { cellOf, TESTS, type How, type SideBySide } from './side-by-side.ts';

const RATES = [64, 128, 256, 512, 1024];
const UNIFORM: How = { policy: 'sync', scheduling: 'uniform' };
const PRIORITIES: How = { policy: 'sync', scheduling: 'priorities' };
const ASYNC: How = { policy: 'async', scheduling: 'priorities' };
const HOWS: ReadonlyArray<readonly [string, How]> = [
  ['uniform', UNIFORM],
  ['priorities', PRIORITIES],
  ['async', ASYNC],
];
/** Of a foreground that runs alone. */
const MOST_OVER_ALONE = 1.05;

type Promises = 'expired' | 'valid';

interface Variant extends SideBySide {
  readonly title: string;
  readonly promises: Promises;
}

/** With Grep's promises gone as in the paper, and with them valid. */
const VARIANTS: readonly Variant[] = TESTS.flatMap((test) => {
  const plain: Variant = { ...test, title: test.name, promises: 'expired' };
  if (test.foreground !== 'grep') return [plain];
  return [plain, { ...test, title: `${test.name}, promises valid`, promises: 'valid' }];
});

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;

export const FIG3: PaperExperiment = {
  name: 'fig3',
  about: 'two programs side by side as bandwidth falls (MFS, figure 3)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) => [
      ...VARIANTS.flatMap(({ workload, promises }) =>
        HOWS.map(([, how]) => cellOf(workload, how, rate, promises)),
      ),
      ...VARIANTS.map(({ foreground, promises }) => cellOf(foreground, ASYNC, rate, promises)),
    ]),
  report: (options, results) => {
    const rates = ratesOf(options);
    return {
      sections: VARIANTS.map((variant) => sectionOf(variant, rates, results)),
      checks: VARIANTS.flatMap((variant) =>
        rates.map((rate) => {
          const beside = mean(results, variant, ASYNC, rate, variant.foreground);
          const alone = aloneAt(results, variant, rate);
          return atMost(
            `${variant.title} at ${rate} KB/s: ${variant.foreground} beside ${variant.background}, of it alone`,
            beside,
            MOST_OVER_ALONE * alone,
          );
        }),
      ),
    };
  },
};

function mean(
  results: ResultsOf,
  { workload, promises }: Variant,
  how: How,
  rate: number,
  program: string,
): number {
  return meanOf(timesOf(results, workload, how, rate, promises, program));
}

function timesOf(
  results: ResultsOf,
  workload: string,
  how: How,
  rate: number,
  promises: Promises,
  program: string,
): number[] {
  return results(cellOf(workload, how, rate, promises)).map((result) => endOf(result, program));
}

function aloneAt(results: ResultsOf, { foreground, promises }: Variant, rate: number): number {
  return meanOf(timesOf(results, foreground, ASYNC, rate, promises, foreground));
}

function sectionOf(variant: Variant, rates: readonly number[], results: ResultsOf): Section {
  const { title, workload, foreground, background, promises } = variant;
  const slowest = Math.min(...rates);
  const programs = [foreground, background];
  return {
    heading: `Figure 3, ${title}`,
    lines: programs.map((program) => {
      const base = mean(results, variant, UNIFORM, slowest, program);
      return {
        x: `KB/s (${program})`,
        y: `speed-up over uniform, sync at ${slowest}`,
        doubling: true,
        series: HOWS.map(([name, how]) => ({
          name,
          points: rates.map((rate) => {
            const time = mean(results, variant, how, rate, program);
            return [rate, time === 0 ? 0 : base / time] as const;
          }),
        })),
      };
    }),
    table: [
      ['activity', 'how', ...rates.map((rate) => `${rate} KB/s, s`)],
      ...programs.flatMap((program) =>
        HOWS.map(([name, how]) => [
          program,
          name,
          ...rates.map((rate) => shown(timesOf(results, workload, how, rate, promises, program))),
        ]),
      ),
      [foreground, 'alone', ...rates.map((rate) => aloneAt(results, variant, rate).toFixed(1))],
    ],
  };
}

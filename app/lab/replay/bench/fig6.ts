/**
 * Figure 6 of MFS: tests of prefetching, with and without it, as bandwidth grows. Writes are asynchronous and RPCs have priorities throughout;
 * the file groups are there in both, so only the prefetching differs. Of two programs the foreground's time counts, as in the paper.
 *
 * The paper prints no figures but in its text (section 4.3): at 1024 KB/s six of eight tests are at least 10 % faster, up to 70 %; at 64 KB/s
 * up to 10 %; and two of them are slower with prefetching. Compile is a ninth here, which the text has and the plots leave out.
 */
import type { Section } from '../report/html-report.ts';
import type { LineChart } from '../report/svg-chart.ts';
import { constant, endOf, type Cell } from './cell.ts';
import {
  atLeast,
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type Check,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';

interface PrefetchTest {
  readonly title: string;
  readonly workload: string;
  /** Whose time counts. */
  readonly program: string;
}

const COMPILE: PrefetchTest = {
  title: 'Compile',
  workload: 'compile-groups',
  program: 'compile',
};
const PLOTTED: readonly PrefetchTest[] = [
  { title: 'Bad order', workload: 'bad-order', program: 'order' },
  { title: 'Good order', workload: 'good-order', program: 'order' },
  { title: 'Bad groups', workload: 'bad-groups', program: 'bad-groups' },
  { title: 'Multigrep', workload: 'multigrep', program: 'grep' },
  { title: 'Pause', workload: 'pause', program: 'pause' },
  { title: 'Read-write', workload: 'read-write-group', program: 'read' },
  {
    title: 'Simultaneous demand fetch',
    workload: 'simultaneous-demand-fetch',
    program: 'foreground',
  },
  { title: 'Simultaneous writeback', workload: 'simultaneous-writeback', program: 'foreground' },
];
const TESTS: readonly PrefetchTest[] = [...PLOTTED, COMPILE];
const RATES = [64, 128, 256, 512, 1024];
const FASTEST = 1024;
const SLOWEST = 64;
/** Of the same without prefetching. */
const MOST_WITH = 1.02;
/** The paper's gains, per cent of the time without: of so many tests at least so much, and the largest. */
const PAPER_GAIN = { tests: 6, each: 10, largest: 70, largestSlow: 10 };

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;

const cellOf = ({ workload }: PrefetchTest, rate: number, prefetch: boolean): Cell => ({
  ...{ workload, policy: 'async', scheduling: 'priorities', rate: constant(rate) },
  ...{ warm: [], expired: false, prefetch },
});

export const FIG6: PaperExperiment = {
  name: 'fig6',
  about: 'tests of prefetching (MFS, figure 6)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) =>
      TESTS.flatMap((test) => [true, false].map((prefetch) => cellOf(test, rate, prefetch))),
    ),
  report: (options, results) => {
    const rates = ratesOf(options);
    return {
      sections: [summaryOf(rates, results)],
      checks: rates.flatMap((rate) => [
        ...TESTS.map((test) =>
          atMost(
            `${test.title} at ${rate} KB/s: with prefetch, of without`,
            meanTime(test, rate, true, results),
            MOST_WITH * meanTime(test, rate, false, results),
          ),
        ),
        ...gainChecks(rate, results),
      ]),
    };
  },
};

const times = (test: PrefetchTest, rate: number, prefetch: boolean, results: ResultsOf): number[] =>
  results(cellOf(test, rate, prefetch)).map((result) => endOf(result, test.program));

const meanTime = (...of: Parameters<typeof times>): number => meanOf(times(...of));

/** How much faster it runs, per cent: `speed-up` as the paper has it, less 1. */
function gainOf(test: PrefetchTest, rate: number, results: ResultsOf): number {
  const [ahead, plain] = [true, false].map((prefetch) => meanTime(test, rate, prefetch, results));
  return ((plain ?? 0) / Math.max(ahead ?? 0, Number.EPSILON) - 1) * 100;
}

function gainChecks(rate: number, results: ResultsOf): Check[] {
  const gains = PLOTTED.map((test) => gainOf(test, rate, results)).sort((a, b) => b - a);
  const largest = Math.max(...TESTS.map((test) => gainOf(test, rate, results)));
  if (rate === FASTEST) {
    const many = `${PAPER_GAIN.tests} of ${PLOTTED.length} tests are faster at ${rate} KB/s by`;
    return [
      atLeast(many, gains[PAPER_GAIN.tests - 1] ?? 0, PAPER_GAIN.each),
      atLeast(`one test is faster at ${rate} KB/s by`, largest, PAPER_GAIN.largest),
    ];
  }
  if (rate !== SLOWEST) return [];
  return [atLeast(`one test is faster at ${rate} KB/s by`, largest, PAPER_GAIN.largestSlow)];
}

function summaryOf(rates: readonly number[], results: ResultsOf): Section {
  return {
    heading: 'Figure 6: seconds with prefetch / without, and how much faster',
    text: ['Of two programs the time of the one that reads the files of the group.'],
    lines: chartsOf(rates, results),
    table: [
      ['test', ...rates.map((rate) => `${rate} KB/s`)],
      ...TESTS.map((test) => [
        test.title,
        ...rates.map((rate) => {
          const [ahead, plain] = [true, false].map((prefetch) =>
            shown(times(test, rate, prefetch, results)),
          );
          const gain = gainOf(test, rate, results).toFixed(0);
          return `${ahead} / ${plain}, ${gain} %`;
        }),
      ]),
    ],
  };
}

function chartsOf(rates: readonly number[], results: ResultsOf): LineChart[] {
  const slowest = Math.min(...rates);
  return TESTS.map((test) => {
    const base = meanTime(test, slowest, false, results);
    return {
      title: test.title,
      x: 'KB/s',
      y: `speed-up over none at ${slowest} KB/s`,
      doubling: true,
      series: [true, false].map((prefetch) => ({
        name: prefetch ? 'prefetch' : 'no prefetch',
        points: rates.map((rate) => {
          const time = meanTime(test, rate, prefetch, results);
          return [rate, time === 0 ? 0 : base / time] as const;
        }),
      })),
    };
  });
}

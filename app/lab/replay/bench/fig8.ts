/**
 * Figure 8 of MFS: cache consistency. A writer, whose line and configuration are varied, and a reader at 1024 KB/s of the same modules; the
 * reader goes on until the writer has really ended.
 *
 * The figure for invalidations counts the writer's RPCs of class VALIDATE: forward invalidations, and what it validates for its own reads, which
 * is the same in each configuration. Of server pulls it is the stores that were raised. A store's RPC begins here when it is handed to the
 * link, several at a time, so it waits there and not before; when all of it was committed is judged beside it, from the moment on at which
 * the trace itself ends: at 1024 KB/s the writer's two minutes are most of the run however it writes.
 *
 * A read breaks the order of updates where the reader has seen an update of the writer, and now sees of another file less than what the
 * writer had closed before that. A reader waits on a pulled file from its lookup until it is open; the file is one of which the
 * writer has contents queued then. It goes over two lines, one after the other: the bound is 1.2 times what that takes at least and a
 * round trip, which is what the writer's RPCs of class VALIDATE took on average beside all else.
 */
import type { ConsistencyChange } from '../../../../shared/model/consistency.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import type { CallSums } from '../../../../shared/metrics/call-meter.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { LineChart } from '../report/svg-chart.ts';
import { constant, endOf, leastSeconds, type Cell } from './cell.ts';
import {
  atMost,
  meanOf,
  shown,
  type BenchOptions,
  type Check,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';

interface Writer {
  readonly name: string;
  readonly policy: WritebackPolicy;
  readonly consistency: ConsistencyChange;
}

const RATES = [64, 128, 256, 512, 1024];
const READER_RATE = 1024;
const SYNCHRONOUS: Writer = { name: 'synchronous', policy: 'sync', consistency: {} };
const asynchronous = (
  name: string,
  invalidations: 'async' | 'sync' | 'no',
  storePriorities: 'differentiated' | 'uniform',
): Writer => {
  return { name, policy: 'async', consistency: { invalidations, storePriorities } };
};
const OURS = asynchronous('MFS/CC', 'async', 'differentiated');
const WRITERS: readonly Writer[] = [
  OURS,
  asynchronous('async+unif', 'async', 'uniform'),
  asynchronous('sync+diff', 'sync', 'differentiated'),
  asynchronous('sync+unif', 'sync', 'uniform'),
  asynchronous('none+diff', 'no', 'differentiated'),
  asynchronous('none+unif', 'no', 'uniform'),
  SYNCHRONOUS,
];
const TOLD = WRITERS.filter(({ name }) => name.startsWith('async') || name.startsWith('sync+'));
/** `at least 20 %` faster than synchronous writes. */
const MOST_OF_SYNCHRONOUS = 0.8;
const MOST_WAIT = 1.2;

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;

const cellOf = ({ policy, consistency }: Writer, rate: number): Cell => ({
  ...{ workload: 'consistency', policy, scheduling: 'priorities', rate: constant(rate) },
  ...{ warm: [], expired: false, second: constant(READER_RATE), consistency },
  ...{ repeats: ['reader'], apart: true },
});

type Measure = (result: ReplayResult) => number;

const allMs = (sums: Readonly<CallSums>): number =>
  sums.upQueuedMs + sums.upSentMs + sums.downQueuedMs + sums.downSentMs;

const writerClasses = ({ byLaptop, classes }: ReplayResult): ReplayResult['classes'] =>
  byLaptop[0]?.classes ?? classes;

/** Seconds. */
const storeTime: Measure = (result) => {
  const { STORE_FAST: fast, STORE_DATA: data } = writerClasses(result);
  return (allMs(fast) + allMs(data)) / Math.max(fast.calls + data.calls, 1) / 1000;
};
const fetchTime: Measure = ({ processes }) =>
  meanOf(processes.filter(({ program }) => program === 'reader').map((each) => each.meanFetchMs)) /
  1000;
const invalidations: Measure = (result) => writerClasses(result).VALIDATE.calls;
const invalidationTime: Measure = (result) => allMs(writerClasses(result).VALIDATE) / 1000;
const pulls: Measure = (result) =>
  Object.values(writerClasses(result)).reduce((sum, { raised }) => sum + raised, 0);
const stale: Measure = ({ staleReads }) => staleReads;
const drained: Measure = (result) => result.drained;
/** What it takes beyond the time that its programs thought and worked in the trace: no way of writing makes that shorter. */
const beyond: Measure = ({ drained: all, traced }) => Math.max(all - traced, 0);
const disordered: Measure = ({ disorderedReads }) => disorderedReads;
const pulledOpens: Measure = (result) => result.pulled.length;
const writerEnd: Measure = (result) => endOf(result, 'writer');

const COLUMNS: ReadonlyArray<readonly [string, Measure, number]> = [
  ['store RPC, s', storeTime, 2],
  ['reader fetch, s', fetchTime, 2],
  ['writer ended, s', writerEnd, 0],
  ['drained, s', drained, 0],
  ['VALIDATE RPCs', invalidations, 0],
  ['their time, s', invalidationTime, 1],
  ['raised', pulls, 0],
  ['stale reads', stale, 0],
  ['out of order', disordered, 0],
  ['pulled opens', pulledOpens, 0],
];

/** How long readers waited on pulled files, each of the least time that its contents take over both lines. */
function waitsOf(result: ReplayResult, rate: number): number[] {
  const all = result.pulled.map(({ bytes, ms }) => {
    const least = leastSeconds(bytes, rate) + leastSeconds(bytes, READER_RATE);
    return ms / 1000 / (least + roundTrip(result));
  });
  return all.sort((a, b) => a - b);
}

const roundTrip = (result: ReplayResult): number =>
  invalidationTime(result) / Math.max(invalidations(result), 1);

/** 0 of none. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

export const FIG8: PaperExperiment = {
  name: 'fig8',
  about: 'cache consistency, one writer and one reader (MFS, figure 8)',
  cells: (options) =>
    ratesOf(options).flatMap((rate) => WRITERS.map((writer) => cellOf(writer, rate))),
  report: (options, results) => {
    const rates = ratesOf(options);
    return {
      sections: [
        {
          heading: 'Figure 8',
          lines: chartsOf(rates, results),
          table: [
            ['KB/s', 'writer', ...COLUMNS.map(([name]) => name)],
            ...rates.flatMap((rate) =>
              WRITERS.map((writer) => [
                String(rate),
                writer.name,
                ...COLUMNS.map(([, measure, digits]) =>
                  shown(results(cellOf(writer, rate)).map(measure), digits),
                ),
              ]),
            ),
          ],
        },
        {
          heading:
            'How long the reader waited on pulled files, of what the two lines take at least',
          table: [
            ['KB/s', 'writer', 'opens', 'median', '95 %', 'longest'],
            ...rates.flatMap((rate) =>
              WRITERS.filter((writer) => writer !== SYNCHRONOUS).map((writer) => {
                const all = results(cellOf(writer, rate)).flatMap((each) => waitsOf(each, rate));
                const sorted = all.sort((a, b) => a - b);
                const shares = [0.5, 0.95, 1].map((share) => quantile(sorted, share).toFixed(2));
                return [String(rate), writer.name, String(sorted.length), ...shares];
              }),
            ),
          ],
        },
      ],
      checks: rates.flatMap((rate) => checksAt(rate, results)),
    };
  },
};

function checksAt(rate: number, results: ResultsOf): Check[] {
  const at = (writer: Writer, measure: Measure): number =>
    meanOf(results(cellOf(writer, rate)).map(measure));
  return [
    atMost(
      `${rate} KB/s: a store RPC from the link on, of synchronous writes`,
      at(OURS, storeTime),
      MOST_OF_SYNCHRONOUS * at(SYNCHRONOUS, storeTime),
    ),
    atMost(
      `${rate} KB/s: all is committed so long after the trace's own end, of synchronous writes`,
      at(OURS, beyond),
      MOST_OF_SYNCHRONOUS * at(SYNCHRONOUS, beyond),
    ),
    atMost(
      `${rate} KB/s: VALIDATE RPCs of the writer, of the fewest of the others that invalidate`,
      at(OURS, invalidations),
      Math.min(...TOLD.map((writer) => at(writer, invalidations))),
      'RPCs',
    ),
    atMost(`${rate} KB/s: stale reads, synchronous`, at(SYNCHRONOUS, stale), 0, 'reads'),
    atMost(
      `${rate} KB/s: reads that break the order of updates`,
      at(OURS, disordered) + at(SYNCHRONOUS, disordered),
      0,
      'reads',
    ),
    atMost(
      `${rate} KB/s: the longest wait on a pulled file, of what its lines take at least`,
      meanOf(results(cellOf(OURS, rate)).map((each) => quantile(waitsOf(each, rate), 1))),
      MOST_WAIT,
      'times',
    ),
  ];
}

function chartsOf(rates: readonly number[], results: ResultsOf): LineChart[] {
  return COLUMNS.slice(0, 2).map(([y, measure]) => ({
    x: 'KB/s',
    y,
    doubling: true,
    series: WRITERS.map((writer) => ({
      name: writer.name,
      points: rates.map((rate) => {
        return [rate, meanOf(results(cellOf(writer, rate)).map(measure))] as const;
      }),
    })),
  }));
}

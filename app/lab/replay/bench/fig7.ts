/**
 * Figure 7 and table 4 of MFS: Simultaneous writeback with a think time of 0.25 s while bandwidth falls from 512 to 128 KB/s, once a second over ten;
 * with and without prefetching. An RPC counts in the period in which it ended.
 *
 * The paper's types here: fa is what goes in class VALIDATE (the questions whether a file is current, and the RPCs that raise another); fd a fetch
 * somebody waited for from its beginning on, of a file or a directory; pf what began in class PREFETCH, questions ahead included; df those of these
 * that a demand has raised (they are in pf too, as in the paper); sd stores. How long the first period lasts is read off the plot.
 */
import type { CallSums } from '../../../../shared/metrics/call-meter.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { Section } from '../report/html-report.ts';
import { endOf, KB, type Cell } from './cell.ts';
import {
  atLeast,
  atMost,
  meanOf,
  type PaperExperiment,
  type ResultsOf,
} from './paper-experiment.ts';

const [HIGH, LOW] = [512, 128];
const FALLS_AT_S = 3;
const FALLS_FOR_S = 10;
/** Each second a step, from the last at the high rate to the first at the low one. */
const TRACE = [
  { atMs: 0, bytesPerSecond: HIGH * KB },
  ...Array.from({ length: FALLS_FOR_S }, (_, second) => ({
    atMs: (FALLS_AT_S + second) * 1000,
    bytesPerSecond: Math.round(HIGH - ((HIGH - LOW) * (second + 1)) / FALLS_FOR_S) * KB,
  })),
];
const MARKS_MS = [FALLS_AT_S * 1000, (FALLS_AT_S + FALLS_FOR_S) * 1000];
const PERIODS = ['high bandwidth', 'falling bandwidth', 'low bandwidth'];
const MOST_WITH = 1.02;

const TYPES = ['fa', 'fd', 'pf', 'df', 'sd'] as const;
type RpcType = (typeof TYPES)[number];

/** Table 4, by type: with prefetch, and without; in each period. */
const PAPER: Readonly<Record<RpcType, readonly (readonly number[])[]>> = {
  fa: [
    [23, 51, 54],
    [18, 41, 69],
  ],
  fd: [
    [1, 0, 0],
    [7, 15, 42],
  ],
  pf: [
    [13, 26, 24],
    [0, 0, 0],
  ],
  df: [
    [0, 2, 24],
    [0, 0, 0],
  ],
  sd: [
    [7, 22, 35],
    [9, 20, 35],
  ],
};

const cellOf = (prefetch: boolean): Cell => ({
  ...{ workload: 'thoughtful-writeback', policy: 'async', scheduling: 'priorities' },
  ...{ rate: TRACE, warm: [], expired: false, prefetch, marksMs: MARKS_MS },
});
const WAYS = [true, false];

export const FIG7: PaperExperiment = {
  name: 'fig7',
  about: 'prefetching as bandwidth falls (MFS, figure 7 and table 4)',
  cells: () => WAYS.map(cellOf),
  report: (_, results) => {
    const [ahead = 0, plain = 0] = WAYS.map((prefetch) =>
      meanOf(results(cellOf(prefetch)).map((result) => endOf(result, 'foreground'))),
    );
    const raised = (period: number): number => countOf(results, true, period, 'df');
    return {
      sections: [countsOf(results), ...PERIODS.map((_, period) => timesOf(results, period))],
      checks: [
        atMost('the program that reads ends: with prefetch, of without', ahead, MOST_WITH * plain),
        atLeast(
          'prefetches raised by a demand at low bandwidth, of those at high bandwidth and one more',
          raised(2),
          raised(0) + 1,
          'RPCs',
        ),
      ],
    };
  },
};

function sumsOf(
  classes: Readonly<Record<PriorityClass, Readonly<CallSums>>>,
  type: RpcType,
): Parts {
  const { VALIDATE, FETCH, STORE_FAST, STORE_DATA, PREFETCH } = classes;
  switch (type) {
    case 'fa':
      return partsOf([VALIDATE]);
    case 'fd':
      return less(partsOf([FETCH]), raisedOf(FETCH));
    case 'pf':
      return plus(partsOf([PREFETCH]), raisedOf(FETCH));
    case 'df':
      return raisedOf(FETCH);
    case 'sd':
      return partsOf([STORE_FAST, STORE_DATA]);
  }
}

interface Parts {
  readonly calls: number;
  /** Request queued and sent, reply queued and sent, milliseconds. */
  readonly ms: readonly number[];
}

const partsOf = (all: ReadonlyArray<Readonly<CallSums>>): Parts =>
  all
    .map(({ calls, upQueuedMs, upSentMs, downQueuedMs, downSentMs }): Parts => {
      return { calls, ms: [upQueuedMs, upSentMs, downQueuedMs, downSentMs] };
    })
    .reduce((one, other) => plus(one, other));

function raisedOf(sums: Readonly<CallSums>): Parts {
  const { raised, raisedUpQueuedMs, raisedUpSentMs, raisedDownQueuedMs, raisedDownSentMs } = sums;
  return {
    calls: raised,
    ms: [raisedUpQueuedMs, raisedUpSentMs, raisedDownQueuedMs, raisedDownSentMs],
  };
}

function plus(one: Parts, other: Parts, sign: 1 | -1 = 1): Parts {
  return {
    calls: one.calls + sign * other.calls,
    ms: one.ms.map((ms, part) => ms + sign * (other.ms[part] ?? 0)),
  };
}

const less = (one: Parts, other: Parts): Parts => plus(one, other, -1);

function typeIn({ periods }: ReplayResult, period: number, type: RpcType): Parts {
  const classes = periods[period]?.classes;
  return classes === undefined ? { calls: 0, ms: [] } : sumsOf(classes, type);
}

const countOf = (results: ResultsOf, prefetch: boolean, period: number, type: RpcType): number =>
  meanOf(results(cellOf(prefetch)).map((result) => typeIn(result, period, type).calls));

function countsOf(results: ResultsOf): Section {
  const head = TYPES.flatMap((type) => [`${type} (p)`, `${type} (n)`]);
  return {
    heading: "Table 4: RPCs by type and period, and the paper's behind the stroke",
    text: [
      'p: with prefetch, n: without. fa: questions and what raises others, fd: fetches for a demand, pf: prefetches, df: of these, raised by a demand, sd: stores.',
    ],
    table: [
      ['period', ...head],
      ...PERIODS.map((name, period) => [
        name,
        ...TYPES.flatMap((type) =>
          WAYS.map((prefetch, way) => {
            const paper = PAPER[type][way]?.[period] ?? 0;
            return `${countOf(results, prefetch, period, type).toFixed(0)} / ${paper}`;
          }),
        ),
      ]),
    ],
  };
}

function timesOf(results: ResultsOf, period: number): Section {
  const bars = TYPES.flatMap((type) =>
    WAYS.map((prefetch) => {
      const all = results(cellOf(prefetch)).map((result) => typeIn(result, period, type).ms);
      const values = [0, 1, 2, 3].map((part) => meanOf(all.map((ms) => (ms[part] ?? 0) / 1000)));
      return { name: `${type} (${prefetch ? 'p' : 'n'})`, values };
    }),
  );
  const parts = ['request queued', 'request sent', 'reply queued', 'reply sent'];
  return {
    heading: `Figure 7, ${PERIODS[period] ?? ''}: seconds of RPCs by type`,
    bars: [{ y: 'total time, s', parts, bars }],
    table: [
      ['RPC type', ...parts],
      ...bars.map(({ name, values }) => [name, ...values.map((value) => value.toFixed(2))]),
    ],
  };
}

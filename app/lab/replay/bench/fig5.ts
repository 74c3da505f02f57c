/** Figure 5 of MFS: traces of Windows NT machines, with synchronous and asynchronous writes, with and without priorities. */
import { basename } from '../report/basename.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import { constant, leastSeconds, type Cell } from './cell.ts';
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

const TRACES = ['mostly-reads', 'mostly-writes', 'heavy-load'];
const RATES = [64, 512];
const POLICIES: readonly WritebackPolicy[] = ['sync', 'async'];
const SCHEDULINGS: readonly Scheduling[] = ['uniform', 'priorities'];
/** How much sooner the last read of `mostly-writes` is over with both than with neither, per cent. */
const PAPER_FALLS: Readonly<Record<number, number>> = { 64: 79, 512: 30 };
/** Seconds: the heavy load at 64 KB/s with both. */
const PAPER_HEAVY = { lastRead: 2220, ended: 2409 };
const MOST_OVER_LIMIT = 1.05;
/** Of the last read without priorities: runs differ by as much from seed to seed. */
const AS_SOON = 1.02;

const ratesOf = ({ bandwidths }: BenchOptions): readonly number[] => bandwidths ?? RATES;
const tracesOf = ({ traces }: BenchOptions): readonly string[] => [...TRACES, ...traces];

const cellOf = (
  workload: string,
  rate: number,
  policy: WritebackPolicy,
  scheduling: Scheduling,
): Cell => {
  return { workload, policy, scheduling, rate: constant(rate), warm: [], expired: false };
};

export const FIG5: PaperExperiment = {
  name: 'fig5',
  about: 'traces of Windows NT machines (MFS, figure 5 and table 3)',
  cells: (options) =>
    tracesOf(options).flatMap((trace) =>
      ratesOf(options).flatMap((rate) =>
        POLICIES.flatMap((policy) =>
          SCHEDULINGS.map((scheduling) => cellOf(trace, rate, policy, scheduling)),
        ),
      ),
    ),
  report: (options, results) => ({
    sections: ratesOf(options).map((rate) => ({
      heading: `Figure 5 at ${rate} KB/s`,
      text: [
        `The paper's heavy load at 64 KB/s, asynchronous with priorities: last read after ${PAPER_HEAVY.lastRead} s, end after ${PAPER_HEAVY.ended} s.`,
      ],
      bars: tracesOf(options).map((trace) => ({
        y: `${basename(trace)}: seconds of RPCs`,
        parts: ['request queued', 'request sent', 'reply queued', 'reply sent'],
        bars: POLICIES.flatMap((policy) =>
          SCHEDULINGS.map((scheduling) => ({
            name: `${policy} ${scheduling}`,
            values: rpcSeconds(results(cellOf(trace, rate, policy, scheduling))),
          })),
        ),
      })),
      table: [
        [
          'trace',
          'writes',
          'priorities',
          'last read, s',
          'last write, s',
          'drained, s',
          'read',
          'stored',
        ],
        ...tracesOf(options).flatMap((trace) =>
          POLICIES.flatMap((policy) =>
            SCHEDULINGS.map((scheduling) => {
              const all = results(cellOf(trace, rate, policy, scheduling));
              return [
                ...[basename(trace), policy, scheduling],
                shown(all.map(({ lastRead }) => lastRead)),
                shown(all.map(({ lastWrite }) => lastWrite)),
                shown(all.map(({ drained }) => drained)),
                `${(meanOf(all.map(fetched)) / 1024 ** 2).toFixed(1)} MB`,
                `${(meanOf(all.map(stored)) / 1024 ** 2).toFixed(1)} MB`,
              ];
            }),
          ),
        ),
      ],
    })),
    checks: ratesOf(options).flatMap((rate) => [
      ...fallCheck(rate, results),
      ...heavyCheck(rate, results),
      ...tracesOf(options).flatMap((trace) => priorityChecks(trace, rate, results)),
    ]),
  }),
};

const sumOf = (result: ReplayResult, field: 'upBytes' | 'downBytes', classes: string[]): number =>
  Object.entries(result.classes).reduce(
    (sum, [name, sums]) => sum + (classes.includes(name) ? sums[field] : 0),
    0,
  );
const fetched = (result: ReplayResult): number => sumOf(result, 'downBytes', ['FETCH', 'PREFETCH']);
const stored = (result: ReplayResult): number =>
  sumOf(result, 'upBytes', ['STORE_FAST', 'STORE_DATA', 'FETCH']);

function rpcSeconds(results: readonly ReplayResult[]): number[] {
  const fields = ['upQueuedMs', 'upSentMs', 'downQueuedMs', 'downSentMs'] as const;
  return fields.map((field) =>
    meanOf(
      results.map(({ classes }) =>
        Object.values(classes).reduce((sum, sums) => sum + sums[field] / 1000, 0),
      ),
    ),
  );
}

const lastRead = (results: readonly ReplayResult[]): number =>
  meanOf(results.map((result) => result.lastRead));

function fallCheck(rate: number, results: ResultsOf): Check[] {
  const paper = PAPER_FALLS[rate];
  if (paper === undefined) return [];
  const neither = lastRead(results(cellOf('mostly-writes', rate, 'sync', 'uniform')));
  const both = lastRead(results(cellOf('mostly-writes', rate, 'async', 'priorities')));
  const fall = (1 - both / neither) * 100;
  return [atLeast(`mostly writes at ${rate} KB/s: the last read is sooner by`, fall, paper)];
}

function heavyCheck(rate: number, results: ResultsOf): Check[] {
  if (rate !== 64) return [];
  const all = results(cellOf('heavy-load', rate, 'async', 'priorities'));
  const limit = leastSeconds(meanOf(all.map(fetched)), rate);
  return [
    atMost(
      'heavy load at 64 KB/s: last read, of the limit',
      lastRead(all),
      MOST_OVER_LIMIT * limit,
    ),
    atMost("heavy load at 64 KB/s: last read, of the paper's", lastRead(all), PAPER_HEAVY.lastRead),
  ];
}

function priorityChecks(trace: string, rate: number, results: ResultsOf): Check[] {
  return POLICIES.map((policy) => {
    const uniform = lastRead(results(cellOf(trace, rate, policy, 'uniform')));
    const priorities = lastRead(results(cellOf(trace, rate, policy, 'priorities')));
    return atMost(
      `${basename(trace)} at ${rate} KB/s, ${policy}: last read with priorities, of uniform`,
      priorities,
      AS_SOON * uniform,
    );
  });
}

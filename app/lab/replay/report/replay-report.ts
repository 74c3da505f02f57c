/** What one replay has shown, for people: as rows of tables and as a page. */
import { PRIORITY_CLASSES } from '../../../../shared/model/priority-class.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { Section } from './html-report.ts';

const MOST_PROCESSES = 20;
const seconds = (value: number): string => value.toFixed(2);
const fromMs = (ms: number): string => seconds(ms / 1000);
const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(1);

/** Times in seconds, bytes in KiB. */
export function classTable({ classes }: ReplayResult): string[][] {
  const head = [
    ...['class', 'calls', 'broken', 'raised', 'up KiB', 'down KiB'],
    ...['up queued', 'up sent', 'down queued', 'down sent'],
  ];
  const rows = PRIORITY_CLASSES.map((name) => {
    const sums = classes[name];
    return [
      name,
      ...[sums.calls, sums.broken, sums.raised].map(String),
      ...[sums.upBytes, sums.downBytes].map(kilobytes),
      ...[sums.upQueuedMs, sums.upSentMs, sums.downQueuedMs, sums.downSentMs].map(fromMs),
    ];
  });
  return [head, ...rows];
}

/** Makes a table of the first `MOST_PROCESSES` processes, with their times in seconds. */
export function processTable({ processes }: ReplayResult): string[][] {
  const rows = processes
    .slice(0, MOST_PROCESSES)
    .map(({ name, laptop, steps, began, ended, waited }) => [
      ...[name, laptop, String(steps)],
      ...[began, ended, waited].map(seconds),
    ]);
  const more = processes.length - rows.length;
  return [
    ['process', 'laptop', 'operations', 'began', 'ended', 'waited'],
    ...rows,
    ...(more > 0 ? [[`and ${more} more`, '', '', '', '', '']] : []),
  ];
}

/** Makes a table of the operations, with their times in milliseconds. */
export function operationTable({ operations }: ReplayResult): string[][] {
  return [
    ['operation', 'count', 'mean ms', 'longest ms'],
    ...operations.map(({ operation, count, meanMs, longestMs }) => [
      operation,
      String(count),
      meanMs.toFixed(2),
      longestMs.toFixed(1),
    ]),
  ];
}

/** Writes the result of a replay for people. */
export function replayLines(result: ReplayResult): string[] {
  const { lastRead, lastWrite, ended, drained, traced, cacheHits, cacheMisses } = result;
  const { meanFetchMs, longestFetchMs, staleReads, away, unlike, firstUnlike, skipped, lost } =
    result;
  return [
    `last read after ${seconds(lastRead)} s, last write after ${seconds(lastWrite)} s, ` +
      `all programs after ${seconds(ended)} s, drained after ${seconds(drained)} s ` +
      `(in the trace ${seconds(traced)} s)`,
    `opens to read: ${cacheHits} from the cache, ${cacheMisses} fetched` +
      (cacheMisses === 0
        ? ''
        : ` (${fromMs(meanFetchMs)} s on average, ${fromMs(longestFetchMs)} s at most)`) +
      `; stale: ${staleReads}`,
    ...result.byLaptop.map(lineOf),
    ...(away === 0 ? [] : [`programs were told ${away} times that the server is away`]),
    ...(unlike === 0
      ? []
      : [
          `${unlike} operations ended otherwise than in the trace, such as`,
          ...firstUnlike.map((line) => `  ${line}`),
        ]),
    ...(skipped === 0
      ? []
      : [
          `${skipped} operations left out: refused for a reason that the trace does not tell, or on what it does not open`,
        ]),
    ...(lost === 0 ? [] : [`${lost} operations missed by the recorder`]),
  ];
}

/** Such as `over the line of laptop-1: up 223.4 KiB in 2522 packets; down 2353.3 KiB in 2498 packets, 22 more had no room before the line`. */
function lineOf({ name, crossed }: ReplayResult['byLaptop'][number]): string {
  const ways = (['up', 'down'] as const).map((way) => {
    const { crossed: packets, dropped } = crossed.packets?.[way] ?? { crossed: null, dropped: 0 };
    const many = packets === null ? '' : ` in ${packets} packets`;
    const more = dropped === 0 ? '' : `, ${dropped} more had no room before the line`;
    return `${way} ${kilobytes(crossed[way])} KiB${many}${more}`;
  });
  return `over the line of ${name}: ${ways.join('; ')}`;
}

/** Makes the sections of a replay's page. `about`: lines on how it was run. */
export function replaySections(result: ReplayResult, about: readonly string[]): Section[] {
  const { classes } = result;
  const used = PRIORITY_CLASSES.filter((name) => classes[name].calls > 0);
  return [
    { heading: 'Result', text: [...about, ...replayLines(result)] },
    {
      heading: 'By class',
      text: ['Times are sums over calls, in seconds.'],
      bars: [
        {
          y: 'seconds, all calls together',
          parts: ['request queued', 'request sent', 'reply queued', 'reply sent'],
          bars: used.map((name) => {
            const { upQueuedMs, upSentMs, downQueuedMs, downSentMs } = classes[name];
            return {
              name,
              values: [upQueuedMs, upSentMs, downQueuedMs, downSentMs].map((ms) => ms / 1000),
            };
          }),
        },
        {
          y: 'KiB',
          parts: ['up', 'down'],
          bars: used.map((name) => ({
            name,
            values: [classes[name].upBytes / 1024, classes[name].downBytes / 1024],
          })),
        },
      ],
      table: classTable(result),
    },
    { heading: 'By operation', table: operationTable(result) },
    {
      heading: 'By process',
      text: ['Seconds since the replay began.'],
      table: processTable(result),
    },
  ];
}

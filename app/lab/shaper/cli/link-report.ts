/** What a link has carried, in lines for people. */
import type { Conditions } from '../conditions.ts';
import type { DirectionStatistics, LinkStatistics } from '../statistics.ts';
import { formatCount, formatTable } from '../../../cli/format.ts';
import { durationText, sizeText } from '../../../../shared/util/amounts.ts';

/** Writes the conditions of one direction in a line. */
export function conditionsLine(name: string, conditions: Conditions): string {
  const { rate, burstBytes, queue, delayMs, jitterMs, loss, outages } = conditions;
  const [first] = rate;
  const parts = [
    first === undefined
      ? 'no limit'
      : rate.length > 1
        ? `a trace of ${rate.length} rates`
        : `${first.bytesPerSecond} B/s`,
  ];
  if (first !== undefined) {
    parts.push(`a queue of ${'bytes' in queue ? sizeText(queue.bytes) : `${queue.ms} ms`}`);
  }
  if (burstBytes > 0) parts.push(`bursts of ${sizeText(burstBytes)}`);
  parts.push(`${delayMs}${jitterMs > 0 ? ` ± ${jitterMs}` : ''} ms`);
  if (loss > 0) parts.push(`${Math.round(loss * 1e6) / 1e4} % lost`);
  if (outages.length > 0) parts.push(formatCount(outages.length, 'outage'));
  return `${name.padEnd(4)}  ${parts.join(', ')}`;
}

/** Writes what a link has carried in `ms` milliseconds, for people. */
export function reportLines(statistics: LinkStatistics, ms: number): string[] {
  const { up, down, clients, moves } = statistics;
  const title = [
    '',
    'packets',
    'arrived',
    'full queue',
    'lost',
    'outage',
    'not sent',
    'on its way',
  ];
  const rows = [title, rowOf('up', up), rowOf('down', down)];
  const moved = moves === 0 ? '' : `, moved ${formatCount(moves, 'time')}`;
  return [
    `${durationText(ms)}, ${formatCount(clients, 'client')}${moved}`,
    ...formatTable(rows, [1, 2, 3, 4, 5, 6, 7]),
    ...[up, down].map(({ arrived }, index) => {
      const rate = ms > 0 ? (arrived.bytes / ms) * 1000 : 0;
      const way = index === 0 ? 'up' : 'down';
      return `${way}: ${sizeText(arrived.bytes)} with headers, ${sizeText(arrived.payload)} without; ${sizeText(Math.round(rate))}/s`;
    }),
  ];
}

function rowOf(name: string, { offered, arrived, dropped, waiting, flying }: DirectionStatistics) {
  const { queue, loss, outage, unsent } = dropped;
  const counts = [offered, arrived, queue, loss, outage, unsent].map(({ packets }) => packets);
  return [name, ...counts.map(String), String(waiting.packets + flying.packets)];
}

/** What has changed since the last look, for a line that is shown all the time. */
export function liveText(now: LinkStatistics, before: LinkStatistics, ms: number): string {
  const way = (direction: 'up' | 'down'): string => {
    const { arrived, waiting } = now[direction];
    const rate = ((arrived.bytes - before[direction].arrived.bytes) / ms) * 1000;
    return `${direction} ${sizeText(Math.round(rate))}/s, ${waiting.packets} waiting`;
  };
  return `${way('up')}; ${way('down')}; ${formatCount(now.clients, 'client')}`;
}

/** Calls by name as a table for people: of a daemon and of a server. */
import { stepOf, type CallStats } from '../../shared/control/stats.ts';
import { durationText, sizeText } from '../../shared/util/amounts.ts';
import { formatNumber, formatTable } from './format.ts';

const HEAD = ['calls', 'number', 'failed', 'broken', 'sent', 'received', 'average', '99 % within'];
/** Shares that nothing is said of beyond. */
const NEARLY_ALL = 0.99;

/** A line for each name, those that this side began first, and there the most frequent first. No line where nothing was called. */
export function callTable(calls: readonly CallStats[], stepsMs: readonly number[]): string[] {
  if (calls.length === 0) return [];
  const sides = (['began', 'received'] as const).flatMap((side) =>
    calls.filter((call) => call.side === side).sort((a, b) => ended(b) - ended(a)),
  );
  const rows = sides.map((call) => [
    call.side === 'began' ? call.rpc : `${call.rpc} (of the other side)`,
    formatNumber(ended(call)),
    formatNumber(call.failures),
    formatNumber(call.broken),
    sizeText(call.bytesOut),
    sizeText(call.bytesIn),
    call.calls === 0 ? '-' : durationText(call.ms / call.calls),
    withinText(stepOf(call.steps, stepsMs, NEARLY_ALL), stepsMs),
  ]);
  return formatTable([HEAD, ...rows], [1, 2, 3, 4, 5, 6, 7]);
}

const ended = ({ calls, broken }: CallStats): number => calls + broken;

/** A step of durations; what is above all of them takes longer than the last one. */
export function withinText(ms: number | null, stepsMs: readonly number[]): string {
  if (ms === null) return '-';
  return ms === Infinity ? `over ${durationText(stepsMs.at(-1) ?? 0)}` : durationText(ms);
}

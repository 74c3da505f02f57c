/** What the daemon has counted since it began, in a few figures: what was answered from here, calls of the server, what never had to be sent. */
import type { StatsReport } from '../../../shared/control/stats.ts';
import { durationText, lengthText, sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from './text.ts';

export interface CountRow {
  readonly name: string;
  readonly value: string;
  readonly more: string;
}

/** No row where nothing was counted. */
export function countRows({ forMs, calls, looks, spared }: StatsReport): CountRow[] {
  const words = TEXT.counts;
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const looked = sum(looks.map(({ count }) => count));
  const here = sum(looks.filter(({ end }) => end === 'here').map(({ count }) => count));
  const asked = calls.filter(({ side }) => side === 'began');
  const answered = sum(asked.map((call) => call.calls));
  const failed = sum(asked.map(({ failures, broken }) => failures + broken));
  const updates = sum(spared.map((each) => each.updates));
  const age = lengthText(forMs / 1000);
  return [
    {
      name: words.fromHere,
      // Never all where something was not.
      value: `${(Math.floor((1000 * here) / looked) / 10).toFixed(1)} %`,
      more: words.ofLooks(looked, age),
      isShown: looked > 0,
    },
    {
      name: words.calls,
      value: String(answered),
      more: words.took(durationText(sum(asked.map(({ ms }) => ms)) / answered), failed),
      isShown: answered > 0,
    },
    {
      name: words.spared,
      value: sizeText(sum(spared.map(({ bytes }) => bytes))),
      more: TEXT.queue.updates(updates),
      isShown: updates > 0,
    },
  ].flatMap(({ isShown, ...row }) => (isShown ? [row] : []));
}

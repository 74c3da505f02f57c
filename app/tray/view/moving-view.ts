/** What moves now, as the first page shows it: one file, how far it is, and how long all of it takes. */
import { sizeText } from '../../../shared/util/amounts.ts';
import type { FetchEntry, QueueEntry } from '../../../shared/control/queue.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { leftText } from './ago.ts';
import type { Progress } from './burst.ts';
import { lineText, rateText, shareOf, splitPath } from './format.ts';
import { TEXT } from './text.ts';

export interface Moving {
  readonly way: 'up' | 'down';
  /** '' while no file is on its way. */
  readonly name: string;
  readonly folder: string;
  /** From 0 to 1, of the file; null: nothing of it is known. */
  readonly share: number | null;
  /** Such as `2 of 5 changes · 1 min left · 250.0 KB/s`. */
  readonly line: string;
}

export interface OnItsWay {
  readonly sent: readonly QueueEntry[];
  readonly fetched: readonly FetchEntry[];
}

/** null: nothing moves, and nothing is about to. */
export function movingView(
  status: StatusSnapshot,
  { sent, fetched }: OnItsWay,
  progress: Progress,
): Moving | null {
  if (status.paused || !status.connected) return null;
  const up = sent.find(({ state, kind }) => state === 'on its way' && kind === 'store');
  const down = fetched.find(({ state, path }) => state === 'on its way' && path !== null);
  const isUp = up !== undefined || (down === undefined && progress.total > progress.done);
  if (!isUp && down === undefined && status.fetches.running === 0) return null;
  const line = (isUp ? upParts(status, progress) : downParts(status)).join(' · ');
  const { name, folder } = splitPath((isUp ? up?.path : down?.path) ?? '');
  const share = isUp
    ? up === undefined
      ? null
      : shareOf(up.sentBytes, up.bytes)
    : shareOf(down?.receivedBytes ?? 0, down?.bytes ?? 0);
  const way = isUp ? 'up' : 'down';
  return { way, name: lineText(name), folder: lineText(folder), share, line };
}

function upParts({ queues, link }: StatusSnapshot, { done, total }: Progress): string[] {
  const { metadata, data } = queues;
  const open = [metadata, data].filter(({ updates, cancelled }) => updates > cancelled);
  const seconds = open.map(({ estimate }) => estimate.seconds);
  const isKnown = seconds.length > 0 && seconds.every((each) => each !== null);
  const left = isKnown ? Math.max(...seconds.map((each) => each ?? 0)) : null;
  const rate = link.rates?.up ?? data.estimate.bytesPerSecond ?? 0;
  return [
    ...(total === 0 ? [] : [TEXT.home.changeOf(Math.min(done + 1, total), total)]),
    ...(left === null ? [] : [TEXT.home.left(leftText(left))]),
    ...(rate > 0 ? [rateText(rate)] : []),
  ];
}

function downParts({ fetches, link }: StatusSnapshot): string[] {
  const bytes = Math.max(0, fetches.bytes - fetches.receivedBytes);
  const rate = link.rates?.down ?? 0;
  return [
    TEXT.queue.fetchCount(fetches.running),
    ...(bytes > 0 ? [sizeText(bytes)] : []),
    ...(bytes > 0 && rate > 0 ? [TEXT.home.left(leftText(bytes / rate))] : []),
    ...(rate > 0 ? [rateText(rate)] : []),
  ];
}

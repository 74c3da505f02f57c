/** One line for each update of a queue, and for each fetch, as the lists of the page show them. */
import type { FetchEntry, QueueEntry } from '../../../shared/control/queue.ts';
import type { QueueStatus } from '../../../shared/control/snapshot.ts';
import { leftText } from './ago.ts';
import { clockText } from './clock.ts';
import { lineText, shareOf, splitPath } from './format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from './text.ts';

export interface Row {
  /** The same for the same thing, while it is in the list. */
  readonly key: string;
  readonly name: string;
  readonly folder: string;
  /** In words, such as "on its way". */
  readonly state: string;
  /** Such as "1.2 MB of 16.0 MB". */
  readonly amount: string;
  /** From 0 to 1; null: there is no progress to show. */
  readonly share: number | null;
  /** Such as "40 s"; empty: not known. */
  readonly left: string;
  /** A person has taken it out. */
  readonly isOut: boolean;
  /** Nothing happens to it by itself. */
  readonly isStuck: boolean;
}

/** Makes a row of a queued update. `now`: milliseconds since the epoch. */
export function queueRow(entry: QueueEntry, now: number): Row {
  const { name, folder } = splitPath(entry.path);
  const isStore = entry.kind === 'store';
  const share = isStore && entry.sentBytes > 0 ? shareOf(entry.sentBytes, entry.bytes) : null;
  return {
    key: String(entry.number),
    name: lineText(name),
    folder: lineText(folder),
    state: stateText(entry, now),
    amount: isStore ? amountText(entry.sentBytes, entry.bytes) : TEXT.queue.kind(entry.kind),
    share,
    left: entry.seconds === null ? '' : leftText(entry.seconds),
    isOut: entry.state === 'cancelled',
    isStuck: ['blocked', 'held back', 'cancelled'].includes(entry.state),
  };
}

/**
 * Makes a row of a fetch. `place`: its position in the list, which keeps the keys of rows apart.
 */
export function fetchRow(entry: FetchEntry, place: number): Row {
  const { name, folder } = splitPath(entry.path ?? TEXT.queue.nameless);
  const { bytes, receivedBytes, demanded, ahead = false } = entry;
  const why = demanded ? TEXT.queue.demanded : ahead ? TEXT.queue.ahead : TEXT.queue.forFolder;
  return {
    key: `${place}:${entry.volume}/${entry.path}`,
    name: lineText(name),
    folder: lineText(folder),
    state: `${TEXT.queue.state(entry.state === 'waiting' ? 'ready' : 'on its way')}, ${why}`,
    amount: fetchedText(receivedBytes, bytes),
    share: bytes === null || receivedBytes === 0 ? null : shareOf(receivedBytes, bytes),
    left: '',
    isOut: false,
    isStuck: false,
  };
}

/** What a queue comes to: counts, bytes, and when it is through. */
export function queueSummary(name: 'metadata' | 'data', queue: QueueStatus): string {
  if (queue.updates === 0) return TEXT.queue.empty;
  const { updates, cancelled, bytes, cancelledBytes = 0, sentBytes } = queue;
  const parts = [TEXT.queue.updates(updates)];
  if (cancelled > 0) parts.push(TEXT.queue.takenOut(cancelled));
  if (cancelled === updates) return parts.join(', ');
  if (name === 'data') parts.push(sizeText(bytes - cancelledBytes - sentBytes));
  return `${parts.join(', ')}; ${estimateText(queue)}`;
}

function estimateText({ estimate: { seconds, why } }: QueueStatus): string {
  if (seconds !== null) return TEXT.queue.left(leftText(seconds));
  return TEXT.queue.noEstimate(why ?? TEXT.nothing);
}

/** `bytes` null: nobody has said yet how large it is. */
function fetchedText(received: number, bytes: number | null): string {
  if (bytes !== null) return amountText(received, bytes);
  return received === 0 ? TEXT.nothing : sizeText(received);
}

function amountText(part: number, whole: number): string {
  return part === 0 ? sizeText(whole) : TEXT.of(sizeText(part), sizeText(whole));
}

function stateText({ state, turn, waitsFor, until, reason }: QueueEntry, now: number): string {
  const words = TEXT.queue;
  switch (state) {
    case 'blocked':
      return reason === null ? words.state(state) : words.blocked(lineText(reason));
    case 'waiting':
      return withTurn(words.waitsFor(Math.max(1, waitsFor.length)), turn);
    case 'delayed':
      return until === null ? words.state(state) : words.delayedUntil(clockText(until, now));
    default:
      return withTurn(words.state(state), turn);
  }
}

function withTurn(text: string, turn: QueueEntry['turn']): string {
  if (turn === null) return text;
  return `${text}, ${turn === 'now' ? TEXT.queue.first : TEXT.queue.last}`;
}

/** All updates of a path as one: the least that is true of all of them. */
import type { PathQueue, QueueEntry } from '../../../shared/control/queue.ts';

export type PathEntry = Pick<QueueEntry, 'kind' | 'bytes' | 'sentBytes' | 'state' | 'reason'>;

/** From the gravest on. */
const KEPT = ['blocked', 'held back', 'cancelled'] as const;

/**
 * Sums up the queued updates of one path: their number, bytes, bytes sent, and the gravest reason
 * that keeps one of them. `kept` null: all are sent by themselves.
 */
export function pathQueueOf(entries: readonly PathEntry[]): PathQueue {
  const sum = (of: (entry: PathEntry) => number): number =>
    entries.reduce((all, entry) => all + of(entry), 0);
  const kept = KEPT.map((state) => entries.find((entry) => entry.state === state)).find(
    (entry) => entry !== undefined,
  );
  return {
    updates: entries.length,
    bytes: sum(({ bytes }) => bytes),
    sentBytes: sum(({ sentBytes }) => sentBytes),
    kept:
      kept === undefined
        ? null
        : { state: kept.state as (typeof KEPT)[number], reason: kept.reason },
    moving: movingOf(entries),
  };
}

function movingOf(entries: readonly PathEntry[]): PathQueue['moving'] {
  if (entries.some(({ kind, state }) => kind === 'store' && state === 'on its way')) {
    return 'sending';
  }
  if (entries.some(({ state }) => state === 'delayed')) return 'delayed';
  return entries.length > 0 ? 'queued' : null;
}

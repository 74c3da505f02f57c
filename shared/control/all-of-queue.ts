/** The queue page by page, for those who want more of it than one page has. */
import { GodwitError } from '../wire/error-codes.ts';
import { MAX_QUEUE_ENTRIES } from './limits.ts';
import type { QueueRequest, QueueEntry, QueueName, QueueReport } from './queue.ts';

/** Other clients may request so many listings meanwhile that ours is dropped; if that repeats, we give up. */
const MOST_BEGINNINGS = 3;

export interface WantedOfQueue {
  /** Entries at most; left out: all. */
  readonly most?: number | undefined;
  readonly of?: QueueName;
}

type Whole = Pick<QueueReport, 'total' | 'entries' | 'why'>;

/** One listing, as far as it is wanted. Rejects as `ask` does. */
export async function allOfQueue(
  ask: (question: QueueRequest) => Promise<QueueReport>,
  wanted: WantedOfQueue = {},
): Promise<Whole> {
  for (let begun = 1; ; begun++) {
    try {
      return await oneListing(ask, wanted);
    } catch (error) {
      const isGone = error instanceof GodwitError && error.code === 'listing-gone';
      if (!isGone || begun === MOST_BEGINNINGS) throw error;
    }
  }
}

async function oneListing(
  ask: (question: QueueRequest) => Promise<QueueReport>,
  { most = Number.MAX_SAFE_INTEGER, of }: WantedOfQueue,
): Promise<Whole> {
  const left = (entries: readonly QueueEntry[]): number =>
    Math.min(most - entries.length, MAX_QUEUE_ENTRIES);
  const first = await ask({ most: left([]), of });
  const entries = [...first.entries];
  for (let page = first; entries.length < most;) {
    const { listing, next = null } = page;
    if (next === null || listing === undefined) break;
    page = await ask({ most: left(entries), from: next, of, listing });
    for (const entry of page.entries) entries.push(entry);
  }
  return { total: first.total, entries, why: first.why };
}

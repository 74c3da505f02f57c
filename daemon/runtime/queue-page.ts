/** A page of the queue, made in slices: nothing else waits for a long one. */
import type { QueueAsked, QueueReport } from '../../shared/control/queue.ts';
import { elapsed } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { ClientReports } from '../core/client-reports.ts';
import { LISTING_SLICE, LISTING_STEPS, QUEUE_PAGE, QUEUE_REST_SHARE } from '../limits.ts';

interface QueuePagePorts {
  readonly clock: Clock;
  /** Resolves when everything else has had its turn. */
  readonly breathe?: () => Promise<void>;
}

/** Rejects `listing-gone`. */
export async function queuePage(
  reports: ClientReports,
  { clock, breathe }: QueuePagePorts,
  asked: QueueAsked,
): Promise<QueueReport> {
  const { listing: number = null, from = 0, of = null } = asked;
  const listing = reports.listing(number);
  if (listing === null) throw new GodwitError('listing-gone');
  const part = { from, of, most: Math.min(asked.most, QUEUE_PAGE) };
  let workedMs = 0;
  let begun = clock.now();
  while (!listing.advance(LISTING_STEPS, part)) {
    if (elapsed(begun, clock.now()) < LISTING_SLICE) continue;
    workedMs += elapsed(begun, clock.now());
    await breathe?.();
    begun = clock.now();
  }
  const report = reports.queuePage(listing, part);
  workedMs += elapsed(begun, clock.now());
  return { ...report, restMs: Math.ceil(workedMs * QUEUE_REST_SHARE) };
}

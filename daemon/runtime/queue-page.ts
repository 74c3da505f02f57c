/** A page of the queue, made in slices: nothing else waits for a long one. */
import type { PathQueue, QueueRequest, QueueReport } from '../../shared/control/queue.ts';
import { elapsed } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { ClientReports } from '../core/reports/client-reports.ts';
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
  question: QueueRequest,
): Promise<QueueReport> {
  const { listing: number = null, from = 0, of = null } = question;
  const listing = reports.listing(number);
  if (listing === null) throw new GodwitError('listing-gone');
  const part = { from, of, most: Math.min(question.most, QUEUE_PAGE) };
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

/** What is queued of a path, looked for in slices. Rejects `no-such-volume`. */
export async function queueAt(
  reports: ClientReports,
  { clock, breathe }: QueuePagePorts,
  volume: string,
  path: readonly string[],
): Promise<PathQueue> {
  const steps = reports.queueAt(volume, path);
  if (steps === null) throw new GodwitError('no-such-volume', `${volume}: no such volume`);
  let begun = clock.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (elapsed(begun, clock.now()) < LISTING_SLICE) continue;
    await breathe?.();
    begun = clock.now();
  }
}

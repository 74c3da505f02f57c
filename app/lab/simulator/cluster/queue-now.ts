/** The queue of a daemon as it is at this instant, for what must not wait: conditions, and faults that begin now. */
import { queuePage } from '../../../../daemon/core/log/queue-report.ts';
import { QueueListing } from '../../../../daemon/core/log/queue-listing.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { QueueName, QueueReport } from '../../../../shared/control/queue.ts';

/**
 * Reads a page of a daemon's queue at this instant. `most` is the greatest number of entries; `of`
 * null: both queues.
 */
export function queueNow(
  { inside }: DaemonRuntime,
  most: number,
  from = 0,
  of: QueueName | null = null,
): QueueReport {
  const part = { most, from, of };
  const listing = new QueueListing(inside, 0);
  listing.advance(Infinity, part);
  return queuePage(inside, listing, part);
}

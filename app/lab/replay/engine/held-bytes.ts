/** What a laptop's queue says of the contents of one file. */
import type { QueueEntry, QueueReport } from '../../../../shared/control/queue.ts';

/** Of the last store that waits for this path; null: none does. */
export function heldBytes({ entries }: Pick<QueueReport, 'entries'>, path: string): number | null {
  const at = (entry: QueueEntry): boolean => entry.kind === 'store' && `/${entry.path}` === path;
  return entries.findLast(at)?.bytes ?? null;
}

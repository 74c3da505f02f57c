/** What a queued update takes in a message, and in which class it goes. */
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { LoggedUpdate } from './update-log.ts';

/** A shared file overtakes what is on its way (MFS, section 5.1), and so does what somebody wants at once; what a reader waits for, all of it. */
export function classOf(entry: LoggedUpdate): PriorityClass {
  if (entry.expedited) return 'FETCH';
  if (entry.update.op !== 'store') return 'STORE_ATTR';
  return isUrgent(entry) || entry.shared ? 'STORE_FAST' : 'STORE_DATA';
}

export function isUrgent(entry: LoggedUpdate): boolean {
  return (entry.queueStatus?.priority ?? 0) < 0;
}

/** Roughly what a metadata update takes in a message. */
export function sizeOf(entry: LoggedUpdate): number {
  const { update } = entry;
  let size = 170 + 24 * entry.waitsFor.size;
  if ('name' in update) size += update.name.length * 3;
  if (update.op === 'rename') size += (update.fromName.length + update.toName.length) * 3;
  if (update.op === 'symlink') size += update.target.length * 3;
  if ('xattrs' in update) {
    for (const xattr of update.xattrs ?? []) size += xattr.name.length * 3 + xattr.value.length;
  }
  return size;
}

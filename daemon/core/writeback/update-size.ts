/** What a queued update takes in a message, and in which class it goes. */
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { LoggedUpdate } from './update-log.ts';

/** What somebody wants at once overtakes what is on its way, as a shared file does; what a reader waits for, all of it. */
export function classOf(entry: LoggedUpdate): PriorityClass {
  if (entry.raised) return 'FETCH';
  if (entry.update.op !== 'store') return 'STORE_ATTR';
  return isUrgent(entry) ? 'STORE_FAST' : 'STORE_DATA';
}

export function isUrgent(entry: LoggedUpdate): boolean {
  return (entry.standing?.turn ?? 0) < 0;
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

/**
 * The stores of one vnode in the log form a line: each is made over the one before it. Only a save that was queued while its server was
 * restored may stand beside the line of what is offered again (rule I1): it was made over an earlier version, and is a conflict of its
 * own, which is seen when its turn comes.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { StoreUpdate, Update } from '../../../shared/model/update.ts';
import type { LoggedUpdate } from './update-log.ts';

/** The first store of the vnode among these, in the order of the log, and those that were made over it. */
export function storeChainOf(fid: Fid, entries: readonly LoggedUpdate[]): readonly StoreUpdate[] {
  const line: StoreUpdate[] = [];
  for (const { update } of entries) {
    if (!isStoreOf(update, fid)) continue;
    const last = line.at(-1);
    if (last === undefined || update.base > last.base) line.push(update);
  }
  return line;
}

export function isStoreOf(update: Update, fid: Fid): update is StoreUpdate {
  return update.op === 'store' && update.fid === fid;
}

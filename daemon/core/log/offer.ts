/** The queues' lists of what may go out: who is put into them, and in which order. */
import type { ClientState } from '../state.ts';
import { isSmallAndNew } from './allowance.ts';
import type { LoggedUpdate } from './update-log.ts';

/** Adds an update to the lists of its queue, if it may be sent now. */
export function offer(state: ClientState, entry: LoggedUpdate): void {
  const { update } = entry;
  (update.op === 'store' ? state.queue.data : state.queue.metadata).offer(entry);
  if (isSmallAndNew(update)) state.queue.newcomers.offer(entry);
}

/** What decides about the order of some has changed (ready-queue.ts). */
export function reorder(state: ClientState): void {
  state.queue.metadata.reorder();
  state.queue.data.reorder();
  state.queue.newcomers.reorder();
}

/** The queues' lists of what may go out: who is put into them, and in which order. */
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';

export function offer(state: ClientState, entry: LoggedUpdate): void {
  (entry.update.op === 'store' ? state.dataQueue : state.metadataQueue).offer(entry);
}

/** What decides about the order of some has changed (ready-queue.ts). */
export function reorder(state: ClientState): void {
  state.metadataQueue.reorder();
  state.dataQueue.reorder();
}

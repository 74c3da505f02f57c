/** Lists an update in its queue, if it may go out. */
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';

export function offer(state: ClientState, entry: LoggedUpdate): void {
  (entry.update.op === 'store' ? state.dataQueue : state.metadataQueue).offer(entry);
}

/**
 * The daemon ends its connection. A server that hears of this lets nobody wait for what it had promised here (server/core/session/end-session.ts);
 * so nothing of that is used from this step on, though the end of the connection is told later.
 */
import type { ClientState } from '../state.ts';

export function hangUp(state: ClientState): void {
  state.promises.reset();
  state.out.emit({ kind: 'disconnect' });
}

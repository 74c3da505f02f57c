/** Devices whose rights matter to a running server: those with a session, and those with dirty marks. */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { ServerState } from '../state.ts';

/** In order of their numbers. */
export function devicesToWatch(state: ServerState): DeviceId[] {
  const ids = new Set([...state.devices.keys(), ...state.volumes.limits.marks.owners()]);
  return [...ids].sort((a, b) => a - b);
}

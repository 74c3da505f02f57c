/** Whether the link has room for another store: by their number, their bytes, and what goes before it there (store-window.ts). */
import { STORES_IN_FLIGHT, STORE_BYTES_IN_FLIGHT, URGENT_IN_FLIGHT } from '../../limits.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from './update-log.ts';
import { classOf, isUrgent } from './update-size.ts';
import { contentsBefore } from './reordering.ts';

/** A small new file goes before what is on its way, with room beside it as a shared one has (newcomers.ts). */
export function hasUploadSlotBeside(
  { queue: { storesInFlight, storeBytesInFlight } }: ClientState,
  size: number,
): boolean {
  if (storesInFlight >= STORES_IN_FLIGHT + URGENT_IN_FLIGHT) return false;
  return size <= 2 * STORE_BYTES_IN_FLIGHT - storeBytesInFlight;
}

/** What somebody wants at once does not wait for what was sent before it; a shared file has room beside as many as may be on their way of others. */
export function hasUploadSlot(state: ClientState, next: LoggedUpdate, size: number): boolean {
  const {
    queue: { storesInFlight, storeBytesInFlight },
  } = state;
  const goesBefore = isUrgent(next) || next.expedited;
  const most = STORES_IN_FLIGHT + (goesBefore || next.shared ? URGENT_IN_FLIGHT : 0);
  if (storesInFlight >= most) return false;
  if (goesBefore || storesInFlight === 0) return true;
  const bytes = (next.shared ? 2 : 1) * STORE_BYTES_IN_FLIGHT;
  if (size > bytes - storeBytesInFlight) return false;
  return state.queue.window.lets(contentsBefore(state, classOf(next)));
}

/** Contents of this request have arrived, or it was answered. A store that a reader waits for has overtaken others, so it measures nothing. */
export function noteBegun(state: ClientState, request: OpenRequest): void {
  const { purpose, sentBytes, sentAt, priorityClass } = request;
  if (purpose.for !== 'store' || sentBytes > 0 || priorityClass === 'FETCH') return;
  state.queue.window.began(sentAt, state.now.at, !standsStill(state, request));
}

/** A store that was handed over before this one: requests are kept in their order. */
function standsStill(state: ClientState, { id }: OpenRequest): boolean {
  for (const { id: other, purpose, sentBytes } of state.requests.values()) {
    if (other >= id) return false;
    if (purpose.for === 'store' && sentBytes === 0) return true;
  }
  return false;
}

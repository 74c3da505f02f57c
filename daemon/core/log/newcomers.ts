/**
 * Small files that are new go before large ones on their way to the server, as small saves of what others have do (sort-stores.ts): who works in the
 * same folder waits for them. But there may be any number of them, a tree that is unpacked; so they go before as far as an allowance goes, which
 * comes back with what moves of the large ones.
 *
 * Invariants
 * 1. When the allowance is used up, at least as much of the large files moves as of what goes before them.
 * 2. What goes before waits for what it depends on as everything does (W1): only its class and its turn are others.
 * 3. Of these only so much stands in the link that a save that is to go first waits for little.
 */
import type { StoreUpdate } from '../../../shared/model/update.ts';
import { NEW_AHEAD_STANDING, SMALL_SAVE } from '../../limits.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { isUrgent } from './update-size.ts';
import type { LoggedUpdate } from './update-log.ts';
import { contentsBefore } from './reordering.ts';

/** The new file that goes before large ones on their way now; undefined: all take their turns. */
export function newcomer(state: ClientState): LoggedUpdate | undefined {
  const next = state.queue.newcomers.peek();
  if (next === undefined || !mayGoBefore(state, next)) return undefined;
  const first = state.queue.data.peek();
  if (first !== undefined && (first.shared || first.expedited || isUrgent(first))) return undefined;
  const { size } = next.update as StoreUpdate;
  if (!isLargeUnderWay(state)) {
    state.queue.allowance.forget();
    return undefined;
  }
  return state.queue.allowance.lets(size) ? next : undefined;
}

function mayGoBefore(
  state: ClientState,
  { update, shared, expedited, queueStatus }: LoggedUpdate,
): boolean {
  if (state.sharing.settings.storePriorities !== 'differentiated') return false;
  if (shared || expedited || (queueStatus?.priority ?? 0) !== 0) return false;
  if (update.op !== 'store' || state.sharing.promises.isOwn(update.fid)) return false;
  return contentsBefore(state, 'STORE_FAST') < NEW_AHEAD_STANDING;
}

function isLargeUnderWay(state: ClientState): boolean {
  if (state.queue.storesInFlight === 0) return false;
  for (const request of state.requests.values()) if (isLarge(request)) return true;
  return false;
}

function isLarge({ purpose, priorityClass }: OpenRequest): boolean {
  return purpose.for === 'store' && purpose.bytes > SMALL_SAVE && priorityClass === 'STORE_DATA';
}

/** So many bytes of contents of a request have arrived. */
export function noteMoved(state: ClientState, request: OpenRequest, bytes: number): void {
  if (isLarge(request)) state.queue.allowance.regain(bytes);
}

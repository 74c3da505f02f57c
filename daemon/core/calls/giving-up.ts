/** Which call fails next since the server does not come back, and when. */
import { after, milliseconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import { SEARCH_FOR } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import type { WaitingCall } from '../waits/waiting-calls.ts';

/** Null: there is a session, or no call waits for one. */
export function givingUp(
  state: ClientState,
): { readonly call: number; readonly at: Instant } | null {
  if (state.session.isUp) return null;
  let next: { call: number; at: Instant } | null = null;
  for (const waiting of state.waiting.impatient()) {
    const since = Math.max(waiting.since, state.session.downSince) as Instant;
    const at = after(since, patienceOf(state, waiting));
    if (next === null || at < next.at) next = { call: waiting.call, at };
  }
  return next;
}

/**
 * A read in progress when the connection is lost waits as long as the server is searched for: mostly it is back soon. A call that begins
 * later waits for the shorter, usual time.
 */
function patienceOf({ config, session }: ClientState, { what, since }: WaitingCall): Duration {
  const { notConnectedWait: wait } = config;
  const isReading = what.op === 'open' && what.how.mode === 'read';
  const wasUnderWay = isReading && since < session.downSince;
  return wasUnderWay ? milliseconds(Math.max(wait, SEARCH_FOR)) : wait;
}

/**
 * A server that has died says nothing, and its connection goes on until the transport gives it up: most of a minute. So where something waits for an
 * answer and nothing has been heard for a while, the server is asked for the time; and where not even its machine confirms that this has come, the
 * connection is ended, and another one is tried.
 *
 * Invariants
 * 1. While nothing is waited for nothing is sent for this: a poll, and the keep-alive of the lease, are not waited for, but where somebody flushes.
 * 2. An event that only the other side can cause is a sign of life, the receipt of our question included: a server that is busy, or whose disk is, is
 *    not silent.
 * 3. Time in which this machine slept is no silence: a late look begins anew.
 */
import { after, type Instant } from '../../../shared/model/time.ts';
import { SILENCE_ASKED, SILENCE_ENDED, SILENCE_LATE } from '../../limits.ts';
import type { Event } from '../events.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { sendTime } from '../log/low-water.ts';

export function hear(state: ClientState, event: Event): void {
  if (isSignOfLife(event)) begin(state);
}

/** When something is to be done about it; null: nothing is waited for. */
export function livenessDue(state: ClientState): Instant | null {
  if (!state.session.isUp) return null;
  const oldest = oldestWaited(state);
  if (oldest === null) return null;
  const { heard, asked } = state.session.liveness;
  if (asked !== null && isAsked(state, oldest)) return after(asked, SILENCE_ENDED);
  return after(oldest.sentAt > heard ? oldest.sentAt : heard, SILENCE_ASKED);
}

/**
 * Asks a silent server for the time when that is due, or ends its connection if it stays silent.
 */
export function updateLiveness(state: ClientState): void {
  const { at } = state.now;
  const due = livenessDue(state);
  const oldest = oldestWaited(state);
  if (due === null || oldest === null || at < due) return;
  if (at > after(due, SILENCE_LATE)) begin(state);
  else if (!isAsked(state, oldest)) {
    state.session.liveness.ask(at);
    sendTime(state);
  } else {
    begin(state);
    state.out.log('warn', 'the server is silent: connecting anew');
    state.requests.disconnect();
  }
}

/** The server was asked for a sign of life since this is waited for. */
function isAsked(
  { session: { liveness: silence } }: ClientState,
  { sentAt }: OpenRequest,
): boolean {
  return silence.asked !== null && silence.asked >= sentAt;
}

function begin({ session, now }: ClientState): void {
  session.liveness.hear(now.at);
}

function isSignOfLife(event: Event): boolean {
  switch (event.kind) {
    case 'connected':
    case 'reply':
    case 'progress':
    case 'breaks':
    case 'pull':
    case 'received':
      return true;
    case 'aborted':
      return event.reason === 'peer';
    default:
      return false;
  }
}

/** Requests are kept in the order in which they were sent. A flush waits for the GetTime that reports how far the server is. */
function oldestWaited({ requests, queue: { flushes } }: ClientState): OpenRequest | null {
  for (const request of requests.values()) {
    const { for: what } = request.purpose;
    if (what !== 'follow' && (what !== 'time' || flushes.size > 0)) return request;
  }
  return null;
}

/**
 * What the queue asks of programs: to wait. A write through the port begins only while the queue holds less than the dirty limit, and with the policy
 * `sync` its close ends when the store is committed.
 *
 * Invariants
 * 1. Nothing that was written is dropped or refused for the limit: who has a file open closes it, and the queue is over the limit by that much at
 *    most. What a folder found on its disk has happened already: it is logged and reported.
 * 2. A waiting call is refused after the time that calls wait for a server that is away, if nothing is being sent. What was closed is logged by then,
 *    and is sent later.
 */
import { after } from '../../../shared/model/time.ts';
import { waitFor, refused, done, type Attempt } from '../waits/attempt-result.ts';
import { attributesAfter } from '../log/observation.ts';
import { LOG_KEY } from '../log/flush.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { isShortOfRoom } from '../cache/update-cache.ts';
import { standstill } from '../log/estimates.ts';
import { hurry, expediteAll } from '../log/queue-status.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import type { SyncClose } from './calls-state.ts';

const LIMIT_KEY = { kind: 'dirty-limit' } as const;

export function dirtyLimit(state: ClientState): number {
  return state.queue.settings.dirtyLimit ?? state.config.dirtyBytes ?? Infinity;
}

/** Why a write through the port does not begin yet; null: it may. `from`: the file with whose contents it begins. */
export function mustWaitForQueue(
  state: ClientState,
  call: number,
  from: Fid | null,
): Attempt | null {
  const limit = dirtyLimit(state);
  const { dirtyBytes } = state.log;
  const isShort = isShortOfRoom(state, from);
  if (dirtyBytes < limit && !isShort) return null;
  if (isShort && dirtyBytes === 0) {
    return refused('disk-full', 'a write would take what cache.reserve leaves free of the disk');
  }
  const bound = isShort ? 'the disk has no more room beside its reserve' : `from ${limit} on`;
  const message = `${dirtyBytes} bytes wait to be sent, and ${bound}: no write begins`;
  const since = state.waiting.get(call)?.since ?? state.now.at;
  const until = after(since, state.config.notConnectedWait);
  expediteAll(state);
  if (isFlowing(state)) {
    state.calls.waitForQueue(call, { code: 'dirty-limit', message });
    return waitFor(LOG_KEY);
  }
  if (state.now.at >= until) return refused('dirty-limit', message);
  const known = state.delays.until(LIMIT_KEY);
  if (known === null || until < known) state.delays.holdUntil(LIMIT_KEY, until);
  state.calls.waitForQueue(call, { code: 'dirty-limit', message });
  return waitFor(LOG_KEY, LIMIT_KEY);
}

function isFlowing(state: ClientState): boolean {
  if (standstill(state) !== null || state.session.isServerFull) return false;
  if (state.queue.batchesInFlight + state.queue.storesInFlight > 0) return true;
  return state.queue.data.peek() !== undefined || state.queue.metadata.peek() !== undefined;
}

/** False: the close is answered at once. */
export function closeWhenCommitted(
  state: ClientState,
  call: number,
  { seq, rank, update }: LoggedUpdate,
): boolean {
  if (state.queue.settings.policy !== 'sync') return false;
  const entry = state.log.get(seq);
  if (entry !== undefined) hurry(state, entry);
  const message = 'it is safe here and will be sent, but the server has not confirmed it';
  state.calls.closeWhenCommitted(call, { seq, rank, fid: update.fid });
  state.calls.waitForQueue(call, { code: 'not-committed', message });
  state.waiting.wait(call, [LOG_KEY]);
  state.waiting.wake(call);
  return true;
}

/**
 * Answers a close under the policy `sync` once the server has committed its store. Refuses with
 * `not-committed` where syncing is paused or the store is blocked. The store stays logged then.
 */
export function attemptCommitted(state: ClientState, { seq, rank, fid }: SyncClose): Attempt {
  const entry = state.log.get(seq) ?? successor(state, rank);
  if (entry === undefined || entry.state === 'answered') return done(attributesAfter(state, fid));
  const why = state.session.isPaused ? 'syncing is paused' : entry.blockedBy;
  if (why === null) return waitFor(LOG_KEY);
  return refused('not-committed', `it is safe here, but the server has not confirmed it: ${why}`);
}

/** A conflict has given it another number. */
function successor(state: ClientState, rank: number): LoggedUpdate | undefined {
  for (const entry of state.log.all()) {
    if (entry.rank === rank && entry.state !== 'answered') return entry;
  }
  return undefined;
}

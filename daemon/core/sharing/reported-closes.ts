/**
 * Closes that wait, with invalidations `sync`, until the server has the message about what they wrote. MFS's forward invalidation is "synchronous"
 * (section 5.1): an open after the close waits for the store.
 *
 * Invariants
 * 1. The store of such a close is reported, even if it is sent in the same step.
 * 2. It waits for the answer to that message as long as there is a session. A device that is away sends the message in its next session, and no close
 *    waits for that (rule S4). Files that no other device has seen, and unshared ones of this device, need no message.
 */
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { attributesAfter } from '../log/observation.ts';
import { done, waitFor, type Attempt } from '../waits/attempt-result.ts';
import type { RequestId } from '../events.ts';
import type { ClientState } from '../state.ts';
import { isUncommitted } from '../log/view.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { isForItself } from './sharing-orders.ts';
import type { PendingClose } from './told-close-list.ts';

const TOLD_KEY = { kind: 'told' } as const;

/** False: the close is answered at once. */
export function closeWhenTold(
  state: ClientState,
  call: number,
  { seq, update: { fid } }: LoggedUpdate,
): boolean {
  if (state.sharing.settings.invalidations !== 'sync') return false;
  if (!state.session.isUp || !state.log.hidden.isHeard) return false;
  if (isUncommitted(state, fid) || isForItself(state, fid)) return false;
  state.sharing.toldCloses.begin(call, { seq, fid, message: null });
  state.log.hidden.fresh.add(seq);
  state.waiting.wait(call, [TOLD_KEY]);
  return true;
}

/** Attempts a waiting close again after a change of the state. Without a session no message can be sent, so the close does not wait. */
export function attemptReportedClose(state: ClientState, { fid }: PendingClose): Attempt {
  if (state.session.isUp && state.log.hidden.isHeard) return waitFor(TOLD_KEY);
  return done(attributesAfter(state, fid));
}

/** Whether a close waits until this update is reported. */
export function isWaitedFor(state: ClientState, seq: UpdateSeq): boolean {
  for (const [, close] of state.sharing.toldCloses) {
    if (close.seq === seq && close.message === null) return true;
  }
  return false;
}

/**
 * Notes that nothing is left to announce of these updates but what `message` carries; null: nothing at all. Closes that wait for nothing more end.
 */
export function reportedIn(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  message: RequestId | null,
): void {
  if (state.sharing.toldCloses.size === 0 || seqs.length === 0) return;
  const told = new Set(seqs);
  for (const [call, close] of state.sharing.toldCloses) {
    if (close.message !== null || !told.has(close.seq)) continue;
    close.message = message;
    if (message === null) finish(state, call, close);
  }
}

/** Finishes the closes whose writes this acknowledged message has reported. */
export function onToldAnswered(state: ClientState, message: RequestId): void {
  for (const [call, close] of state.sharing.toldCloses) {
    if (close.message === message) finish(state, call, close);
  }
}

/** The message was not taken: what it reported is reported again. */
export function onUntold(state: ClientState, message: RequestId): void {
  for (const [, close] of state.sharing.toldCloses) {
    if (close.message === message) close.message = null;
  }
}

/** Finishes the closes whose updates no message will report: another save took their place, or they have other numbers. */
export function finishPointless(state: ClientState): void {
  for (const [call, close] of state.sharing.toldCloses) {
    if (close.message === null && !state.log.hidden.fresh.has(close.seq))
      finish(state, call, close);
  }
}

function finish(state: ClientState, call: number, { fid }: PendingClose): void {
  state.answer(call, attributesAfter(state, fid));
}

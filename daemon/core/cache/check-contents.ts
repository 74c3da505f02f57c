/**
 * Contents that were on the disk before this start are checked before their first use: the disk may have damaged them.
 *
 * Invariants
 * 1. A content from an earlier run of the daemon is used only after it was read and its digest was found right.
 * 2. One that is not what it was, or can't be read, leaves the cache and is fetched again. If it is ours and the server does not have it, calls for
 *    it are refused; it stays for its owner, and the queue reports the damage when the content is sent.
 */
import type { FileOutcome } from '../events.ts';
import type { ClientState } from '../state.ts';
import type { WaitKey } from '../waits/wait-key.ts';

const checkKey = (name: string): WaitKey => ({ kind: 'check', name });

/** Null: it may be used. Else what to wait for. */
export function needCheck(state: ClientState, name: string): WaitKey | null {
  if (!state.cache.files.isUnchecked(name)) return null;
  const key = checkKey(name);
  if (state.cache.checks.begin(name)) {
    state.cache.files.hold(name);
    state.runTask({ what: 'check', name }, { for: 'check', name });
  }
  return key;
}

/**
 * Takes the outcome of a check that reads cached contents and computes their digest. Damaged
 * contents leave the cache, and the calls that wait fetch them again. Where a logged store names
 * them they stay, and those calls are refused.
 */
export function onChecked(state: ClientState, name: string, outcome: FileOutcome): void {
  const expected = state.cache.files.get(name)?.digest;
  const isGood = outcome.ok && outcome.digest === expected;
  state.cache.checks.ended(name, isGood);
  if (isGood) state.cache.files.checked(name);
  else {
    const why = outcome.ok ? 'they are others' : outcome.message;
    state.out.log('error', 'contents on this disk are damaged', { name, why });
    if (isOwn(state, name)) tell(state, name, outcome);
    else state.cache.files.doom(name);
  }
  state.cache.files.release(name);
  state.waiting.signal(checkKey(name));
}

/** Whether a logged store names it: then the server may not have it. */
function isOwn(state: ClientState, name: string): boolean {
  for (const entry of state.log.all()) if (entry.content === name) return true;
  return false;
}

function tell(state: ClientState, name: string, outcome: FileOutcome): void {
  const code = outcome.ok ? 'damaged-contents' : outcome.code;
  const message = outcome.ok ? 'the contents on this disk are damaged' : outcome.message;
  for (const { call } of state.waiting.waitingOn(checkKey(name))) {
    state.refuse(call, code, message);
  }
}

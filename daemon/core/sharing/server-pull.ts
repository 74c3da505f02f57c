/**
 * Server pull (rules S2, S5): another device waits for an update of ours. It rises to class FETCH, with everything that it depends on, in
 * flight or queued, and without its delay. A paused queue, a blocked update and contents that wait for another network stay as they
 * are: then the answer to the server says that nothing is coming.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { bulkDecision } from '../network/update-bulk-gate.ts';
import { reorder } from '../log/offer.ts';
import { hurry as endDelays } from '../log/queue-status.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { isUrgent } from '../log/update-size.ts';
import { changesFile } from '../log/hidden-updates.ts';
import { announcePassed } from './passed.ts';

/**
 * Raises the updates of the vnodes that a reader waits for (MFS, section 5). The answer to the
 * server names the vnodes of which nothing is coming.
 */
export function onPull(state: ClientState, call: number, fids: readonly Fid[]): void {
  const held = fids.filter((fid) => !hurry(state, fid));
  state.out.emit({ kind: 'pulled', call, held });
}

/** Raises the updates of a vnode. False: none of them is coming. */
function hurry(state: ClientState, fid: Fid): boolean {
  const wanted = new Map<UpdateSeq, LoggedUpdate>();
  for (const { seq, update } of state.log.index.onVnode(fid)) {
    if (changesFile(update)) gather(state, seq, wanted);
  }
  if (wanted.size === 0) return false;
  const isComing = [...wanted.values()].every((entry) => isOnTheWay(state, entry));
  if (!isComing) return false;
  raise(state, wanted);
  reorder(state);
  return true;
}

/** A network on which contents wait is as good as a pause: what its owner pays for is not for others to spend. */
function isOnTheWay(state: ClientState, entry: LoggedUpdate): boolean {
  if (entry.state === 'sent') return true;
  if (entry.state !== 'queued' || state.session.isPaused) return false;
  if (entry.update.op !== 'store' || isUrgent(entry)) return true;
  return bulkDecision(state).kind !== 'wait';
}

/** It, and what it waits for. */
function gather(state: ClientState, seq: UpdateSeq, wanted: Map<UpdateSeq, LoggedUpdate>): void {
  const left = [seq];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const entry = state.log.get(next);
    if (entry === undefined || !isLeft(state, next) || wanted.has(next)) continue;
    wanted.set(next, entry);
    left.push(...entry.waitsFor);
  }
}

function raise(state: ClientState, wanted: ReadonlyMap<UpdateSeq, LoggedUpdate>): void {
  const raised = new Set<UpdateSeq>();
  for (const [seq, entry] of wanted) {
    if (entry.expedited) continue;
    entry.expedited = true;
    endDelays(state, entry);
    raised.add(seq);
  }
  const rising = [...state.requests.values()].filter((each) => carriesAny(each, raised));
  if (rising.length > 0) announcePassed(state, 'FETCH', new Set(rising));
  for (const request of rising) {
    state.requests.expedite(request, 'FETCH');
  }
}

function carriesAny({ purpose }: OpenRequest, seqs: ReadonlySet<UpdateSeq>): boolean {
  if (purpose.for === 'batch') return purpose.seqs.some((seq) => seqs.has(seq));
  return purpose.for === 'store' && seqs.has(purpose.seq);
}

/** Ends the haste of all updates, since the readers that waited were of the connection that ended: they are sent in their order. */
export function lowerAll(state: ClientState): void {
  let some = false;
  for (const entry of state.log.all()) {
    some ||= entry.expedited;
    entry.expedited = false;
  }
  if (some) reorder(state);
}

function isLeft(state: ClientState, seq: UpdateSeq): boolean {
  const entry = state.log.get(seq);
  return entry !== undefined && entry.state !== 'answered';
}

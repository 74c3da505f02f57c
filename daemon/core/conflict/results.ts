/**
 * What the server answers to updates: each is committed, or refused and resolved (resolve.ts), or sent again.
 *
 * Invariants
 * 1. What fails for now is sent again after a delay. Nothing is dropped for a failure.
 * 2. What the server can not read is blocked, and holds up nothing else.
 * 3. A store whose contents can't be read here is blocked, and sent again after a delay of its own: a disk may come to itself.
 */
import type { ClientState } from '../state.ts';
import type { UpdateSeq, UpdateResult, Refusal } from '../../../shared/model/update.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { dataVersion, type VnodeStatus } from '../../../shared/model/vnode.ts';
import { resumeStalled, resolveRefusal, block, logAgain } from './resolve.ts';
import { offer } from '../log/offer.ts';
import { applyCommitted } from '../log/settle.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import {
  DAMAGED,
  KEEPS_REFUSING,
  NO_RIGHT,
  NOT_SEEN,
  isCancelled,
  updateDelays,
} from '../log/queue-status.ts';
import { onOverQuota } from '../log/held-back.ts';
import { mendDamaged } from './damaged.ts';
import { leaveMountPoints } from './out-of-mounts.ts';
import { noteHead } from '../names/heads.ts';
import { removedText } from '../names/volumes.ts';
import type { WaitKey } from '../waits/wait-key.ts';

/**
 * Takes the results of a batch of metadata updates. An update without a result goes back into its
 * queue.
 */
export function onBatch(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  results: readonly UpdateResult[],
): void {
  state.queue.batchEnded();
  state.delays.succeeded({ kind: 'batch' });
  state.session.hadRoomFor('batch');
  takeResults(state, seqs, results);
}

/** Takes the result of one store. `purpose.bytes`: the contents that were in flight. */
export function onStored(
  state: ClientState,
  purpose: { seq: UpdateSeq; bytes: number },
  result: UpdateResult,
): void {
  storeEnded(state, purpose.bytes);
  state.delays.succeeded({ kind: 'store' });
  state.session.hadRoomFor('store');
  state.delays.succeeded(sourceKey(purpose.seq));
  takeResults(state, [purpose.seq], [result]);
}

function storeEnded(state: ClientState, bytes: number): void {
  state.queue.storeEnded(bytes);
}

function takeResults(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  results: readonly UpdateResult[],
): void {
  const asked = new Set(seqs);
  for (const result of results) {
    if (!asked.delete(result.seq)) continue;
    const entry = state.log.get(result.seq);
    if (entry?.state !== 'sent') continue;
    state.log.hidden.decided(entry.seq, entry.update);
    if (result.ok) committed(state, entry, result);
    else refused(state, entry, result.refusal, result.existing);
    state.log.hidden.fresh.add(entry.seq);
  }
  // Only now: a refusal may have renumbered others of the same batch.
  for (const seq of seqs) state.queue.landed(seq);
  requeue(state, asked);
}

function committed(
  state: ClientState,
  entry: LoggedUpdate,
  result: Extract<UpdateResult, { ok: true }>,
): void {
  const { commit, touched } = result;
  const { update } = entry;
  if (update.op === 'store' && entry.content !== null) {
    const after = touched.find((t) => t.fid === update.fid)?.after ?? update.base + 1;
    state.cache.files.renumber(entry.content, update.fid, dataVersion(after));
    state.cache.recent.note(update.fid, 'sent', state.now.wall);
  }
  const freed = state.log.answered(entry, { commit, touched });
  for (const waiter of freed) {
    resumeStalled(state, waiter);
    if (state.log.get(waiter.seq) === waiter) offer(state, waiter);
  }
  applyCommitted(state, entry);
  state.conflict.adjustments.committed(entry.seq);
  noteHead(state, entry.volume, commit);
  state.out.wake(entry.volume);
  state.waiting.signal({ kind: 'log' });
  state.changed = true;
}

function refused(
  state: ClientState,
  entry: LoggedUpdate,
  refusal: Refusal,
  existing: VnodeStatus | null,
): void {
  state.out.log('info', 'update refused', { seq: entry.seq, op: entry.update.op, refusal });
  if (resolveRefusal(state, entry, refusal, existing)) return;
  // No fid to call the copy by, or no word of what has a name: the same question again, when there is.
  entry.state = 'stalled';
  state.conflict.awaitWord(entry.seq, { refusal, existing });
}

/** Tries again what could not be resolved yet, and rewrites what has left the mount point that it was refused in. */
export function retryUnresolved(state: ClientState): void {
  leaveMountPoints(state);
  if (state.conflict.unresolved().size === 0) return;
  for (const [seq, { refusal, existing }] of [...state.conflict.unresolved()]) {
    const entry = state.log.get(seq);
    if (entry === undefined || resolveRefusal(state, entry, refusal, existing)) {
      state.conflict.resolved(seq);
    }
  }
}

/**
 * Takes a batch that failed: its updates are sent again after a delay, or blocked where a right is
 * missing. `code` null: the connection ended. `jitter` in [0, 1) spreads the delays.
 */
export function onBatchFailed(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  code: ErrorCode | null,
  jitter: number,
): void {
  state.queue.batchEnded();
  if (code === 'bad-message') return unreadable(state, seqs);
  failed(state, seqs, 'batch', code, jitter);
}

/** The server reads a message whole or not at all: what it can not read is found by sending each alone, and is blocked; all others go on. */
function unreadable(state: ClientState, seqs: readonly UpdateSeq[]): void {
  for (const seq of seqs) state.queue.landed(seq);
  const [only, ...others] = seqs;
  const entry = only === undefined || others.length > 0 ? undefined : state.log.get(only);
  if (entry?.state === 'sent') {
    block(
      state,
      entry,
      `${KEEPS_REFUSING}: it can not read it, and may be older than this program`,
    );
    return;
  }
  state.queue.sendAlone(seqs);
  requeue(state, seqs);
}

/**
 * Takes a store that failed: it is sent again after a delay, held back for its quota, or blocked.
 * `purpose.bytes`: the contents that were in flight. `code` null: the connection ended. `jitter` in
 * [0, 1) spreads the delays.
 */
export function onStoreFailed(
  state: ClientState,
  purpose: { seq: UpdateSeq; bytes: number },
  code: ErrorCode | null,
  jitter: number,
): void {
  // The server looked at them: they are not what their digest says.
  if (code === 'length-mismatch') {
    return onSourceFailed(state, purpose, DAMAGED, jitter);
  }
  storeEnded(state, purpose.bytes);
  if (code === 'bad-message') return unreadable(state, [purpose.seq]);
  if (code === 'over-quota') {
    state.queue.landed(purpose.seq);
    const entry = state.log.get(purpose.seq);
    if (entry?.state !== 'sent') return;
    onOverQuota(state, entry, jitter);
    return;
  }
  failed(state, [purpose.seq], 'store', code, jitter);
}

function failed(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  queue: 'batch' | 'store',
  code: ErrorCode | null,
  jitter: number,
): void {
  for (const seq of seqs) state.queue.landed(seq);
  if (code === 'incarnation-reused') copied(state);
  if (code === 'no-right' || code === 'no-such-volume') {
    for (const seq of seqs) {
      const entry = state.log.get(seq);
      if (entry?.state !== 'sent') continue;
      const removed = state.names.volumes.removedName(entry.volume);
      const said = code === 'no-right' ? NO_RIGHT : NOT_SEEN;
      block(state, entry, removed === null ? said : removedText(removed));
    }
    return;
  }
  if (code !== null) {
    if (code === 'server-full') state.session.refusedAsFull(queue);
    state.changed = true;
    state.delays.failed({ kind: queue }, state.now.at, jitter);
  }
  requeue(state, seqs);
}

/** A copy of this data folder has used the same numbers (rule I2): nothing goes on before it is paired again. */
function copied(state: ClientState): void {
  const detail = 'the number of an update is known under another name';
  state.session.refused({ code: 'incarnation-reused', detail });
  state.out.log('error', 'this data folder was copied; it must be paired again', { detail });
  state.changed = true;
  state.requests.disconnect();
}

function requeue(state: ClientState, seqs: Iterable<UpdateSeq>): void {
  for (const seq of seqs) {
    const entry = state.log.get(seq);
    if (entry?.state !== 'sent') continue;
    entry.state = 'queued';
    state.log.hidden.fresh.add(seq);
    offer(state, entry);
  }
}

/** Contents that are to be sent can't be read, or are not what was written: said, and tried again; nothing else suffers. */
export function onSourceFailed(
  state: ClientState,
  purpose: { seq: UpdateSeq; bytes: number },
  why: string,
  jitter: number,
): void {
  storeEnded(state, purpose.bytes);
  state.queue.landed(purpose.seq);
  const entry = state.log.get(purpose.seq);
  if (entry?.state !== 'sent') return;
  if (why === DAMAGED && mendDamaged(state, entry)) return;
  block(state, entry, why);
  state.delays.failed(sourceKey(purpose.seq), state.now.at, jitter);
}

const sourceKey = (seq: UpdateSeq): WaitKey => ({ kind: 'source', seq });

/** A delay is over: contents that could not be read may be readable now. */
export function readSourceAgain(state: ClientState, seq: UpdateSeq): void {
  const entry = state.log.get(seq);
  if (entry?.state !== 'blocked' || isCancelled(entry)) {
    return state.delays.succeeded(sourceKey(seq));
  }
  entry.state = 'queued';
  entry.blockedBy = null;
  state.log.hidden.fresh.add(entry.seq);
  offer(state, entry);
}

/**
 * After a Hello: everything unanswered goes out again, the blocked under new numbers (rights may have changed), as if they had never
 * been refused: what bounds the numbers is for one session. What a quota holds back waits for room.
 */
export function resendAll(state: ClientState): void {
  state.quota.wantLook();
  state.queue.allLanded();
  state.conflict.forgetRefusals();
  for (const entry of [...state.log.all()]) {
    if (state.log.get(entry.seq) !== entry) continue;
    const isKept = entry.heldBack || (isCancelled(entry) && !entry.fresh);
    if (entry.state === 'blocked' && !isKept) logAgain(state, entry, 0);
    else if (entry.state === 'sent' || entry.state === 'stalled') entry.state = 'queued';
    // One that was blocked when the program ended begins as queued, and its old answer may be known to the server still.
    entry.renumbered = 0;
  }
  for (const entry of state.log.all()) offer(state, entry);
  updateDelays(state);
}

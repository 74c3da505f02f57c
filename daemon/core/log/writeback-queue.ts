/**
 * Writeback: sends logged updates, the metadata queue and the data queue side by side (rule W4).
 *
 * Invariants
 * 1. At most BATCHES_IN_FLIGHT batches and STORES_IN_FLIGHT stores are on their way; content bytes are bounded beyond the first store, by what the
 *    line takes in a short time (store-window.ts).
 * 2. An update keeps its number from sending to sending; the server applies it once.
 * 3. The low water never passes a number that something on its way still names.
 * 4. What fails for now is sent again after a delay. Nothing is dropped for a failure.
 * 5. A store whose contents can't be read here is blocked, and sent again after a delay of its own: a disk may come to itself.
 */
import { updateSeq } from '../../../shared/model/update.ts';
import type {
  StoreUpdate,
  UpdateName,
  UpdateResult,
  UpdateSeq,
} from '../../../shared/model/update.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import { dataVersion, type Digest, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Refusal } from '../../../shared/model/update.ts';
import { BATCH_TARGET_BYTES, MAX_BATCH_UPDATES } from '../../../shared/wire/limits.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { BATCHES_IN_FLIGHT, MIN_DELTA } from '../../limits.ts';
import { block, logAgain, resolveRefusal, resumeStalled } from '../conflict/resolve.ts';
import { heardOfHead } from '../sharing/change-feed.ts';
import { isBehindOthers, overtakenBy, tellOfNames } from '../sharing/reordering.ts';
import { hangUp } from '../session/disconnect.ts';
import { mayBeginBulk } from '../network/tend-bulk.ts';
import { holdBack, onOverQuota } from './held-back.ts';
import { maySend } from '../quota/room.ts';
import type { ClientState } from '../state.ts';
import { mendDamaged } from '../conflict/damaged.ts';
import { offer } from './offer.ts';
import { applyCommitted } from './settle.ts';
import { lowWater } from './low-water.ts';
import { newcomer } from './newcomers.ts';
import { DAMAGED, isAside, tendDelays } from './queue-status.ts';
import { hasRoom, hasRoomBeside } from './upload-slots.ts';
import type { LoggedUpdate } from './update-log.ts';
import { classOf, isUrgent, sizeOf } from './update-size.ts';

/** Sends what may go out. */
export function pumpWriteback(state: ClientState): void {
  if (!state.session.isUp || state.paused) return;
  if (state.writeback.policy === 'logging') return pumpLog(state);
  while (state.batchesInFlight < BATCHES_IN_FLIGHT && !isHeld(state, 'batch')) {
    if (!sendBatch(state)) break;
  }
  while (!isHeld(state, 'store')) {
    if (!sendStore(state)) break;
  }
}

const isHeld = (state: ClientState, key: string): boolean => state.delays.isHeld(key, state.now.at);

function sendBatch(state: ClientState): boolean {
  const queue = state.metadataQueue;
  const batch = new Batch(state);
  for (let next = queue.peek(); next !== undefined && batch.takes(next); next = queue.peek()) {
    queue.take();
    batch.add(next);
  }
  return batch.send('STORE_ATTR');
}

/** Metadata updates that are sent together; what is added counts as sent, so that what depends on it can be added too. */
class Batch {
  readonly #state: ClientState;
  readonly #entries: LoggedUpdate[] = [];
  #bytes = 0;

  constructor(state: ClientState) {
    this.#state = state;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  takes(next: LoggedUpdate): boolean {
    const [first] = this.#entries;
    if (first === undefined) return true;
    if (next.volume !== first.volume || this.#entries.length >= MAX_BATCH_UPDATES) return false;
    return this.#bytes + sizeOf(next) <= BATCH_TARGET_BYTES;
  }

  add(next: LoggedUpdate): void {
    this.#bytes += sizeOf(next);
    this.#entries.push(next);
    next.isStuck = false;
    markSent(this.#state, next);
  }

  /** False: there was nothing to send. */
  send(priorityClass: PriorityClass): boolean {
    const [state, bytes] = [this.#state, this.#bytes];
    // Whatever their turns: what depends on another has the higher number.
    const entries = this.#entries.sort((a, b) => a.seq - b.seq);
    const [first] = entries;
    if (first === undefined) return false;
    const updates = entries.map(({ seq, name, waitsFor, update }) => {
      if (update.op === 'store') throw new TypeError('a store is in no batch');
      return { seq, ...named(name), ...dependencies(state, name, waitsFor), update };
    });
    const sentIn = entries.some((entry) => entry.raised) ? 'FETCH' : priorityClass;
    tellOfNames(state, sentIn);
    state.batchesInFlight += 1;
    const overtaken = overtakenBy(state, sentIn);
    const body = { volume: first.volume, lowWater: lowWater(state), updates, ...overtaken };
    const purpose = { for: 'batch', seqs: entries.map((entry) => entry.seq), bytes } as const;
    state.send({ rpc: 'Apply', body }, sentIn, purpose);
    return true;
  }
}

/**
 * The policy `logging`: one log, in order, one class for all of it, and one thing on its way at a time: a run of metadata, or a store. What
 * can not be sent by itself, and what depends on that, is passed over, and so are all stores where one has to wait for its network; a store
 * that waits for its delay stops the log.
 */
function pumpLog(state: ClientState): void {
  if (state.batchesInFlight + state.storesInFlight > 0) return;
  if (isHeld(state, 'batch') || isHeld(state, 'store')) return;
  // Nobody takes from the queues now: what has gone is let go of here.
  state.metadataQueue.peek();
  state.dataQueue.peek();
  state.newcomers.peek();
  const batch = new Batch(state);
  let mayStore = true;
  for (const entry of state.log.all()) {
    if (entry.state !== 'queued' || !state.metadataQueue.isReady(entry)) {
      if (entry.delayedUntil === null) continue;
      break;
    }
    if (entry.update.op !== 'store') {
      if (!batch.takes(entry)) break;
      batch.add(entry);
      continue;
    }
    mayStore &&= isUrgent(entry) || mayBeginBulk(state, entry.update.size);
    if (!mayStore && !isUrgent(entry)) continue;
    if (!batch.isEmpty) break;
    if (dispatchStore(state, entry, 'STORE_DATA')) {
      return;
    }
  }
  batch.send('STORE_DATA');
}

function sendStore(state: ClientState): boolean {
  if (sendNewcomer(state)) return true;
  const next = state.dataQueue.peek();
  if (next?.update.op !== 'store') return false;
  const { size } = next.update;
  if (!hasRoom(state, next, size)) return false;
  if (!isUrgent(next) && !mayBeginBulk(state, size)) return false;
  state.dataQueue.take();
  dispatchStore(state, next, classOf(next));
  return true;
}

/** What is left of it in the data queue is not ready any more, and goes from there by itself. */
function sendNewcomer(state: ClientState): boolean {
  const next = newcomer(state);
  if (next?.update.op !== 'store') return false;
  const { size } = next.update;
  if (!hasRoomBeside(state, size) || !mayBeginBulk(state, size)) return false;
  state.newcomers.take();
  if (dispatchStore(state, next, 'STORE_FAST')) state.allowance.spend(size);
  return true;
}

/** False: it is held back. */
function dispatchStore(
  state: ClientState,
  next: LoggedUpdate,
  priorityClass: PriorityClass,
): boolean {
  if (next.update.op !== 'store' || next.content === null) return false;
  const { size } = next.update;
  // What was sent before may be applied, and be what takes the room.
  if (next.fresh && !maySend(state, next.volume, next.grows)) {
    holdBack(state, next);
    return false;
  }
  const sentIn = next.raised ? 'FETCH' : priorityClass;
  const again = !next.fresh;
  markSent(state, next);
  next.isStuck = isBehindOthers(state, sentIn);
  if (next.isStuck) state.hidden.fresh.add(next.seq);
  tellOfNames(state, sentIn);
  state.storesInFlight += 1;
  state.storeBytesInFlight += size;
  const { seq, name, volume, update, waitsFor, content } = next;
  const body = {
    volume,
    lowWater: lowWater(state),
    seq,
    ...named(name),
    ...dependencies(state, name, waitsFor),
    update,
    ...overtakenBy(state, sentIn),
  };
  const base = baseDigest(state, update);
  const isWhole = (base === null && !again) || size < MIN_DELTA;
  const purpose = { for: 'store', seq, fid: update.fid, bytes: size, isWhole } as const;
  const source = size === 0 ? null : { name: content, length: size, base, again };
  state.send({ rpc: 'Store', body }, sentIn, purpose, source);
  return true;
}

/** Of the version that a store was made over, where that is the one the server has. */
function baseDigest(state: ClientState, { fid, base }: StoreUpdate): Digest | null {
  const status = state.attributes.get(fid);
  return status?.version === base ? status.digest : null;
}

const named = (name: UpdateName | null): { name?: UpdateName } => (name === null ? {} : { name });

/** What an update must come after; with the names only where they are not its own (rule W4). */
function dependencies(
  state: ClientState,
  name: UpdateName | null,
  waitsFor: ReadonlySet<UpdateSeq>,
): { after: UpdateSeq[]; afterNames?: Array<UpdateName | null> } {
  const after = [...waitsFor];
  const afterNames = after.map((seq) => state.log.get(seq)?.name ?? null);
  return afterNames.every((each) => each === name) ? { after } : { after, afterNames };
}

function markSent(state: ClientState, entry: LoggedUpdate): void {
  entry.state = 'sent';
  entry.fresh = false;
  for (const seq of entry.waiters) {
    const waiter = state.log.get(seq);
    if (waiter !== undefined) offer(state, waiter);
  }
}

export function onBatch(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  results: readonly UpdateResult[],
): void {
  state.batchesInFlight -= 1;
  state.delays.succeeded('batch');
  state.session.hadRoomFor('batch');
  takeResults(state, seqs, results);
}

export function onStored(
  state: ClientState,
  purpose: { seq: UpdateSeq; bytes: number },
  result: UpdateResult,
): void {
  storeEnded(state, purpose.bytes);
  state.delays.succeeded('store');
  state.session.hadRoomFor('store');
  state.delays.succeeded(sourceKey(purpose.seq));
  takeResults(state, [purpose.seq], [result]);
}

function storeEnded(state: ClientState, bytes: number): void {
  state.storesInFlight -= 1;
  state.storeBytesInFlight -= bytes;
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
    state.hidden.decided(entry.seq, entry.update);
    if (result.ok) committed(state, entry, result);
    else refused(state, entry, result.refusal, result.existing);
    state.hidden.fresh.add(entry.seq);
  }
  // Only now: a refusal may have renumbered others of the same batch.
  for (const seq of seqs) state.ghosts.delete(seq);
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
    state.files.renumber(entry.content, update.fid, dataVersion(after));
    state.recent.note(update.fid, 'sent', state.now.wall);
  }
  const freed = state.log.answered(entry, { commit, touched });
  for (const waiter of freed) {
    resumeStalled(state, waiter);
    if (state.log.get(waiter.seq) === waiter) offer(state, waiter);
  }
  applyCommitted(state, entry);
  state.adjustments.committed(entry.seq);
  heardOfHead(state, entry.volume, commit);
  state.woken.add(entry.volume);
  state.waiting.signal('log');
  state.changed = true;
}

function refused(
  state: ClientState,
  entry: LoggedUpdate,
  refusal: Refusal,
  existing: VnodeStatus | null,
): void {
  if (resolveRefusal(state, entry, refusal, existing)) return;
  // No fid to call the copy by: the same question again, when there is one.
  entry.state = 'stalled';
  state.unresolved.set(entry.seq, { refusal, existing });
}

/** Tries again what could not be resolved for want of a fid. */
export function pumpUnresolved(state: ClientState): void {
  if (state.unresolved.size === 0) return;
  for (const [seq, { refusal, existing }] of [...state.unresolved]) {
    const entry = state.log.get(seq);
    if (entry === undefined || resolveRefusal(state, entry, refusal, existing)) {
      state.unresolved.delete(seq);
    }
  }
}

export function onBatchFailed(
  state: ClientState,
  seqs: readonly UpdateSeq[],
  code: ErrorCode | null,
  jitter: number,
): void {
  state.batchesInFlight -= 1;
  failed(state, seqs, 'batch', code, jitter);
}

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
  if (code === 'over-quota') {
    state.ghosts.delete(purpose.seq);
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
  key: string,
  code: ErrorCode | null,
  jitter: number,
): void {
  for (const seq of seqs) state.ghosts.delete(seq);
  if (code === 'incarnation-reused') copied(state);
  if (code === 'no-right' || code === 'no-such-volume') {
    for (const seq of seqs) {
      const entry = state.log.get(seq);
      if (entry?.state === 'sent') block(state, entry, `the server says ${code}`);
    }
    return;
  }
  if (code !== null) {
    if (code === 'server-full') state.session.refusedAsFull(key);
    state.changed = true;
    state.delays.failed(key, state.now.at, jitter);
  }
  requeue(state, seqs);
}

/** A copy of this data folder has used the same numbers (rule I2): nothing goes on before it is paired again. */
function copied(state: ClientState): void {
  const detail = 'the number of an update is known under another name';
  state.session.refused({ code: 'incarnation-reused', detail });
  state.out.log('error', 'this data folder was copied; it must be paired again', { detail });
  state.changed = true;
  hangUp(state);
}

function requeue(state: ClientState, seqs: Iterable<UpdateSeq>): void {
  for (const seq of seqs) {
    const entry = state.log.get(seq);
    if (entry?.state !== 'sent') continue;
    entry.state = 'queued';
    state.hidden.fresh.add(seq);
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
  state.ghosts.delete(purpose.seq);
  const entry = state.log.get(purpose.seq);
  if (entry?.state !== 'sent') return;
  if (why === DAMAGED && mendDamaged(state, entry)) return;
  block(state, entry, why);
  state.delays.failed(sourceKey(purpose.seq), state.now.at, jitter);
}

const SOURCE = 'source:';
const sourceKey = (seq: UpdateSeq): string => `${SOURCE}${seq}`;

/** A delay is over: contents that could not be read may be readable now. */
export function readSourceAgain(state: ClientState, key: string): void {
  if (!key.startsWith(SOURCE)) return;
  const entry = state.log.get(updateSeq(Number(key.slice(SOURCE.length))));
  if (entry?.state !== 'blocked' || isAside(entry)) return state.delays.succeeded(key);
  entry.state = 'queued';
  entry.blockedBy = null;
  state.hidden.fresh.add(entry.seq);
  offer(state, entry);
}

/**
 * After a Hello: everything unanswered goes out again, the blocked under new numbers (rights may have changed), as if they had never
 * been refused: what bounds the numbers is for one session. What a quota holds back waits for room.
 */
export function resendAll(state: ClientState): void {
  state.quota.wantLook();
  state.ghosts.clear();
  state.unresolved.clear();
  for (const entry of [...state.log.all()]) {
    if (state.log.get(entry.seq) !== entry) continue;
    const isKept = entry.heldBack || (isAside(entry) && !entry.fresh);
    if (entry.state === 'blocked' && !isKept) logAgain(state, entry, 0);
    else if (entry.state === 'sent' || entry.state === 'stalled') entry.state = 'queued';
  }
  for (const entry of state.log.all()) offer(state, entry);
  tendDelays(state);
}

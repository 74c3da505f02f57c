/**
 * Writeback: sends logged updates, the metadata queue and the data queue side by side (rule W4).
 *
 * Invariants
 * 1. At most BATCHES_IN_FLIGHT batches and STORES_IN_FLIGHT stores are on their way; content bytes are bounded beyond the first store, by what the
 *    line takes in a short time (store-window.ts).
 * 2. An update keeps its number from sending to sending; the server applies it once.
 * 3. The low water never passes a number that something on its way still names.
 *
 * What becomes of the answers: conflict/results.ts.
 */
import type { StoreUpdate, UpdateNonce, UpdateSeq } from '../../../shared/model/update.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import { BATCH_TARGET_BYTES, MAX_BATCH_UPDATES } from '../../../shared/wire/limits.ts';
import { BATCHES_IN_FLIGHT, MIN_DELTA } from '../../limits.ts';
import { announceNamesBefore } from '../sharing/passed.ts';
import { mayBeginBulk } from '../network/update-bulk-gate.ts';
import { holdBack } from './held-back.ts';
import { maySend } from '../quota/room.ts';
import { readable } from './copy-mark.ts';
import type { ClientState } from '../state.ts';
import { offer } from './offer.ts';
import { lowWater } from './low-water.ts';
import { newcomer } from './newcomers.ts';
import { hasUploadSlot, hasUploadSlotBeside } from './upload-slots.ts';
import { sourceOf } from './store-source.ts';
import type { LoggedUpdate } from './update-log.ts';
import { classOf, isUrgent, sizeOf } from './update-size.ts';
import { isBehindOthers, reorderedBy } from './reordering.ts';

/** Sends what may go out. */
export function sendPendingUpdates(state: ClientState): void {
  if (!state.session.isUp || state.session.isPaused) return;
  if (state.queue.settings.policy === 'logging') return sendPendingInOrder(state);
  while (state.queue.batchesInFlight < BATCHES_IN_FLIGHT && !isHeld(state, 'batch')) {
    if (!sendBatch(state)) break;
  }
  while (!isHeld(state, 'store')) {
    if (!sendStore(state)) break;
  }
}

const isHeld = (state: ClientState, kind: 'batch' | 'store'): boolean =>
  state.delays.isHeld({ kind }, state.now.at);

function sendBatch(state: ClientState): boolean {
  const queue = state.queue.metadata;
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
    const { queue } = this.#state;
    if (queue.goesAlone(first.seq) || queue.goesAlone(next.seq)) return false;
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
    // In the order of their numbers and not of priorities: an update depends on lower numbers only.
    const entries = this.#entries.sort((a, b) => a.seq - b.seq);
    const [first] = entries;
    if (first === undefined) return false;
    if (entries.length === 1) state.queue.wentAlone(first.seq);
    const updates = entries.map(({ seq, name, waitsFor, update }) => {
      if (update.op === 'store') throw new TypeError('a store is in no batch');
      const about = { seq, ...named(name), ...dependencies(state, name, waitsFor) };
      return { ...about, update: readable(state, update) };
    });
    const sentIn = entries.some((entry) => entry.expedited) ? 'FETCH' : priorityClass;
    announceNamesBefore(state, sentIn);
    state.queue.batchSent();
    const overtaken = reorderedBy(state, sentIn);
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
function sendPendingInOrder(state: ClientState): void {
  if (state.queue.batchesInFlight + state.queue.storesInFlight > 0) return;
  if (isHeld(state, 'batch') || isHeld(state, 'store')) return;
  // Nobody takes from the queues now: what has gone is let go of here.
  state.queue.metadata.peek();
  state.queue.data.peek();
  state.queue.newcomers.peek();
  const batch = new Batch(state);
  let mayStore = true;
  for (const entry of state.log.all()) {
    if (entry.state !== 'queued' || !state.queue.metadata.isReady(entry)) {
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
  const next = state.queue.data.peek();
  if (next?.update.op !== 'store') return false;
  const { size } = next.update;
  if (!hasUploadSlot(state, next, size)) return false;
  if (!isUrgent(next) && !mayBeginBulk(state, size)) return false;
  state.queue.data.take();
  dispatchStore(state, next, classOf(next));
  return true;
}

/** What is left of it in the data queue is not ready any more, and goes from there by itself. */
function sendNewcomer(state: ClientState): boolean {
  const next = newcomer(state);
  if (next?.update.op !== 'store') return false;
  const { size } = next.update;
  if (!hasUploadSlotBeside(state, size) || !mayBeginBulk(state, size)) return false;
  state.queue.newcomers.take();
  if (dispatchStore(state, next, 'STORE_FAST')) state.queue.allowance.spend(size);
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
  const sentIn = next.expedited ? 'FETCH' : priorityClass;
  const again = !next.fresh;
  markSent(state, next);
  next.isStuck = isBehindOthers(state, sentIn);
  if (next.isStuck) state.log.hidden.fresh.add(next.seq);
  announceNamesBefore(state, sentIn);
  state.queue.storeSent(size);
  const { seq, name, volume, update, waitsFor, content } = next;
  const body = {
    volume,
    lowWater: lowWater(state),
    seq,
    ...named(name),
    ...dependencies(state, name, waitsFor),
    update,
    ...reorderedBy(state, sentIn),
  };
  const base = baseDigest(state, update);
  const from = base === null ? sourceOf(state, update) : null;
  const isWhole = (base === null && from === null && !again) || size < MIN_DELTA;
  const purpose = { for: 'store', seq, fid: update.fid, bytes: size, isWhole } as const;
  const sent = size === 0 ? null : { name: content, length: size, base, from, again };
  state.send({ rpc: 'Store', body }, sentIn, purpose, { content: sent });
  return true;
}

/** Of the version that a store was made over, where that is the one the server has. */
function baseDigest(state: ClientState, { fid, base }: StoreUpdate): Digest | null {
  const status = state.names.attributes.get(fid);
  return status?.version === base ? status.digest : null;
}

const named = (name: UpdateNonce | null): { name?: UpdateNonce } => (name === null ? {} : { name });

/** What an update must come after; with the names only where they are not its own (rule W4). */
function dependencies(
  state: ClientState,
  name: UpdateNonce | null,
  waitsFor: ReadonlySet<UpdateSeq>,
): { after: UpdateSeq[]; afterNames?: Array<UpdateNonce | null> } {
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

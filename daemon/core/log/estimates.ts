/** How fast the two queues are, and what keeps them: measured on what the server has confirmed, never guessed. */
import type { QueueEstimate, QueueName } from '../../../shared/control/queue.ts';
import type { OpenRequest } from '../waits/requests.ts';
import { heldByNetwork } from '../network/update-bulk-gate.ts';
import type { ClientState } from '../state.ts';
import { noteMoved } from './newcomers.ts';
import { noteBegun } from './upload-slots.ts';

const NOT_CONNECTED = 'not connected';
const PAUSED = 'paused';
const NOT_KNOWN = 'not measured yet';
const STANDS = 'nothing gets through';

/** What of a request is surely sent now: contents that may go in part tell by their progress alone. */
export function noteProgress(state: ClientState, request: OpenRequest, sentBytes: number): void {
  if (request.purpose.for !== 'store') return;
  if (sentBytes > 0) noteBegun(state, request);
  const moved = Math.max(sentBytes - request.sentBytes, 0);
  noteMoved(state, request, moved);
  state.queue.rates.data.moved(moved, state.now.at);
}

/**
 * Counts the bytes of an answered batch or whole store into the measured rate of its queue.
 * Progress events have counted the bytes of a store that was sent before.
 */
export function noteConfirmed(state: ClientState, request: OpenRequest): void {
  const { purpose, sentBytes } = request;
  noteBegun(state, request);
  if (purpose.for === 'batch') state.queue.rates.metadata.moved(purpose.bytes, state.now.at);
  if (purpose.for !== 'store' || !purpose.isWhole) return;
  state.queue.rates.data.moved(Math.max(purpose.bytes - sentBytes, 0), state.now.at);
}

/** At the end of each step: which queue is busy from now on. */
export function updateRates(state: ClientState): void {
  const {
    queue: { rates },
    session,
    now,
  } = state;
  if (!session.isUp) {
    rates.metadata.forget();
    rates.data.forget();
    return;
  }
  rates.metadata.tell(state.queue.batchesInFlight > 0, now.at);
  rates.data.tell(state.queue.storesInFlight > 0, now.at);
}

/** Why nothing at all is sent at the moment; null: it is. */
export function standstill(state: ClientState): string | null {
  if (state.session.isPaused) return PAUSED;
  return state.session.isUp ? null : NOT_CONNECTED;
}

/** Nothing of the data moves, and the network holds back what would be next. */
function heldBack(state: ClientState): string | null {
  const next = state.queue.storesInFlight > 0 ? undefined : state.queue.data.peek();
  if (next?.update.op !== 'store') return null;
  return heldByNetwork(state, next.seq)?.why ?? null;
}

/** When so many bytes are through. `kept`: why there is something left that will not be sent by itself. */
export function estimateOf(
  state: ClientState,
  queue: QueueName,
  bytes: number,
  kept: string | null,
): QueueEstimate {
  const rate = state.queue.rates[queue].at(state.now.at);
  const bytesPerSecond = rate === null ? null : Math.round(rate);
  const unknown = (why: string): QueueEstimate => ({ bytesPerSecond, seconds: null, why });
  if (bytes === 0 && kept === null) return { bytesPerSecond, seconds: 0, why: null };
  const why = standstill(state) ?? kept ?? (queue === 'data' ? heldBack(state) : null);
  if (why !== null) return unknown(why);
  if (rate === null) return unknown(NOT_KNOWN);
  if (rate < 1) return unknown(STANDS);
  return { bytesPerSecond, seconds: Math.ceil(bytes / rate), why: null };
}

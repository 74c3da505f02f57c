/**
 * The order on the line: what a message waits behind (rule S2), and what it overtakes.
 *
 * What a message overtakes (rule S5): saves of ours that are on their way in a lower class. It names them, and they are marked before it is
 * committed; so nobody who has seen the later change is shown a file without the earlier one as the latest.
 *
 * Inside a class messages are sent in order, but in FETCH, where what is short passes what is long (shared/ports/transport.ts, 3); reordering by a
 * lost packet is not reported.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';
import { type PriorityClass, urgency } from '../../../shared/model/priority-class.ts';
import { MAX_MARKS } from '../../../shared/wire/limits.ts';
import { HEADER_BEHIND } from '../../limits.ts';

type Overtaken = Array<{ fid: Fid; seq: UpdateSeq }>;

/**
 * Names the stores in flight that a message of this class may overtake (rule S5), at most
 * MAX_MARKS. The result is a part of the message; it is empty where there are none.
 */
export function reorderedBy(
  state: ClientState,
  priorityClass: PriorityClass,
): { overtaken?: Overtaken } {
  if (!state.sharing.isHeard || state.queue.storesInFlight === 0) return {};
  if (state.sharing.settings.invalidations === 'no') return {};
  const overtaken: Overtaken = [];
  for (const { purpose, priorityClass: other } of state.requests.values()) {
    if (purpose.for !== 'store' || !mayPass(priorityClass, other)) continue;
    if (overtaken.length < MAX_MARKS) overtaken.push({ fid: purpose.fid, seq: purpose.seq });
  }
  return overtaken.length === 0 ? {} : { overtaken };
}

export function mayPass(one: PriorityClass, other: PriorityClass): boolean {
  return urgency(one) < urgency(other) || (one === 'FETCH' && other === 'FETCH');
}

/** What was sent before it, and goes first, takes the line for a while: its header does not leave yet (rule S2). */
export function isBehindOthers(state: ClientState, priorityClass: PriorityClass): boolean {
  return contentsBefore(state, priorityClass) > HEADER_BEHIND;
}

/** Bytes of contents that were handed to the link, have not arrived, and go before what is handed to it now in this class. */
export function contentsBefore(state: ClientState, priorityClass: PriorityClass): number {
  let before = 0;
  for (const { purpose, priorityClass: other, sentBytes } of state.requests.values()) {
    if (purpose.for !== 'store' || urgency(other) > urgency(priorityClass)) continue;
    before += Math.max(purpose.bytes - sentBytes, 0);
  }
  return before;
}

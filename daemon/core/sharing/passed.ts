/**
 * What a message overtakes and can not name: updates of names, and updates that it overtakes when it rises in flight. The device ends the marks
 * of directories itself, in order, and the message has left. So a report in class VALIDATE, which nothing overtakes, goes just before.
 * What a message names is in log/reordering.ts.
 */
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { mayPass } from '../log/reordering.ts';
import { announceNow } from './forward-invalidation.ts';

/** Before a message is sent: reports the batches in flight that it may overtake. */
export function announceNamesBefore(state: ClientState, priorityClass: PriorityClass): void {
  if (state.queue.batchesInFlight === 0) return;
  tellOf(state, priorityClass, ({ purpose }) => purpose.for === 'batch');
}

/** Before messages in flight rise to a class: reports the updates that they may overtake, unless these have begun to arrive. */
export function announcePassed(
  state: ClientState,
  priorityClass: PriorityClass,
  rising: ReadonlySet<OpenRequest>,
): void {
  tellOf(state, priorityClass, (request) => !rising.has(request) && request.sentBytes === 0);
}

function tellOf(
  state: ClientState,
  priorityClass: PriorityClass,
  isMeant: (request: OpenRequest) => boolean,
): void {
  if (state.sharing.settings.invalidations === 'no') return;
  const passed = [...state.requests.values()].filter((request) => {
    return mayPass(priorityClass, request.priorityClass) && isMeant(request);
  });
  announceNow(
    state,
    passed.flatMap(({ purpose }) => updatesIn(purpose)),
  );
}

function updatesIn(purpose: OpenRequest['purpose']): readonly UpdateSeq[] {
  if (purpose.for === 'batch') return purpose.seqs;
  return purpose.for === 'store' ? [purpose.seq] : [];
}

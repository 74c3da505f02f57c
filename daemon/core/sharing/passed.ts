/**
 * What a message passes and can not name: names, and what it passes that rises when it is on its way. The marks of directories end by our word,
 * whose order counts, and the message has left. These are told of in VALIDATE just before, as what is not on its way was, which nothing overtakes.
 * What a message names is in log/reordering.ts.
 */
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { mayPass } from '../log/reordering.ts';
import { announceNow } from './forward-invalidation.ts';

/** Before a message is sent: names on their way that it may pass are told of. */
export function announceNamesBefore(state: ClientState, priorityClass: PriorityClass): void {
  if (state.queue.batchesInFlight === 0) return;
  tellOf(state, priorityClass, ({ purpose }) => purpose.for === 'batch');
}

/** Before messages on their way rise to a class: what they may pass is told of, but what has begun to arrive. */
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

/** The low water of our log (rule W4), and how the server hears of it when nothing else is to be sent. */
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { sendGivenUp } from '../sharing/forget-unused.ts';
import type { ClientState } from '../state.ts';

/** Every number below it has been answered, nothing on its way names one below it, and no mark ends by it that is to stay. */
export function lowWater(state: ClientState): UpdateSeq {
  let least = state.log.lastSeq + 1;
  for (const entry of state.log.all()) {
    if (entry.state === 'answered') continue;
    least = entry.seq;
    break;
  }
  for (const named of state.queue.renumbered.values()) least = Math.min(least, named);
  for (const [marked, fid] of state.log.hidden.replaced) {
    const isLeft = state.log.index.onVnode(fid).some((each) => each.state !== 'answered');
    if (isLeft) least = Math.min(least, marked);
    else state.log.hidden.replaced.delete(marked);
  }
  return least as UpdateSeq;
}

/** Sends GetTime, which renews the lease and reports the low water. */
export function sendTime(state: ClientState): void {
  sendGivenUp(state, true);
  const water = lowWater(state);
  state.queue.passed(water);
  state.send({ rpc: 'GetTime', body: { lowWater: water } }, 'VALIDATE', { for: 'time' });
}

/**
 * A store that was on its way when a refusal gave it another number has left a mark on its file, and readers wait for it. The mark ends when the low
 * water passes it. This sends the low water in a message of its own, for there may be no update to carry it.
 */
export function sendPendingLowWater(state: ClientState): void {
  if (state.queue.marked === 0 || !state.session.isUp) return;
  if (lowWater(state) > state.queue.marked) sendTime(state);
}

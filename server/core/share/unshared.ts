/**
 * Unshared is a grant (rules S1, S3): a device that alone has a promise for something may have it for its own, and then it does not report each
 * update that it has hidden there, only whether there are some. Before anybody else is promised that, or shown it as the present, the promise is
 * broken; with its acknowledgement the device reports its hidden updates, which are marked as those of other devices are.
 *
 * Invariants
 * 1. What is unshared is covered by promises of one device alone (promise-table.ts); nothing becomes unshared while two hold promises, nor while the
 *    promise is being broken: an acknowledgement is of the grant before.
 * 2. A read waits until a holder has reported its hidden updates, is away or quiet, and for FETCH_WAIT at most. It does not wait for a holder that
 *    has none.
 * 3. Nothing is unshared in the grace after a restart: a promise of the process before may be in use.
 */
import { unsharedIn } from '../../../shared/model/fid.ts';
import type { DeviceId } from '../../../shared/model/change.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import { MAX_WAITING_FETCHES } from '../../limits.ts';
import type { BreakMessage } from '../callback/break-board.ts';
import { breakFor, messagesOf } from '../callback/breaking.ts';
import { volumeIn, type SubjectKey } from '../callback/promise-table.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { isOutOfReach, waitForStore } from '../wait/waiting-read.ts';

/** What goes with a promise for this, as far as it may be the device's own. */
export function unsharedWith(
  ctx: Context,
  device: DeviceState,
  key: SubjectKey,
  promise: GrantNumber | null,
  isWished = false,
): { readonly unshared?: true } {
  if (promise === null || !mayHave(ctx, device, key, isWished)) return {};
  ctx.state.volumes.of(key).promises.makeUnshared(key, device.id);
  return { unshared: true };
}

/** Whether the device may have this unshared. `isWished`: a user has ordered it, so recent uses by others do not count. */
function mayHave(
  { state, now }: Context,
  device: DeviceState,
  key: SubjectKey,
  isWished: boolean,
): boolean {
  if (device.connection?.takesUnshared !== true || state.leases.isGrace) return false;
  const { id: volume, promises, breaks, marks, orders, monitor } = state.volumes.of(key);
  if (!promises.isAlone(key, device.id)) return false;
  if (breaks.has(key) || breaks.has(volume)) return false;
  if (marks.isDirtyFor(unsharedIn(volume), device.id)) return false;
  if (typeof key === 'string' && marks.isDirtyFor(key, device.id)) return false;
  const order = orders.holdingFor(key);
  if (order !== null) return order === 'unshared';
  return isWished || !monitor.isShared(key, now);
}

/**
 * Before a reader is shown these: nobody else has them for its own any more. `waits`: the read begins again when more is known. `unknown`: there
 * may be something of it hidden by who is not there.
 */
export function reveal(
  ctx: Context,
  job: ReadJob,
  keys: readonly SubjectKey[],
): 'known' | 'waits' | 'unknown' {
  const reader = job.device.id;
  let outcome: 'known' | 'unknown' = 'known';
  for (const key of keys) {
    takeBack(ctx, key, reader);
    const { id: volume, marks } = ctx.state.volumes.of(key);
    const owns = unsharedIn(volume);
    for (const writer of marks.writersOf(owns, reader)) {
      if (isKnown(ctx, writer, key)) continue;
      outcome = 'unknown';
      if (job.final || isOutOfReach(ctx, writer)) continue;
      if (ctx.state.volumes.limits.waitingFetches.count >= MAX_WAITING_FETCHES) continue;
      waitForStore(ctx, job, owns);
      return 'waits';
    }
  }
  return outcome;
}

/** Ends what others have for their own of this. */
export function takeBack(ctx: Context, key: SubjectKey, reader: DeviceId): void {
  for (const [held, holder] of ctx.state.volumes.of(key).promises.unsharedAgainst(key, reader)) {
    const device = ctx.state.devices.get(holder);
    if (device !== undefined) breakFor(ctx, device, [held]);
  }
}

/** Whether this writer, who has something hidden that it has for its own, has reported all of it that this covers. */
function isKnown(ctx: Context, writer: DeviceId, key: SubjectKey): boolean {
  const device = ctx.state.devices.get(writer);
  if (device?.connection?.announcements?.isWhole !== true) return false;
  return !messagesOf(ctx, device).some((message) => message.endsUnshared && covers(message, key));
}

function covers({ keys }: BreakMessage, key: SubjectKey): boolean {
  const volume = volumeIn(key);
  return keys.some((each) => each === key || each === volume || volumeIn(each) === key);
}

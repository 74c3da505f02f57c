/**
 * A number that is known under another name (rules I2, W4): the data folder was copied, and the other copy has used the number for an
 * update of its own. Its answer is not the answer to this one.
 *
 * Hello finds most copies. This is for the one that came while the original was going on: what the original had sent is decided after
 * the copy's Hello. The copy is refused at the first number that both have used, and nothing more is taken from it in this
 * session: it must be paired again, and then offers its whole log as another device.
 */
import type { UpdateNonce } from '../../../shared/model/update.ts';
import { fail } from '../device/answer.ts';
import type { ConnectionState, DeviceState, PendingUpdate } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';
import { endMarkOf } from './dirty-mark.ts';
import { giveUp } from './finish-update.ts';

const WHY = 'the number of an update is known under another name: this data folder was copied';

/** Whether a number is known under another name than this one. `known` null: it was applied before updates had names; the number alone must do. */
export function isOther(known: UpdateNonce | null, name: UpdateNonce | null): boolean {
  return known !== null && known !== name;
}

/** A call with such a number is not begun. */
export function refuseCall(ctx: Context, device: DeviceState, call: CallId): void {
  fail(ctx, device, call, 'incarnation-reused', WHY);
  if (device.connection !== null) refuseSession(ctx, device.connection);
}

/** It turned out to have such a number. */
export function refuseUpdate(ctx: Context, pending: PendingUpdate): void {
  letGo(ctx, pending);
  // What came by a connection that has ended may be older than the copy: it does not speak for this one.
  const { connection } = pending;
  if (connection !== null && connection === pending.device.connection) {
    refuseSession(ctx, connection);
  }
}

function refuseSession(ctx: Context, connection: ConnectionState): void {
  const { device } = connection;
  if (device === null || connection.isCopy) return;
  connection.isCopy = true;
  ctx.out.push({
    kind: 'note',
    level: 'error',
    message: 'a copied data folder was refused: it must be paired again',
    fields: { device: device.id, connection: connection.id },
  });
  for (const pending of [...device.updates.values()]) {
    if (pending.result === null && pending.connection === connection) letGo(ctx, pending);
  }
}

/** It is not on its way any more, and neither is what its mark announced. */
function letGo(ctx: Context, pending: PendingUpdate): void {
  giveUp(ctx, pending, 'incarnation-reused', WHY);
  endMarkOf(ctx, pending);
}

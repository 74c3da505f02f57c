/** Raise: a fetch that is under way is waited for now (MFS, section 4.1). The runtime knows which ones are, of this connection alone. */
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';

/** Raise: asks the runtime to expedite a fetch of this vnode and version on this connection. */
export function askRaise(
  ctx: Context,
  { connection }: DeviceState,
  call: CallId,
  { fid, version }: RequestOf<'Raise'>,
): void {
  if (connection === null) return;
  ctx.out.push({ kind: 'raise', call, connection: connection.id, fid, version });
}

/** The runtime has expedited it, or has found none under way. */
export function answerRaise(ctx: Context, call: CallId, raised: boolean): void {
  const device = ctx.state.calls.get(call)?.device ?? null;
  if (device === null) return;
  reply(ctx, device, call, { rpc: 'Raise', body: { raised } });
}

/** Raise: a fetch that is under way is waited for now (MFS, section 4.1). Which ones are is the link's to know, of this connection alone. */
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { reply } from '../device/answer.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';
import type { DeviceState } from '../device/device.ts';

export function askRaise(
  ctx: Context,
  { connection }: DeviceState,
  call: CallId,
  { fid, version }: RequestOf<'Raise'>,
): void {
  if (connection === null) return;
  ctx.out.push({ kind: 'raise', call, connection: connection.id, fid, version });
}

export function tellRaised(ctx: Context, call: CallId, raised: boolean): void {
  const device = ctx.state.calls.get(call)?.device ?? null;
  if (device === null) return;
  reply(ctx, device, call, { rpc: 'Raise', body: { raised } });
}

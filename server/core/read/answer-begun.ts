/**
 * Begun: how much is here of streams that a device began to send (rule D3). What is here is not known to the core: the runtime says, for
 * this device alone (rule D2).
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import { reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';

/** Begun: asks the runtime how many bytes are here. */
export function askBegun(
  ctx: Context,
  { connection }: DeviceState,
  call: CallId,
  streams: readonly Digest[],
): void {
  if (connection === null) return;
  const { id, fingerprint } = connection;
  ctx.out.push({ kind: 'begun', call, connection: id, fingerprint, streams });
}

/** Answers Begun with what the runtime found. `lengths`: bytes of each stream, in the order of the request. */
export function answerBegun(ctx: Context, call: CallId, lengths: readonly number[]): void {
  const device = ctx.state.calls.get(call)?.device ?? null;
  if (device === null) return;
  reply(ctx, device, call, { rpc: 'Begun', body: { lengths: [...lengths] } });
}

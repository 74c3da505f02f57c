/** Granting promises (rule P2). The number of a grant is the device's, and grows; all grants of one reply share one. */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { SubjectKey } from './promise-table.ts';
import { mayBePromised } from './trust.ts';

/**
 * Promises for all the subjects, or (null) for none: the device holds too many, or may have none for now. The caller has made sure that nothing is
 * about to change what the reply says of them.
 */
export function grant(
  ctx: Context,
  device: DeviceState,
  keys: readonly SubjectKey[],
): GrantNumber | null {
  if (ctx.state.closing !== 'no' || !mayBePromised(ctx, device)) return null;
  if (!keys.every((key) => ctx.state.volumes.of(key).promises.add(key, device.id))) return null;
  device.lastGrant++;
  return device.lastGrant as GrantNumber;
}

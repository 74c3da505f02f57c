/** Granting promises (rule P2). The number of a grant is the device's, and grows; all grants of one reply share one. */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { SubjectKey } from './promise-table.ts';
import { reclaimPromises } from './reclaim.ts';
import { mayBePromised } from './trust.ts';

/**
 * Promises for all the subjects, or (null) for none: the device may have none for now. The caller has made sure that nothing is
 * about to change what the reply says of them.
 */
export function grant(
  ctx: Context,
  device: DeviceState,
  keys: readonly SubjectKey[],
): GrantNumber | null {
  if (ctx.state.closing !== 'no' || !mayBePromised(ctx, device)) return null;
  const number = (device.lastGrant + 1) as GrantNumber;
  const { volumes } = ctx.state;
  for (const key of keys) volumes.of(key).promises.add(key, device.id, number);
  device.lastGrant = number;
  reclaimPromises(ctx, device.id, number);
  return number;
}

/** Something besides commits is other now for those who follow a volume, such as its locks or its quota. */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { breakPromises } from './breaking.ts';
import type { Context } from '../state.ts';
import { pollAgain } from '../wait/waiting-read.ts';

/**
 * Whoever follows the volume asks again: who has a promise since that is broken, and who has none, which may be for long, has a poll waiting. `but`
 * knows it; left out: nobody does.
 */
export function tellFollowers(ctx: Context, volume: VolumeId, but: DeviceId | null = null): void {
  breakPromises(ctx, [volume], but, null);
  pollAgain(ctx, volume);
}

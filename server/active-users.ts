/** Counts who has used volumes lately, by kind of volume. */
import {
  VOLUME_KINDS,
  type ActiveStatistics,
  type VolumeKind,
} from '../shared/control/server-statistics.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import type { Use } from './runtime/activity.ts';

/** Users and devices that have used volumes of each kind, and of any. */
export function activeOf(
  uses: readonly Use[],
  kinds: ReadonlyMap<VolumeId, VolumeKind>,
): ActiveStatistics[] {
  return [null, ...VOLUME_KINDS].map((kind) => {
    const its = uses.filter(({ volume }) => kind === null || kindOf(kinds, volume) === kind);
    const count = (of: 'user' | 'device'): number => new Set(its.map((use) => use[of])).size;
    return { kind, users: count('user'), devices: count('device') };
  });
}

/** A volume that the accounts do not know is shared with nobody. */
export const kindOf = (kinds: ReadonlyMap<VolumeId, VolumeKind>, volume: VolumeId): VolumeKind =>
  kinds.get(volume) ?? 'single';

/**
 * Which volumes there are, and which of them a device sees. An administrator makes, names and removes them while the server runs.
 *
 * A removed volume is a tombstone: it stays here with all that belongs to it, and nobody has a right in it. So one that is restored goes on as it was.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Access, StoredVolumes } from '../../../shared/model/stored.ts';
import { tellFollowers } from '../callback/tell-followers.ts';
import type { Context, ServerState } from '../state.ts';

/** Takes the volumes as an administrator may have changed them: names and quotas hold for what is decided from now on. */
export function volumesChanged(ctx: Context, { volumes, cuts }: StoredVolumes): void {
  const { state } = ctx;
  for (const stored of volumes) {
    const known = state.volumes.find(stored.id);
    if (known === undefined) {
      state.volumes.add(stored, { cuts, sharing: [] });
      state.accessDoubts += 1;
      continue;
    }
    known.name = stored.name;
    if (known.quota.limit === stored.limit) continue;
    known.quota.setLimit(stored.limit);
    tellFollowers(ctx, known.id);
  }
}

/** What a device may use now, by volume. */
export function rightsOf(
  state: ServerState,
  access: readonly Access[],
): ReadonlyMap<VolumeId, Access> {
  const seen = access.filter(
    ({ volume, isRemoved }) => isRemoved !== true && state.volumes.has(volume),
  );
  return new Map(seen.map((each) => [each.volume, each]));
}

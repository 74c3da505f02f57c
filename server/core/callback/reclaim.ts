/**
 * Bounds what the server keeps of promises (AFS, section 5.2 of the 1988 paper: "the server breaks callbacks to reclaim storage"). Where there are
 * too many, the device with the most of them loses those that it was granted longest ago, by an ordinary break. It asks again if it still cares.
 *
 * The promise for a volume stays: there is one for all that is in it, and who has it needs no other.
 */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { MAX_BREAKS } from '../../../shared/wire/limits.ts';
import type { Holder, HolderId } from '../device/device.ts';
import type { Context } from '../state.ts';
import { breakFor } from './breaking.ts';
import type { SubjectKey } from './promise-table.ts';

/** After a grant: takes back what is too much. What was just granted stays. */
export function reclaimPromises(ctx: Context, device: HolderId, granted: GrantNumber): void {
  const { mostPromises, volumes } = ctx.state;
  const { promises } = volumes.limits;
  if (promises.total(device) > mostPromises.device) reclaimFrom(ctx, device, granted);
  if (promises.sum <= mostPromises.all) return;
  let greediest: HolderId = device;
  for (const each of promises.owners()) {
    if (promises.total(each) > promises.total(greediest)) greediest = each;
  }
  reclaimFrom(ctx, greediest, greediest === device ? granted : EVERY);
}

/** Above the number of any grant. */
const EVERY = Infinity as GrantNumber;

/** One message of breaks: so many that it is not done for each grant, and so few that the device can ask again soon. */
function reclaimFrom(ctx: Context, id: HolderId, granted: GrantNumber): void {
  const { devices, previousInstances } = ctx.state;
  const holder: Holder | undefined = devices.get(id) ?? previousInstances.get(id);
  if (holder !== undefined) breakFor(ctx, holder, oldestOf(ctx, holder, granted));
}

function oldestOf({ state }: Context, holder: Holder, granted: GrantNumber): Fid[] {
  const volumes = state.volumes.limits.promises.placesOf(holder.id).map((id) => {
    const rest = state.volumes.of(id).promises.grantsOf(holder.id);
    return { rest, next: nextFid(rest) };
  });
  const found: Fid[] = [];
  while (found.length < MAX_BREAKS) {
    let first: (typeof volumes)[number] | null = null;
    for (const each of volumes) {
      if (each.next !== null && each.next.grant < (first?.next?.grant ?? Infinity)) first = each;
    }
    if (first === null || first.next === null || first.next.grant >= granted) break;
    found.push(first.next.fid);
    first.next = nextFid(first.rest);
  }
  return found;
}

function nextFid(
  rest: IterableIterator<[SubjectKey, GrantNumber]>,
): { readonly fid: Fid; readonly grant: GrantNumber } | null {
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const [fid, grant] = next.value;
    if (typeof fid === 'string') return { fid, grant };
  }
  return null;
}

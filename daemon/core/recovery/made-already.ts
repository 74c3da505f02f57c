/**
 * Vnodes made here whose updates are still in the log although the server has made them: the feed has shown it and the answer has not come (it waits
 * for others' promises, or was lost), the restored server has it, or another device has offered it since. It is not made a second time (rules I1,
 * W4), even if it was changed or removed since. What the server has is known by its name to be ours, the rest is left to its answer.
 *
 * Logged again it would stand behind all that it once waited for. What the offer has made may be removed by then, and the second making, refused as
 * of a fid in use, would make it anew under another fid: a file without its contents, which are stored already.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';
import { madeBy } from '../log/view.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { Since } from './tree.ts';
import type { LostVolume } from './lost-volume.ts';

/** Those of the queued updates, by what they make. */
export function madeAlready(
  state: ClientState,
  queued: readonly LoggedUpdate[],
  offers: readonly Update[],
  lost: Pick<LostVolume, 'then' | 'since'>,
): Map<Fid, LoggedUpdate> {
  const makings = offers.flatMap((offer) => madeBy(offer) ?? []);
  const offered = new Map(makings.map((made) => [made.fid, made]));
  const there = new Map(lost.then.statuses);
  const since = new Since(lost.since);
  for (const status of since.touched()) there.set(status.fid, status);
  const already = queued.filter((entry) => {
    const { update } = entry;
    const made = madeBy(update);
    if (made === null || !('dir' in update) || state.log.mayBeACopys(entry)) return false;
    if (isLike(made, offered.get(made.fid))) return true;
    const hadName =
      lost.then.entries.get(update.dir)?.get(update.name) === made.fid ||
      since.hadEntry(update.dir, update.name, made.fid);
    return hadName && isLike(made, there.get(made.fid));
  });
  return new Map(already.map((entry) => [entry.update.fid, entry]));
}

function isLike(made: VnodeStatus, known: VnodeStatus | undefined): boolean {
  return known?.kind === made.kind && known.target === made.target;
}

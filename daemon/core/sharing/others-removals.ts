/**
 * Files that others removed one shortly after the other, counted for the people here: what one laptop removes by mistake goes on all of them. The
 * server keeps what was removed (docs/guide/history.md); what is told of it outlives the daemon (kept-removals.ts).
 *
 * The feed has no times: a laptop that was away hears in a moment of what went in weeks. So the server is asked when the first and the last of them
 * were removed, and who did it, before anybody is told.
 */
import type { ChangeSet, DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import { MAX_PAGE_COMMITS } from '../../../shared/wire/limits.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { REMOVAL_GAP } from '../../limits.ts';
import { RemovalBurst } from '../names/removal-burst.ts';
import { removedPath } from '../log/removed-path.ts';
import type { ClientState } from '../state.ts';
import type { Purpose } from '../waits/requests.ts';
import type { OthersRemovals, Removal } from './removals-of-others.ts';

/** A commit that is new here. */
export function noteRemovals(state: ClientState, set: ChangeSet): void {
  const [entry] = set.entries;
  // What takes the place of a file, as editors save, is no removal.
  if (entry === undefined || set.entries.some(({ fid }) => fid !== null)) return;
  const gone = set.vnodes.filter(({ links }) => links === 0);
  if (gone.length === 0 || set.device === state.meta.get('device')) return;
  const volume = volumeOf(entry.dir);
  const removal = { dir: entry.dir, name: entry.name, commit: set.commit };
  const { othersRemovals } = state.sharing;
  const current = othersRemovals.current(set.device, volume, state.now);
  // The folders that files were in go with them, and are not counted.
  const isFile = gone.some(({ kind }) => kind === 'file');
  if (current === undefined && !isFile) return;
  const removals = current ?? begun(set.device, volume, removal);
  if (current === undefined) othersRemovals.begin(removals);
  if (isFile) {
    const path = removedPath(state, { dir: entry.dir, name: entry.name });
    removals.burst.note(state.now, state.names.attributes.count, path);
  }
  removals.last = removal;
  if (removals.burst.many() === null) return;
  state.changed = true;
  if (removals.open === null) ask(state, removals);
}

/** A commit put something in place here: of a burst it may have brought a file back, whoever did it. */
export function noteBack(state: ClientState, { entries }: ChangeSet): void {
  const { othersRemovals } = state.sharing;
  const here = state.calls.removals;
  if (here.many() === null && othersRemovals.isEmpty) return;
  for (const { dir, name, fid } of entries) {
    if (fid === null) continue;
    const path = removedPath(state, { dir, name });
    const isBack = [here.back(path), othersRemovals.back(path)];
    if (isBack.includes(true)) state.changed = true;
  }
}

function begun(device: DeviceId, volume: VolumeId, first: Removal): OthersRemovals {
  const burst = new RemovalBurst();
  const told = { first: null, last: null };
  return { device, volume, burst, first, last: first, open: null, told };
}

function ask(state: ClientState, removals: OthersRemovals): void {
  const { volume, first, last } = removals;
  removals.open = 2;
  for (const [which, { dir, name, commit }] of [
    ['first', first],
    ['last', last],
  ] as const) {
    const body = { dir, name, after: null, limit: MAX_PAGE_COMMITS };
    const purpose = { for: 'who-removed', volume, from: first.commit, which, commit } as const;
    state.send({ rpc: 'PastNames', body }, 'FETCH', purpose);
  }
}

type WhoRemoved = Extract<Purpose, { for: 'who-removed' }>;

/** `reply` null: the server does not say, and people are told all the same. */
export function onWhoRemoved(
  state: ClientState,
  { volume, from, which, commit }: WhoRemoved,
  reply: ReplyOf<'PastNames'> | null,
): void {
  const removals = state.sharing.othersRemovals.get(volume, from);
  const { open = null } = removals ?? {};
  if (removals === undefined || open === null || open === 0) return;
  const past = reply?.names.find(({ until }) => until?.commit === commit);
  removals.told[which] = past?.until ?? null;
  removals.open = open - 1;
  state.changed = true;
  const { first, last } = removals.told;
  if (removals.open > 0 || first === null || last === null) return;
  // Here and there a file, over a long time: no burst.
  const isBurst = last.when - first.when <= REMOVAL_GAP * removals.burst.files;
  if (!isBurst) state.sharing.othersRemovals.drop(removals);
}

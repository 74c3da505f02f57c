/**
 * Finds the sides of a conflict that were not cached when it was recorded, which happens only to a front end without a folder. It reads the directory
 * that has both names, and writes the sides into the row.
 *
 * Invariants
 * 1. A side is the vnode that had its name when the conflict was recorded: nothing has changed that name since, as far as the feed has come, the
 *    listing is not ahead of the feed, and the vnode has not changed since.
 * 2. A side that can't be known this way is given up, durably: a later answer says nothing about that time.
 */
import {
  sideOf,
  withFirstContents,
  type ConflictSide,
} from '../../../shared/model/conflict-side.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { UnseenSides } from '../../../shared/ports/client-store.ts';
import { askDirectory } from './validation.ts';
import type { ClientState } from '../state.ts';

/** Runs at the end of a step: records the sides that are known by now, and requests the rest. */
export function learnUnseenSides(state: ClientState): void {
  const { list } = state.conflict;
  if (list.unseen.size === 0 || !state.session.isUp) return;
  for (const [id, unseen] of [...list.unseen]) learn(state, id, unseen);
}

function learn(state: ClientState, id: number, unseen: UnseenSides): void {
  const { dir, name, copy, commit } = unseen;
  const volume = state.names.volumes.get(volumeOf(dir));
  if (volume === undefined || volume.catchingUp !== 'no') return;
  const base = state.names.directories.get(dir);
  if (base === undefined || base.asOf < commit) return ask(state, dir);
  if (base.asOf > volume.row.caughtUp) {
    // The feed has to tell whether the name was changed on the way to this listing.
    volume.catchingUp = 'wanted';
    return;
  }
  const winner = base.entries.get(name);
  const mine = unseen.mine === null ? sideThen(state, copy, unseen) : written(state, unseen.mine);
  const theirs = winner === undefined ? null : sideThen(state, winner, unseen);
  if (mine === 'unknown' || theirs === 'unknown') return ask(state, dir);
  const { list } = state.conflict;
  if (mine === 'changed' || theirs === 'changed') return list.giveUpSides(id);
  list.sidesLearnt(id, { mine, theirs });
}

/** A copy gets its contents after its name. */
function written(state: ClientState, copy: ConflictSide): ConflictSide {
  const status = state.names.attributes.get(copy.fid);
  return (status === undefined ? null : withFirstContents(copy, status)) ?? copy;
}

/** The side as of that commit. Only a status from the answer is surely what the server has under it; null: not known. */
function sideThen(
  state: ClientState,
  fid: Fid,
  { dir, commit }: UnseenSides,
): ConflictSide | 'unknown' | 'changed' {
  const status = state.names.attributes.get(fid);
  const since = state.conflict.foldersAsked.get(dir);
  if (status === undefined || since === undefined) return 'unknown';
  if (!state.sharing.promises.confirmedSince(fid, since)) return 'unknown';
  if (status.commit > commit || state.names.attributes.lacksOthers(fid)) return 'changed';
  return sideOf(status);
}

/** Once for each connection: a server that does not answer is not asked over and over. */
function ask(state: ClientState, dir: Fid): void {
  if (state.conflict.foldersAsked.has(dir)) return;
  state.conflict.foldersAsked.set(dir, state.requests.nextSerial());
  askDirectory(state, dir);
}

/**
 * Sides of a conflict that are not cached where it was told: only a front end that shows no folder reads so little. The folder that has both names
 * is asked for, and the answer is written into the row.
 *
 * Invariants
 * 1. A side is what stood at its name when the conflict was told: nothing has changed that name since, as far as the feed has come, the
 *    listing is not ahead of the feed, and the vnode has not changed since.
 * 2. What can't be told so is given up, durably: an answer that comes later says nothing of that time.
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

/** At the end of a step: writes down what can be told by now, and asks for the rest. */
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

/** Only a status that the answer told of is surely what the server has under that commit. */
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

/**
 * Bounds what is kept of names and statuses that nothing holds (the name-cache paper, section 5: a cache of few directories serves nearly as well as
 * one of all). What was not used since it was looked at last goes first; its promises are given up (rule N3).
 *
 * A volume that a front end follows stays whole. So does what has updates in the log, contents here, a pin, an open file, a lock, or somebody who
 * waits for it; and a listing stays as long as something in it does, so what stays can be reached.
 */
import {
  parseFid,
  ROOT_VNODE,
  volumeOf,
  type Fid,
  type VolumeId,
} from '../../../shared/model/fid.ts';
import { MAX_FIDS } from '../../../shared/wire/limits.ts';
import { NAMES_FROM } from '../../../shared/wire/name-rpcs.ts';
import { FORGET_AT_ONCE, FORGET_SLACK, MOST_STATUSES } from '../../limits.ts';
import { statusKey } from './validation.ts';
import type { ClientState } from '../state.ts';
import { isFollowed } from '../names/followed.ts';

/** Call it at the end of a step: forgets some of what is too much. */
export function forgetUnused(state: ClientState): void {
  const { attributes, unused } = state.names;
  const most = state.config.mostStatuses ?? MOST_STATUSES;
  unused.bound(attributes.count);
  if (attributes.count <= most || attributes.count < unused.notBefore) return;
  if (unused.restsUntil !== null && state.now.at < unused.restsUntil) return;
  const volumes = [...state.names.volumes.keys()].filter((volume) => !isFollowed(state, volume));
  const loose = volumes.reduce((sum, volume) => sum + attributes.countIn(volume), 0);
  if (loose <= most + Math.floor(most * FORGET_SLACK)) return;
  forgetSome(state, new Set(volumes), loose - most);
}

function forgetSome(state: ClientState, volumes: ReadonlySet<VolumeId>, wanted: number): void {
  const { attributes, unused } = state.names;
  const open = new Set([...state.calls.handles.values()].map(({ fid }) => fid));
  const now = state.now.at;
  let left = wanted;
  for (let looked = 0; left > 0 && looked < FORGET_AT_ONCE; looked++) {
    const fid = unused.next(attributes.fids());
    if (fid === null) {
      // All of it was looked at. What stays is held or in use: it is looked at again when there is more of it.
      if (unused.wentRound()) unused.notBefore = Math.ceil(attributes.count * (1 + FORGET_SLACK));
      break;
    }
    if (!volumes.has(volumeOf(fid)) || unused.takeUsed(fid, now)) continue;
    if (open.has(fid) || isHeld(state, fid) || !forgetListing(state, fid)) continue;
    forget(state, fid);
    unused.found();
    left -= 1;
  }
  if (left === wanted) unused.rest(now);
}

function isHeld(state: ClientState, fid: Fid): boolean {
  const { names, log, cache, sharing, locks, conflict, waiting } = state;
  if (parseFid(fid)?.vnode === ROOT_VNODE || names.attributes.lacksOthers(fid)) return true;
  if (log.index.onVnode(fid).length > 0 || log.index.directoryChange(fid) !== null) return true;
  if (cache.files.namesOf(fid).length > 0 || cache.pins.has(fid)) return true;
  if (names.aliases.has(fid) || conflict.adjustments.concerns(fid)) return true;
  if (locks.ofFile(fid).length > 0) return true;
  if (sharing.questions.isAsked(fid) || sharing.questions.load(fid) !== undefined) return true;
  return waiting.isAwaited(statusKey(fid));
}

/** Forgets the listing of a directory, if it has one. False: something in it stays. */
function forgetListing(state: ClientState, dir: Fid): boolean {
  const { directories } = state.names;
  const listing = directories.get(dir);
  if (listing === undefined) return true;
  for (const fid of listing.entries.values()) {
    if (directories.has(fid) || isHeld(state, fid)) return false;
  }
  directories.forget(dir);
  return true;
}

function forget(state: ClientState, fid: Fid): void {
  const { attributes, directories, unused } = state.names;
  attributes.drop(fid);
  directories.alone.forget(fid);
  const grant = state.sharing.promises.giveUp(fid);
  if (grant !== null) unused.givenUp.push({ fid, grant });
}

/** Tells the server what was given up: as soon as it fills a message; `all`: whatever there is. */
export function sendGivenUp(state: ClientState, all = false): void {
  const { givenUp } = state.names.unused;
  if (givenUp.length === 0) return;
  const isUnderstood = Number(state.meta.get('protocol') ?? 1) >= NAMES_FROM;
  if (!state.session.isUp || !isUnderstood) {
    // Promises end with their connection; and an older server would end later ones too.
    givenUp.length = 0;
    return;
  }
  while (givenUp.length >= (all ? 1 : MAX_FIDS)) {
    const part = givenUp.splice(0, MAX_FIDS);
    const body = { fids: part.map(({ fid }) => fid), grants: part.map(({ grant }) => grant) };
    state.send({ rpc: 'GiveUpCallbacks', body }, 'VALIDATE', { for: 'give-up' });
  }
}

/**
 * Prefetch (MFS, section 4): what is worth having here soon is fetched in class PREFETCH, before somebody asks for it.
 *
 * Invariants
 * 1. One thing is under way for the server at a time: a question about statuses, a fetch, or the reading of a group's list. When it ends
 *    the head of the list is looked at again.
 * 2. What is being prefetched is not fetched a second time: who demands it raises it, and waits for it (cache/raise-fetch.ts).
 * 3. What is pinned goes before what groups say, and is not bounded by use; read-ahead (read-ahead.ts) comes after both.
 * 4. Where there is no room a prefetch takes only that of contents used before its group was touched, or the last file of its streak was opened,
 *    and none of what came ahead for the same.
 * 5. Nothing is prefetched of what another device is about to change: that would make it hurry for nobody.
 *
 * Beyond the paper: groups whose files go unused get less and less (prefetch-list.ts), one that is scanned faster than prefetching
 * helps rests until the scan does (both are named in MFS, section 4.4), and the rules of the network hold (network/bulk-gate.ts).
 */
import type { OpenHow } from '../../../shared/ports/file-system.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { groupOf } from '../../../shared/model/file-group.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { after } from '../../../shared/model/time.ts';
import { GUESS_REST, LATE_IN_A_ROW, SCAN_REST } from '../../limits.ts';
import { makeRoomAhead } from '../cache/update-cache.ts';
import { mayBeginBulk } from '../network/update-bulk-gate.ts';
import type { ClientState } from '../state.ts';
import { groupFiles } from './group-contents.ts';
import { lookAt, type Look } from './look-at.ts';
import { nextPinned } from './pinned-files.ts';
import type { ListedGroup } from './prefetch-list.ts';
import { nextReadAhead, noteRead } from './read-ahead.ts';

const SCAN_KEY = { kind: 'prefetch-scan' } as const;
const GUESS_KEY = { kind: 'prefetch-guess' } as const;

/** A program opens a file: once for each call. */
export function noteAccess(
  state: ClientState,
  call: number,
  status: VnodeStatus,
  how: OpenHow,
): void {
  const { prefetch } = state;
  if (status.kind !== 'file' || prefetch.noted.has(call)) return;
  prefetch.noted.add(call);
  prefetch.demandAt = state.now.at;
  const group = groupOf(status);
  if (group === null) {
    prefetch.accesses.opened(status.fid, state.now.at);
    if (needsContents(how)) noteRead(state, status);
    return prefetch.list.wanted(status.fid);
  }
  const since = state.requests.nextSerial();
  const listed = prefetch.list.touch(group, since, state.cache.files.lastUse + 1, state.now.at);
  prefetch.list.opened(listed, status.fid, status.size);
  prefetch.look = true;
}

/** Who writes a file anew, or over another version of it, does not read it. */
function needsContents(how: OpenHow): boolean {
  return how.mode === 'read' || (!how.truncate && how.from === undefined);
}

/** Begins what is to be had next, if nothing is under way. True: there is a fetch to be sent. */
export function sendPendingPrefetch(state: ClientState): boolean {
  const {
    prefetch,
    session,
    session: { isPaused: paused },
  } = state;
  if (!prefetch.look || !session.isUp || paused || isUnderWay(state)) return false;
  prefetch.look = false;
  prefetch.group = null;
  prefetch.streak = null;
  if (nextPinned(state) === 'begun') return prefetch.fetching !== null;
  if (!state.cache.settings.prefetch) return false;
  for (const group of prefetch.list.inOrder()) {
    const look = lookAtGroup(state, group);
    if (look === 'complete') prefetch.list.toEnd(group);
    if (look !== 'begun') continue;
    prefetch.group = group;
    return prefetch.fetching !== null;
  }
  if (state.config.without?.readAhead === true) return false;
  return nextReadAhead(state) === 'begun' && prefetch.fetching !== null;
}

function isUnderWay({ prefetch }: ClientState): boolean {
  return prefetch.asking.size > 0 || prefetch.reading !== null || prefetch.fetching !== null;
}

function lookAtGroup(state: ClientState, group: ListedGroup): Look {
  // Of a guess not even the list is fetched, or asked about: a thousand statuses are as much as a file or two.
  if (isGuess(group) && !isIdle(state)) return 'waits';
  const own = lookAt(state, [group.fid], group.since, (list) => hasRoom(state, group, list));
  if (own !== 'complete') return own;
  const status = state.names.attributes.get(group.fid);
  if (status?.kind !== 'file') {
    state.prefetch.list.remove(group);
    return 'waits';
  }
  const files = groupFiles(state, status);
  if (files === 'begun') return 'begun';
  if (files === null) return 'complete';
  if (isScanned(state, group)) return 'waits';
  return lookAt(state, files, group.since, (each) => mayPrefetch(state, group, each));
}

function mayPrefetch(state: ClientState, group: ListedGroup, { size }: VnodeStatus): boolean {
  let unused = 0;
  for (const bytes of group.unused.values()) unused += bytes;
  if (unused + size > state.prefetch.list.allowance(group)) return false;
  return mayBeginBulk(state, size) && hasRoom(state, group, { size });
}

/** Without it the lists of two groups would make room for each other for ever. */
function hasRoom(
  state: ClientState,
  group: ListedGroup,
  { size }: Pick<VnodeStatus, 'size'>,
): boolean {
  const isOwn = (other: Fid): boolean => group.unused.has(other) || other === group.fid;
  return makeRoomAhead(state, size, group.use, isOwn);
}

/** One file of it was opened, and then one of another group, if any: nothing says yet that the others are wanted. */
const isGuess = ({ streak, hitBytes }: ListedGroup): boolean => streak < 2 && hitBytes === 0;

/** Nobody has waited for anything for a moment: where one file is read after the other, a guess would only be in the way. */
function isIdle(state: ClientState): boolean {
  const { demandAt } = state.prefetch;
  const until = demandAt === null ? state.now.at : after(demandAt, GUESS_REST);
  const isFetching = [...state.cache.fetches.values()].some(({ state: how, priorityClass }) => {
    return how === 'running' && priorityClass !== 'PREFETCH';
  });
  if (state.now.at >= until && !isFetching) return true;
  state.delays.holdUntil(GUESS_KEY, state.now.at < until ? until : after(state.now.at, GUESS_REST));
  return false;
}

/** It is read through faster than prefetching helps: it rests until nobody has opened a file of it for a while. */
function isScanned(state: ClientState, group: ListedGroup): boolean {
  if (group.late < LATE_IN_A_ROW) return false;
  const until = after(group.touchedAt, SCAN_REST);
  if (state.now.at >= until) {
    group.late = 0;
    return false;
  }
  state.delays.holdUntil(SCAN_KEY, until);
  return true;
}

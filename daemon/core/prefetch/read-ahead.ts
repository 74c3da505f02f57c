/**
 * Read-ahead: where a program reads the files of a folder one after the other, the next one is fetched while it has, or waits for, the present
 * one. Between the last byte of one file and the request for the next the line has nothing to do otherwise. (Beyond MFS, whose groups have to
 * be made; files with a group are left to it.)
 *
 * A streak has to prove itself first, and what may lie ahead of it grows with what was opened (folder-streaks.ts). It does not wait until nobody waits
 * for anything, as a guess of groups does: to be under way beside a demand is what it is for, and the line serves the demand first.
 *
 * For a streak each file is fetched ahead once: what had to make room before it was opened does not come again for nobody.
 */
import { groupOf } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { MOST_ORDERED, MOST_PASSED, READ_AHEAD_FILES } from '../../limits.ts';
import { comingInto, makeRoomAhead } from '../cache/update-cache.ts';
import { mayBeginBulk } from '../network/update-bulk-gate.ts';
import type { ClientState } from '../state.ts';
import { viewEntries, viewPlaces, viewStatus } from '../log/view.ts';
import type { Listing } from './folder-orders.ts';
import {
  mayLieAhead,
  provenOrder,
  type LastRead,
  type Order,
  type Streak,
} from './folder-streaks.ts';
import { isWanting, lookAt, type Look } from './look-at.ts';

/** A program reads a file that has no group. By the folder of its first name: one of two links is enough to go by. */
export function noteRead(state: ClientState, status: VnodeStatus): void {
  const {
    prefetch,
    cache: { files },
  } = state;
  const { fid, size: bytes } = status;
  const [place] = viewPlaces(state, fid);
  if (place === undefined || !needsContents(status)) return;
  const { dir, name } = place;
  const isNext = (order: Order, last: LastRead): boolean => {
    const [next] = following(state, dir, order, last, 1);
    return next === fid;
  };
  const folder = prefetch.streaks.opened(dir, { fid, name, bytes, use: files.lastUse + 1 }, isNext);
  if (provenOrder(folder) !== null) prefetch.look = true;
}

/**
 * Begins to fetch the next file of a proven streak. `complete`: nothing is to be fetched or asked
 * now.
 */
export function nextReadAhead(state: ClientState): Look {
  const { prefetch } = state;
  for (const { folder, order, streak } of prefetch.streaks.proven()) {
    forgetGone(state, folder.dir, streak);
    const next = following(state, folder.dir, order, folder.last, READ_AHEAD_FILES);
    const wanted = next.filter((fid) => !streak.ahead.has(fid) && isLacking(state, fid));
    if (wanted.length === 0) continue;
    streak.since ??= state.requests.nextSerial();
    const look = lookAt(state, wanted, streak.since, ({ size }) =>
      mayReadAhead(state, streak, size),
    );
    if (look !== 'begun') continue;
    const fetching = state.cache.fetches.get(prefetch.fetching);
    if (fetching !== undefined) {
      prefetch.streak = streak;
      streak.ahead.set(fetching.fid, state.names.attributes.get(fetching.fid)?.size ?? 0);
    }
    return 'begun';
  }
  return 'complete';
}

function mayReadAhead(state: ClientState, streak: Streak, size: number): boolean {
  if (!mayLieAhead(streak, size) || !mayBeginBulk(state, size)) return false;
  // What is demanded meanwhile needs its room as well: it would drive out what came ahead of it.
  return makeRoomAhead(state, comingInto(state, size), streak.use, (fid) => streak.ahead.has(fid));
}

/** Removed, or moved to another folder: nobody will come to it here. */
function forgetGone(state: ClientState, dir: Fid, { ahead }: Streak): void {
  for (const fid of ahead.keys()) {
    if (!viewPlaces(state, fid).some((place) => place.dir === dir)) ahead.delete(fid);
  }
}

/** The next files in an order of the folder that programs would wait for, here or not. */
function following(
  state: ClientState,
  dir: Fid,
  order: Order,
  last: LastRead,
  most: number,
): Fid[] {
  const found: Fid[] = [];
  const listing = listingOf(state, dir);
  if (listing === null) return found;
  let passed = 0;
  for (const fid of state.prefetch.orders.after(listing, order, last)) {
    if (found.length >= most || passed >= MOST_PASSED) break;
    const status = fid === last.fid ? undefined : viewStatus(state, fid);
    if (status !== undefined && needsContents(status)) found.push(fid);
    else passed += 1;
  }
  return found;
}

/** null: it is not known here, or has too many entries. */
function listingOf(state: ClientState, dir: Fid): Listing | null {
  const base = state.names.directories.get(dir);
  const ours = state.log.index.directoryChange(dir);
  const size = base?.entries.size ?? 0;
  if ((base === undefined && ours === null) || size > MOST_ORDERED) return null;
  const edition = [base?.asOf, base?.version, size, ours?.count, ours?.lastAt].join(' ');
  return { dir, edition, entries: () => viewEntries(state, dir) ?? [] };
}

function needsContents(status: VnodeStatus): boolean {
  return status.kind === 'file' && status.links > 0 && status.size > 0 && groupOf(status) === null;
}

function isLacking(state: ClientState, fid: Fid): boolean {
  const status = state.names.attributes.get(fid);
  return status !== undefined && isWanting(state, status);
}

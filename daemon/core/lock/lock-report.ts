/** User locks as people see them. */
import type { LockRow, LocksReport, LostLockRow } from '../../../shared/control/locks.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { FileLock } from '../../../shared/model/file-lock.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { present } from '../../../shared/util/assert.ts';
import { pathTo } from '../sharing/sharing-orders.ts';
import type { ClientState } from '../state.ts';
import { understandsLocks } from './keep-locks.ts';
import type { OwnLock } from './lock-state.ts';

/** Lists all locks that are known here, ours first, and those of ours that were lost. */
export function locksReport(state: ClientState): LocksReport {
  const { locks, session, meta, now } = state;
  const own = [...locks.own.values()].map((lock) => ownRow(state, lock));
  const others = locks.all().filter(({ device }) => device !== meta.get('device'));
  const lost: LostLockRow[] = locks.lostSince(now.wall).map(({ fid, path, why, by, when }) => {
    const place = placeOf(state, fid, path);
    return { ...place, fid, why, by, when: new Date(when).toISOString() };
  });
  const isCurrent = session.isUp && understandsLocks(state);
  return { isCurrent, locks: [...own, ...others.map((lock) => otherRow(state, lock))], lost };
}

/** How many files are locked, if any, and how many locks were lost. */
export function lockStatus({ locks, meta, now }: ClientState): Pick<StatusSnapshot, 'locks'> {
  const device = meta.get('device');
  const others = new Set(locks.all().flatMap((lock) => (lock.device === device ? [] : [lock.fid])));
  const lost = locks.lostSince(now.wall).length;
  const counts = { own: locks.own.size, others: others.size, lost };
  return counts.own + counts.others + counts.lost === 0 ? {} : { locks: counts };
}

/** The row of a lock that this laptop wants. */
export function lockRow(state: ClientState, fid: Fid): LockRow {
  return ownRow(state, present(state.locks.own.get(fid), 'the lock is there', { fid }));
}

function ownRow(state: ClientState, own: OwnLock): LockRow {
  const { fid, mode } = own;
  const device = state.meta.get('device');
  const told = state.locks.ofFile(fid).find((lock) => lock.device === device);
  const since = own.since ?? told?.since;
  return {
    ...placeOf(state, fid, own.path),
    ...{ fid, mode, state: own.state, isOwn: true, device: state.deviceName },
    user: String(state.meta.get('user') ?? ''),
    since: since === undefined ? null : new Date(since).toISOString(),
  };
}

function otherRow(state: ClientState, lock: FileLock): LockRow {
  const { fid, mode, broken, deviceName, user, since } = lock;
  return {
    ...placeOf(state, fid),
    ...{ fid, mode, state: broken ? 'broken' : 'held', isOwn: false, device: deviceName, user },
    since: new Date(since).toISOString(),
  };
}

/** `last`: where it was, should it have no place any more. */
function placeOf(
  state: ClientState,
  fid: Fid,
  last: string | null = null,
): { volume: string; path: string | null } {
  const volume = state.names.volumes.nameOf(volumeOf(fid)) ?? '';
  return { volume, path: pathTo(state, fid) ?? last };
}

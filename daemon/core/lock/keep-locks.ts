/**
 * The user locks of this laptop over connections, restarts and renames (rules K1 to K5).
 *
 * A lock that was held when a connection ended is asked for again with the next session, for LOCK_KEPT at most; whoever has it by then keeps it,
 * and the person is told. `again` says that the lease of that connection still runs, so a server that was restarted may grant it in its grace.
 *
 * Invariants
 * 1. One SetLock or ReleaseLock of a file is under way at a time: answers overtake each other.
 * 2. A lock is released when no update of its file is unanswered (K3).
 * 3. A lock of ours that the server has and nobody here wants is released.
 */
import type { LockLoss } from '../../../shared/control/locks.ts';
import type { FileLock } from '../../../shared/model/file-lock.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { LOCKS_FROM } from '../../../shared/wire/locks.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { LOCK_KEPT } from '../../limits.ts';
import { pathTo } from '../sharing/sharing-orders.ts';
import type { ClientState } from '../state.ts';
import type { LostLock, OwnLock } from './lock-state.ts';

/** Signalled when a question of a lock may be asked again. */
export const LOCK_KEY = { kind: 'lock' } as const;

/** The server of this session, or of the last one, knows locks. */
export const understandsLocks = (state: ClientState): boolean =>
  Number(state.meta.get('protocol') ?? 1) >= LOCKS_FROM;

/** Whether this laptop may take itself to have the lock now: as long as its lease, and not beyond its connection (rule K1). */
export function holdsLock({ locks, session, sharing, now }: ClientState, fid: Fid): boolean {
  const { leaseEnd } = sharing.promises;
  const isUnderLease = session.isUp && leaseEnd !== null && now.at < leaseEnd;
  return isUnderLease && locks.own.get(fid)?.state === 'held';
}

/** Something that was saved is not answered yet. */
export const isUnsettled = ({ log }: ClientState, fid: Fid): boolean =>
  log.index.onVnode(fid).some((entry) => entry.state !== 'answered');

/** The end of a step: asks for locks again, releases, and asks what others have. */
export function sendPendingLocks(state: ClientState): void {
  const { locks, session, sharing } = state;
  if (state.changed) notePaths(state);
  if (!session.isUp || !understandsLocks(state)) return;
  // Without an answer for a whole lease the server may have given them to others.
  if (sharing.promises.leaseEnd === null) suspend(state, null);
  for (const own of locks.own.values()) {
    if (own.state === 'held') keepAsHeld(state, own);
    else if (!isAsking(state, own.fid)) askFor(state, own);
  }
  for (const volume of locks.takeStale()) {
    state.send({ rpc: 'Locks', body: { volume } }, 'VALIDATE', { for: 'locks', volume });
  }
}

/** Where a file was is said when it is gone. */
function notePaths(state: ClientState): void {
  let isAny = false;
  for (const own of state.locks.own.values()) {
    const path = pathTo(state, own.fid) ?? own.path;
    isAny ||= path !== own.path;
    own.path = path;
  }
  if (isAny) keepLocks(state);
}

function askFor(state: ClientState, own: OwnLock): void {
  const { fid, mode, leaseEnd, since } = own;
  if (own.state === 'leaving') {
    if (isUnsettled(state, fid)) return;
    const purpose = { for: 'unlock', call: null, fid } as const;
    state.send({ rpc: 'ReleaseLock', body: { fid } }, 'VALIDATE', purpose);
    return;
  }
  if (state.delays.isHeld(LOCK_KEY, state.now.at)) return;
  if (state.now.wall - own.heldAt > LOCK_KEPT) return lose(state, fid, 'away', null);
  const again = leaseEnd !== null && state.now.at < leaseEnd ? { again: true } : {};
  const purpose = { for: 'lock', call: null, fid, mode } as const;
  const body = { fid, mode, ...again, ...(since === null ? {} : { since }) };
  state.send({ rpc: 'SetLock', body }, 'VALIDATE', purpose);
}

/** Now and then it is made durable that a lock is held still: a daemon that is killed asks for it again for LOCK_KEPT. */
function keepAsHeld(state: ClientState, own: OwnLock): void {
  if (state.now.wall - own.heldAt < LOCK_KEPT / 4) return;
  own.heldAt = state.now.wall;
  keepLocks(state);
}

/** A question about a lock of the file is under way. */
export function isAsking({ requests }: ClientState, fid: Fid): boolean {
  for (const { purpose } of requests.values()) {
    if ((purpose.for === 'lock' || purpose.for === 'unlock') && purpose.fid === fid) return true;
  }
  return false;
}

/** The connection has ended: what was held may be lost from now on. Call it before the promises are dropped. */
export function locksCut(state: ClientState): void {
  suspend(state, state.sharing.promises.leaseEnd);
}

function suspend(state: ClientState, leaseEnd: OwnLock['leaseEnd']): void {
  let isAny = false;
  for (const own of state.locks.own.values()) {
    if (own.state !== 'held') continue;
    Object.assign(own, { state: 'asked', leaseEnd, heldAt: state.now.wall, revision: 0 });
    isAny = true;
  }
  if (isAny) keepLocks(state);
}

/** A session begins: the server counts the states of locks anew. */
export function locksBegin({ locks }: ClientState): void {
  locks.reset();
}

/** Takes the revisions of locks that an answer names. */
export function onLocksTold(
  { locks }: ClientState,
  told: readonly { readonly volume: VolumeId; readonly revision: number }[] = [],
): void {
  for (const { volume, revision } of told) locks.told(volume, revision);
}

/** Takes all locks of a volume, as of a revision, and what they say of ours. */
export function onLocks(
  state: ClientState,
  volume: VolumeId,
  { locks, revision }: ReplyOf<'Locks'>,
): void {
  state.locks.replace(volume, locks, revision);
  state.changed = true;
  const device = state.meta.get('device');
  const ours = new Map(
    locks.filter((lock) => lock.device === device).map((lock) => [lock.fid, lock]),
  );
  for (const own of [...state.locks.own.values()]) {
    const isNews = own.state === 'held' && own.revision <= revision;
    if (volumeOf(own.fid) !== volume || !isNews || isAsking(state, own.fid)) continue;
    const told = ours.get(own.fid);
    if (told?.broken === true) giveUpBroken(state, told);
    else if (told === undefined) movedOrLost(state, own, ours);
  }
  for (const { fid } of ours.values()) releaseUnwanted(state, fid);
}

/** The server waits for our word before another may have it (rule K5). */
function giveUpBroken(state: ClientState, { fid, brokenBy }: FileLock): void {
  lose(state, fid, 'broken', brokenBy ?? null);
  state.send({ rpc: 'ReleaseLock', body: { fid } }, 'VALIDATE', { for: 'unlock', call: null, fid });
}

/**
 * A file that was saved by a rename over it has another number, and its lock goes on there as it was (rule W3). The server may say so before the feed
 * does.
 */
function movedOrLost(state: ClientState, own: OwnLock, ours: ReadonlyMap<Fid, FileLock>): void {
  const moved = [...ours.values()].find(
    ({ fid, broken, since }) => !broken && since === own.since && !state.locks.own.has(fid),
  );
  if (moved === undefined) return lose(state, own.fid, 'file-gone', null);
  state.locks.own.delete(own.fid);
  state.locks.own.set(moved.fid, { ...own, fid: moved.fid, mode: moved.mode });
  keepLocks(state);
}

function releaseUnwanted(state: ClientState, fid: Fid): void {
  if (state.locks.own.has(fid) || isAsking(state, fid)) return;
  state.send({ rpc: 'ReleaseLock', body: { fid } }, 'VALIDATE', { for: 'unlock', call: null, fid });
}

/** A lock of ours has ended without its person's word: that is kept for the person. */
export function lose(state: ClientState, fid: Fid, why: LockLoss, by: string | null): void {
  const path = pathTo(state, fid) ?? state.locks.own.get(fid)?.path ?? null;
  state.locks.lose({ fid, path, why, by, when: state.now.wall });
  keepLocks(state);
  state.out.log('info', 'a lock is lost', { fid, why });
}

const META_KEY = 'locks';

/** A lock as it is durable. */
type KeptLock = Pick<OwnLock, 'fid' | 'mode' | 'heldAt' | 'since' | 'path'> & {
  readonly isLeaving: boolean;
};

/** Makes durable what is wanted and what was lost. */
export function keepLocks(state: ClientState): void {
  const own = [...state.locks.own.values()].map(
    ({ state: now, fid, mode, heldAt, since, path }) => {
      return { fid, mode, isLeaving: now === 'leaving', heldAt, since, path } satisfies KeptLock;
    },
  );
  state.locks.forgetOld(state.now.wall);
  const { lost } = state.locks;
  const isNone = own.length + lost.length === 0;
  state.meta.set(META_KEY, isNone ? null : JSON.stringify({ own, lost }));
  state.changed = true;
}

/** As the run before left them: what was held is asked for again. */
export function loadLocks(state: ClientState): void {
  const text = state.meta.get(META_KEY);
  if (typeof text !== 'string') return;
  const { own, lost } = JSON.parse(text) as { own: KeptLock[]; lost: LostLock[] };
  for (const { isLeaving, ...lock } of own) {
    const now = isLeaving ? 'leaving' : 'asked';
    state.locks.own.set(lock.fid, { ...lock, state: now, leaseEnd: null, revision: 0 });
  }
  state.locks.lost = lost;
}

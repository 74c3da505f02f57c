/**
 * User locks as persons ask for them (rules K1 to K5): "I am editing this". What becomes of a lock afterwards is in keep-locks.ts.
 */
import type { LockLoss, LockOutcome, UnlockOutcome } from '../../../shared/control/locks.ts';
import type { FileLock, LockMode } from '../../../shared/model/file-lock.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { ERROR_CODES, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { isUncommitted } from '../log/view.ts';
import { pathTo } from '../sharing/sharing-orders.ts';
import type { ClientState } from '../state.ts';
import { done, refused, waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';
import {
  isAsking,
  isUnsettled,
  keepLocks,
  LOCK_KEY,
  lose,
  understandsLocks,
} from './keep-locks.ts';
import { lockRow } from './lock-report.ts';

/** Signalled, as all facts are, with each session. */
const SESSION_KEY = { kind: 'session' } as const;

/**
 * A person wants to have a file locked. Refuses with `not-connected` (by time), as the server refuses a session, `server-too-old`, `no-right`, `not-committed`, `is-a-directory`,
 * `locked`, `too-many-locks`.
 */
export function attemptLock(state: ClientState, call: number, fid: Fid, mode: LockMode): Attempt {
  if (!state.session.isUp) return withoutSession(state);
  const never = lockRefusal(state, fid);
  if (never !== null) return never;
  const mustWait = isAsking(state, fid) || state.delays.isHeld(LOCK_KEY, state.now.at);
  if (mustWait) return waitFor(LOCK_KEY);
  const own = state.locks.own.get(fid);
  // Others may share it before the answer is here.
  if (own !== undefined && mode === 'shared') own.mode = mode;
  const purpose = { for: 'lock', call, fid, mode } as const;
  const since = own?.since ?? null;
  const body = { fid, mode, ...(since === null ? {} : { since }) };
  state.send({ rpc: 'SetLock', body }, 'VALIDATE', purpose);
  return WORKING;
}

/** Waits for a session, unless the server lets this laptop have none: then why. */
function withoutSession({ session: { failure, isRefused } }: ClientState): Attempt {
  if (failure === null || !isRefused) return waitFor(SESSION_KEY);
  const { code, detail } = failure;
  return refused(code, detail === '' ? ERROR_CODES[code].summary : detail);
}

function lockRefusal(state: ClientState, fid: Fid): Attempt | null {
  if (!understandsLocks(state)) return refused('server-too-old', 'the server knows no locks yet');
  const refusal = state.names.volumes.writeRefusal(volumeOf(fid));
  if (refusal !== null) return refused(refusal.code, refusal.message);
  if (isUncommitted(state, fid)) {
    return refused('not-committed', 'the server has not got it yet: lock it when it is synced');
  }
  const kind = state.names.attributes.get(fid)?.kind;
  if (kind === undefined) return refused('not-found', 'there is no such file any more');
  return kind === 'file'
    ? null
    : refused('is-a-directory', 'files can be locked, and nothing else');
}

/**
 * A person ends a lock of this laptop, or (`breaks`) those of others. Answered at once for one of ours; it ends when all that was saved under it is
 * on the server (rule K3). Refuses with `not-locked`, `not-connected` (by time), `no-right`.
 */
export function attemptUnlock(
  state: ClientState,
  call: number,
  fid: Fid,
  breaks: boolean,
): Attempt {
  const own = state.locks.own.get(fid);
  if (own !== undefined) {
    own.state = 'leaving';
    keepLocks(state);
    const waits = !state.session.isUp || isUnsettled(state, fid);
    return done({ waits, others: 0 } satisfies UnlockOutcome);
  }
  if (!breaks) return refused('not-locked', 'this laptop has not locked it');
  if (!state.session.isUp) return withoutSession(state);
  const never = lockRefusal(state, fid);
  if (never !== null) return never;
  const purpose = { for: 'unlock', call, fid } as const;
  state.send({ rpc: 'ReleaseLock', body: { fid, broken: true } }, 'VALIDATE', purpose);
  return WORKING;
}

interface LockPurpose {
  readonly call: number | null;
  readonly fid: Fid;
  readonly mode: LockMode;
}

/** The server has granted a lock, or named who is in the way. */
export function onLockAnswered(
  state: ClientState,
  { call, fid, mode }: LockPurpose,
  { heldBy, commit, revision, since, behind = false }: ReplyOf<'SetLock'>,
): void {
  const isAwaited = call !== null && state.waiting.get(call) !== undefined;
  state.delays.succeeded(LOCK_KEY);
  state.waiting.signal(LOCK_KEY);
  state.locks.told(volumeOf(fid), revision);
  if (heldBy !== undefined) {
    const [first] = heldBy;
    const { why, by } = lossTo(state, first);
    // A person who wants another mode keeps the lock there is.
    const isLost = state.locks.own.has(fid) && (call === null || why === 'broken');
    if (isLost) lose(state, fid, why, by);
    if (isAwaited) state.refuse(call, 'locked', inTheWay(heldBy));
    return;
  }
  const own = state.locks.own.get(fid);
  const isWanted = isAwaited || (own !== undefined && own.state !== 'leaving');
  // Nobody waits for it any more: it is released.
  const now = isWanted ? 'held' : 'leaving';
  const { wall: heldAt } = state.now;
  const path = pathTo(state, fid);
  const held = { fid, mode, since: since ?? null, path, heldAt, leaseEnd: null, revision };
  state.locks.own.set(fid, { ...held, state: now });
  state.locks.forgetLost(fid);
  keepLocks(state);
  if (!isAwaited) return;
  const { config, names } = state;
  const applied = names.volumes.get(volumeOf(fid))?.applied ?? 0;
  const isCurrent = config.frontEnd !== 'folder' || applied >= commit;
  const lock = lockRow(state, fid);
  state.answer(call, { lock, isCurrent, behind } satisfies LockOutcome);
}

/** A broken one of ours is named like one of another. */
function lossTo(
  state: ClientState,
  lock: FileLock | undefined,
): { why: LockLoss; by: string | null } {
  return lock?.device === state.meta.get('device')
    ? { why: 'broken', by: lock?.brokenBy ?? null }
    : { why: 'taken', by: lock?.deviceName ?? null };
}

function inTheWay(heldBy: readonly FileLock[]): string {
  const names = heldBy.map(({ deviceName, user }) => `${deviceName} (${user})`);
  return `locked by ${names.join(', ')}`;
}

/** It was refused, or its connection ended (`code` null). Gives the call that is to hear of that; null: none is. */
export function onLockFailed(
  state: ClientState,
  { call, fid }: LockPurpose,
  code: ErrorCode | null,
  jitter: number,
): number | null {
  state.waiting.signal(LOCK_KEY);
  if (code === 'try-again') {
    state.delays.failed(LOCK_KEY, state.now.at, jitter);
    if (call !== null && state.waiting.get(call) !== undefined)
      state.waiting.wait(call, [LOCK_KEY]);
    return null;
  }
  const isOver = code !== null && code !== 'server-closing' && state.locks.own.has(fid);
  const isGone = code === 'no-such-vnode';
  if (isOver && (call === null || isGone)) lose(state, fid, isGone ? 'file-gone' : 'refused', null);
  return call;
}

interface UnlockPurpose {
  readonly call: number | null;
  readonly fid: Fid;
}

/** A lock of ours has ended, or those of others are broken. */
export function onUnlocked(
  state: ClientState,
  { call, fid }: UnlockPurpose,
  { left }: ReplyOf<'ReleaseLock'>,
): void {
  state.waiting.signal(LOCK_KEY);
  if (call !== null) {
    if (state.waiting.get(call) === undefined) return;
    return state.answer(call, { waits: left > 0, others: left } satisfies UnlockOutcome);
  }
  if (state.locks.own.get(fid)?.state !== 'leaving') return;
  state.locks.own.delete(fid);
  keepLocks(state);
}

/** It was refused: a volume that may not be seen has no locks of ours. As for `onLockFailed`; without an answer it is sent again with the next session. */
export function onUnlockFailed(
  state: ClientState,
  { call, fid }: UnlockPurpose,
  code: ErrorCode | null,
): number | null {
  state.waiting.signal(LOCK_KEY);
  if (call !== null || code === null || code === 'server-closing') return call;
  state.locks.own.delete(fid);
  keepLocks(state);
  return null;
}

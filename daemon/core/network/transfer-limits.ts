/**
 * The limits that a person sets on contents, one for each direction.
 *
 * What leaves is paced by our own transport. What comes is paced by the server's, which is told: only who sends can put what is urgent first. Both
 * hold for contents of every class, so a file that a program waits for goes first and keeps the limit, too; metadata and questions are not held back.
 *
 * Invariants
 * 1. The transport has the limit before it is given a request on a new connection, and at once when it changes.
 * 2. The server is told at the begin of each session and at each change, if it understands that; one question of that at a time is under way.
 * 3. A limit of what comes is in force when the server has answered (`isTold`); until then, and with a server that is too old, nobody says that it is.
 */
import {
  LEAST_LIMIT,
  MOST_LIMIT,
  type LimitsChange,
  type TransferLimits,
} from '../../../shared/model/transfer-limits.ts';
import { LIMITS_FROM } from '../../../shared/wire/rpcs.ts';
import { SETTING_KEYS } from '../setting-keys.ts';
import type { ClientState } from '../state.ts';
import { done, type Attempt } from '../waits/attempt-result.ts';

const KEYS = {
  upload: SETTING_KEYS['limit.upload'],
  download: SETTING_KEYS['limit.download'],
} as const;

/** As the run before left them. */
export function loadLimits(state: ClientState): void {
  const kept = (key: string): number | null => {
    const value = state.meta.get(key);
    return typeof value === 'number' && value >= LEAST_LIMIT && value <= MOST_LIMIT ? value : null;
  };
  state.limits.settings = { upload: kept(KEYS.upload), download: kept(KEYS.download) };
}

/** Changes the limits durably, in force at once, and answers with the new ones. */
export function attemptLimits(state: ClientState, change: LimitsChange): Attempt {
  const before = state.limits.settings;
  const { upload = before.upload, download = before.download } = change;
  const next: TransferLimits = { upload, download };
  for (const part of ['upload', 'download'] as const) {
    if (next[part] !== before[part]) state.meta.set(KEYS[part], next[part]);
  }
  state.limits.settings = next;
  if (next.upload !== before.upload) limitUploads(state);
  // A server that refused another one may take this.
  if (next.download !== before.download && state.limits.told === 'refused') {
    state.limits.told = { rate: before.download };
  }
  state.changed = true;
  return done(next);
}

/** A connection is there: it has no limit yet, at either end. */
export function limitsBegin(state: ClientState): void {
  state.limits.told = { rate: null };
  state.limits.isAsking = false;
  if (state.limits.settings.upload !== null) limitUploads(state);
}

function limitUploads(state: ClientState): void {
  state.out.emit({ kind: 'limit', bytesPerSecond: state.limits.settings.upload });
}

/** Tells the server how fast contents are to come here, where it does not know yet. */
export function tellLimit(state: ClientState): void {
  const { limits } = state;
  if (!state.session.isUp || limits.isAsking || limits.isTold()) return;
  if (typeof limits.told === 'string') return;
  if (Number(state.meta.get('protocol') ?? 1) < LIMITS_FROM) {
    limits.told = 'too-old';
    state.changed = true;
    return;
  }
  const rate = limits.settings.download;
  limits.isAsking = true;
  state.send({ rpc: 'GetTime', body: { contentsRate: rate } }, 'VALIDATE', { for: 'limit', rate });
}

/** The server paces contents by this from now on; it has answered so. */
export function onLimitTold(state: ClientState, rate: number | null): void {
  state.limits.isAsking = false;
  state.limits.told = { rate };
  state.changed = true;
}

/** `isCut`: the connection ended, and the next session begins anew. */
export function onLimitFailed(state: ClientState, isCut: boolean): void {
  state.limits.isAsking = false;
  if (!isCut) state.limits.told = 'refused';
  state.changed = true;
}

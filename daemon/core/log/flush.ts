/**
 * Flush: everything logged before the call is answered by the server, conflict copies included; then how far the server is,
 * so that a front end can be waited for (rule F4).
 *
 * An update that a conflict renumbered keeps the rank of the number it was first logged under, so it still counts.
 */
import { after, milliseconds, type Instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { ERROR_CODES } from '../../../shared/wire/error-codes.ts';
import { fromRoot } from '../../../shared/util/from-root.ts';
import { refused, waitFor, done, type Attempt } from '../waits/attempt-result.ts';
import type { ClientState } from '../state.ts';
import { kept } from './kept.ts';
import { sendTime } from './low-water.ts';
import type { LoggedUpdate } from './update-log.ts';
import type { RunningFlush } from './flush-list.ts';

/** What the flush of a volume found the server to have. */
export interface Flushed {
  readonly head: CommitNumber;
}

export const TIME_KEY = { kind: 'time' } as const;
export const LOG_KEY = { kind: 'log' } as const;

/**
 * Answers once all that was logged before the call is committed, and the newest commit of the
 * volume is known. `timeoutMs`: milliseconds; null: no limit. Refuses with `timed-out`,
 * `sync-blocked` or `no-such-volume`.
 */
export function attemptFlush(
  state: ClientState,
  call: number,
  volume: VolumeId,
  timeoutMs: number | null,
): Attempt {
  const running = runningFlush(state, call, timeoutMs);
  if (running.deadline !== null && state.now.at >= running.deadline) {
    return refused('timed-out', 'not everything was synced in the time given');
  }
  const open = openBefore(state, running.barrier, volume);
  if (open === 'open') return waitFor(LOG_KEY);
  if (open !== null) {
    const { code, path, volume: name, why, remedy } = kept(state, open);
    const at = `${name === null ? '' : `${name}:`}${fromRoot(path ?? '')}`;
    const what = path === null ? why : `${at}: ${why}`;
    return refused('sync-blocked', what, remedy ?? ERROR_CODES[code].remedy);
  }
  if (!state.session.isUp) {
    running.answeredAt = null;
    return waitFor(TIME_KEY);
  }
  running.answeredAt ??= state.requests.nextSerial();
  const known = state.names.volumes.get(volume);
  if (known === undefined) return refused('no-such-volume', `there is no volume ${volume}`);
  if (state.queue.flushes.isToldSince(running.answeredAt)) {
    return done({ head: known.head } satisfies Flushed);
  }
  askTime(state);
  return waitFor(TIME_KEY);
}

function runningFlush(state: ClientState, call: number, timeoutMs: number | null): RunningFlush {
  const known = state.queue.flushes.get(call);
  if (known !== undefined) return known;
  const deadline = timeoutMs === null ? null : after(state.now.at, milliseconds(timeoutMs));
  const flush = { barrier: state.log.lastSeq, deadline, answeredAt: null };
  state.queue.flushes.begin(call, flush);
  return flush;
}

/** What of a volume up to the barrier is unanswered: `open`, something that will be; else the first that can't be by itself. */
function openBefore(
  state: ClientState,
  barrier: UpdateSeq,
  volume: VolumeId,
): LoggedUpdate | 'open' | null {
  let found = false;
  for (const entry of state.log.all()) {
    if (entry.state === 'answered' || entry.rank > barrier || entry.volume !== volume) continue;
    if (entry.state === 'blocked') return entry;
    found = true;
    // Blocked ones matter only when nothing else is left to wait for, or stand before it.
    if (entry.waitsFor.size === 0) return 'open';
  }
  return found ? 'open' : null;
}

/** Asks how far the volumes are, unless that question is under way and young enough. */
function askTime(state: ClientState): void {
  if (!state.requests.isAsking('time')) sendTime(state);
}

/** The next time at which a flush gives up. */
export function nextFlushDeadline(state: ClientState): Instant | null {
  let least: Instant | null = null;
  for (const [, { deadline }] of state.queue.flushes) {
    if (deadline !== null && (least === null || deadline < least)) least = deadline;
  }
  return least;
}

/** Wakes the flushes whose deadline has passed, so that their next attempt refuses them. */
export function signalLateFlushes(state: ClientState): void {
  for (const [call, { deadline }] of state.queue.flushes) {
    if (deadline !== null && state.now.at >= deadline) state.waiting.wake(call);
  }
}

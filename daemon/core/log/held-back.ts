/**
 * Stores that do not fit into the quota of their volume: each stays in the log, held back and shown, until there may be room. Others go
 * on (rule W7); it is no conflict, and nothing of it is dropped.
 *
 * Invariants
 * 1. A store that is held back was surely not applied: it was never sent, or the server has refused it for the quota, and records nothing
 *    for its number then. So it is sent again under that number.
 * 2. A held store is looked at again when the server reports another usage, when the queue shrinks, and after each Hello. A store that the
 *    server itself has refused waits for a new report of the usage, and for a delay that doubles; a raised quota ends the delay.
 * 3. It never keeps its file from being made smaller or removed: what a later store or the end of its vnode makes pointless goes (W5).
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { updateSeq } from '../../../shared/model/update.ts';
import type { StoreUpdate, Update, UpdateSeq } from '../../../shared/model/update.ts';
import { relog } from './relog.ts';
import type { ClientState } from '../state.ts';
import { lastStore } from './view.ts';
import { logStore } from './log-update.ts';
import { sendTime } from './low-water.ts';
import { offer } from './offer.ts';
import { isDamaged } from './queue-status.ts';
import type { LoggedUpdate } from './update-log.ts';
import { vanish } from './vanish.ts';
import { maySend } from '../quota/room.ts';
import { dropGivenUp } from './given-up.ts';
import type { Origin } from '../names/past-places.ts';
import type { WaitKey } from '../waits/wait-key.ts';

const delayKey = (seq: UpdateSeq): WaitKey => ({ kind: 'held-back', seq });
/** Durable: what is held back is so after a restart too. The value is the name of the update, for numbers may begin anew (I2). */
const HELD = 'held-';

/** Where it surely does not fit it is not sent. */
export function holdBack(state: ClientState, entry: LoggedUpdate): void {
  state.meta.set(`${HELD}${entry.seq}`, entry.name ?? '');
  hold(state, entry);
  // It may have been taken away while it was on its way.
  state.quota.noteEnded(entry.update.fid);
  state.quota.wantLook();
  state.waiting.signal({ kind: 'log' });
}

/** As the run before left it. */
export function loadHeld(state: ClientState): void {
  for (const key of [...state.meta.keys()].filter((each) => each.startsWith(HELD))) {
    const seq = updateSeq(Number(key.slice(HELD.length)));
    const entry = state.log.get(seq);
    const isIt = entry?.state === 'queued' && entry.update.op === 'store';
    if (isIt && state.meta.get(key) === (entry.name ?? '')) hold(state, entry);
    else forgetHeld(state, seq);
  }
}

function hold(state: ClientState, entry: LoggedUpdate): void {
  const volume = state.names.volumes.get(entry.volume)?.row.info.name ?? `volume ${entry.volume}`;
  entry.state = 'blocked';
  entry.heldBack = true;
  entry.blockedBy = `the quota of ${volume} has no room for it`;
  state.quota.hold(entry.seq);
  state.log.growth.drop(entry.seq);
  state.recovery.noteBlocked(entry.update.fid);
  state.changed = true;
}

function forgetHeld(state: ClientState, seq: UpdateSeq): void {
  state.quota.forget(seq);
  state.meta.drop(`${HELD}${seq}`);
}

/** Holds a store back that the server has refused for the quota, even if the usage that it reported before had room. */
export function onOverQuota(state: ClientState, entry: LoggedUpdate, jitter: number): void {
  holdBack(state, entry);
  // Others could miss it as long as that takes (S2).
  state.log.hidden.fresh.add(entry.seq);
  state.delays.failed(delayKey(entry.seq), state.now.at, jitter);
  state.quota.refused(entry.volume);
  if (!state.requests.isAsking('time')) sendTime(state);
}

/** A delay of one is over, or it was stored. */
export function onHeldDelay(state: ClientState, seq: UpdateSeq): void {
  if (state.quota.holds(seq)) state.quota.wantLook();
  else state.delays.succeeded(delayKey(seq));
}

function release(state: ClientState, entry: LoggedUpdate): void {
  entry.state = 'queued';
  entry.heldBack = false;
  entry.blockedBy = null;
  forgetHeld(state, entry.seq);
  state.log.measure(entry, entry.grows);
  state.log.hidden.fresh.add(entry.seq);
  offer(state, entry);
  state.changed = true;
}

/** In the order of the log, as many as fit beside what is queued. */
export function releaseHeldBack(state: ClientState): void {
  for (const fid of state.quota.takeEnded()) {
    if (!vanish(state, fid)) dropPointless(state, fid);
  }
  if (state.log.growth.hasShrunk()) state.quota.wantLook();
  if (!state.session.isUp || !state.quota.takeLook()) return;
  const raised = state.quota.takeRaised();
  for (const seq of state.quota.heldInOrder()) {
    const entry = state.log.get(seq);
    if (entry?.heldBack !== true) {
      forgetHeld(state, seq);
      continue;
    }
    const { volume, grows } = entry;
    // A person has made room: whatever was tried before says nothing.
    if (raised.has(volume)) state.delays.succeeded(delayKey(seq));
    if (state.quota.isStale(volume) || state.delays.isHeld(delayKey(seq), state.now.at)) continue;
    const queued = Math.max(0, state.log.growth.of(volume));
    if (maySend(state, volume, grows > 0 ? queued + grows : 0)) release(state, entry);
  }
}

/** A store that was just written: one that is held back, or damaged, and that it is made over goes, and it takes its place. */
export function logWritten(
  state: ClientState,
  update: StoreUpdate,
  content: string,
  had: Origin | null,
): LoggedUpdate {
  const { fid } = update;
  const held = lastStore(state, fid);
  const isReplaced = held !== undefined && (held.heldBack || isDamaged(held));
  if (!isReplaced || held.update.op !== 'store' || held.update.base + 1 !== update.base) {
    return logStore(state, update, content, had);
  }
  const { renumbered } = held;
  if (held.heldBack) state.spared.add('overwritten', held.update);
  const written = { ...update, base: held.update.base };
  // Its time is later than what was set between the two.
  const dependent = (later: Update): Update =>
    later.op === 'setattr' && later.fid === fid ? { ...later, mtime: null } : later;
  const instead = [{ update: written, content }];
  const [entry] = relog(state, held, { instead, had, dependent, renumbered }).instead;
  return entry ?? held;
}

/** The vnode is ended here: contents of it that were held back, never sent for their delay, or are damaged, are for nobody. */
function dropPointless(state: ClientState, fid: Fid): void {
  const held = lastStore(state, fid);
  if (held === undefined) return;
  const isUnsent = held.heldBack || held.delayedUntil !== null;
  if (!isUnsent && !isDamaged(held)) return;
  if (isUnsent) state.spared.add('removed', held.update);
  dropGivenUp(state, held);
}

/**
 * A vnode that was made and removed here before the server heard of it vanishes (rule W5): none of its updates is sent. So does a mount point that the
 * server has refused.
 *
 * Invariants
 * 1. Only what was surely not sent goes, all of it in one step: `fresh` updates, none of which was in the log when the program began. The making of a
 *    mount point may have been sent and refused: then nothing of it is there.
 * 2. The vnode has no name left, and no handle is open on it.
 * 3. Nothing else in the log depends on one of its updates, or was replaced by it.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { isMountRefused } from './queue-status.ts';
import { madeBy } from './view.ts';
import type { LoggedUpdate } from './update-log.ts';

/** Its making is in the log, and the server has surely nothing of it. */
export function isUnheardOf(state: ClientState, fid: Fid): boolean {
  const first = state.log.index.onVnode(fid)[0] as LoggedUpdate | undefined;
  if (first === undefined) return false;
  // What takes the place of another number may have been sent under that.
  const isUnsent = first.fresh && first.rank === first.seq;
  if (!isUnsent && !isMountRefused(first)) return false;
  return first.update.fid === fid && madeBy(first.update) !== null;
}

/** The vnode was ended here. False: its updates have to be sent. */
export function vanish(state: ClientState, fid: Fid): boolean {
  const entries = [...state.log.index.onVnode(fid)] as LoggedUpdate[];
  if (!isUnheardOf(state, fid) || !isEnded(entries, fid) || isInUse(state, fid)) return false;
  const all = new Set(entries.map(({ seq }) => seq));
  const isOwn = entries.every((entry) => {
    const { fresh, waiters, update } = entry;
    if (!fresh && !isMountRefused(entry)) return false;
    const isOver = update.op === 'rename' && update.over !== null;
    return update.fid === fid && !isOver && [...waiters].every((waiter) => all.has(waiter));
  });
  if (!isOwn) return false;
  for (const entry of entries.reverse()) takeOut(state, entry);
  state.out.wake(volumeOf(fid));
  state.waiting.signal({ kind: 'log' });
  state.changed = true;
  return true;
}

function isEnded(entries: readonly LoggedUpdate[], fid: Fid): boolean {
  const last = entries.at(-1);
  const isRemoval = last?.update.op === 'remove' || last?.update.op === 'rmdir';
  return isRemoval && last.endsVnode && last.update.fid === fid;
}

/** A program has it open, or something that a conflict has left is about it. */
function isInUse(state: ClientState, fid: Fid): boolean {
  for (const handle of state.calls.handles.values()) if (handle.fid === fid) return true;
  for (const [from, { into }] of state.names.aliases) if (from === fid || into === fid) return true;
  return state.conflict.adjustments.concerns(fid);
}

function takeOut(state: ClientState, entry: LoggedUpdate): void {
  const { seq, content, update } = entry;
  state.spared.add('removed', update);
  state.log.remove(entry);
  state.queue.forget(seq);
  if (entry.heldBack) state.quota.wantLook();
  if (content === null) return;
  state.cache.files.release(content);
  state.cache.files.doom(content);
}

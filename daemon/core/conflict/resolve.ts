/**
 * What becomes of an update the server refuses (C1-C3, W7). The one decision of this machine: each refusal of each kind of update
 * has its line here.
 *
 * Invariants
 * 1. No contents that a person wrote are dropped, unless the same person removed or replaced them afterwards, or the server has the
 *    same bytes.
 * 2. Everything a resolution changes, is changed in one step; so a crash finds it undone (the server then refuses
 *    again, with the same answer) or done.
 * 3. What can't be resolved stays in the log, `blocked`, and is shown; independent updates go on.
 */
import type { Refusal, Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { MOST_RENUMBERINGS } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import {
  IN_MOUNT_POINT,
  isInMountPoint,
  KEEPS_REFUSING,
  MOUNTS_UNSEEN,
  NEEDS_REFUSED,
  NO_RIGHT,
} from '../log/queue-status.ts';
import { refusesEntries } from '../log/mount-points.ts';
import { AS_IT_IS, relog } from '../log/relog.ts';
import { dropUpdate, resolveRemoved, resolveStale } from './resolve-contents.ts';
import { isTimeAlone } from './give-up.ts';
import { keepFindable } from './lost-contents.ts';
import { takeFromNeverStored } from './never-stored.ts';
import { noteInMount } from './out-of-mounts.ts';
import { offerAdjustment } from './outcome.ts';
import { resolveFidInUse, resolveNoDirectory, resolveTaken } from './resolve-making.ts';
import { resolveLink, resolveRemoval, resolveRename } from './resolve-names.ts';

/** False: it has to wait (for a fid to name a copy by, for word of the server) and is to be tried again. */
export function resolveRefusal(
  state: ClientState,
  entry: LoggedUpdate,
  refusal: Refusal,
  existing: VnodeStatus | null,
): boolean {
  const { update } = entry;
  if (refusal === 'no-right') return resolveNoRight(state, entry);
  if (refusal === 'dependency-failed') return stall(state, entry);
  if (entry.renumbered >= MOST_RENUMBERINGS) {
    return block(state, entry, `${KEEPS_REFUSING} (${refusal})`);
  }
  if (takeFromNeverStored(state, entry, refusal, existing)) return true;
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
      if (refusal === 'fid-in-use') return resolveFidInUse(state, entry, update, existing);
      if (refusal !== 'name-taken') {
        return resolveNoDirectory(state, entry, update, refusal === 'too-deep');
      }
      resolveTaken(state, entry, update, existing);
      return true;
    case 'store':
      if (refusal === 'stale-base') return resolveStale(state, entry, update, existing);
      return resolveRemoved(state, entry, update);
    case 'setattr':
      dropUpdate(state, entry);
      return true;
    case 'link':
      return resolveLink(state, entry, update, refusal, existing);
    case 'remove':
    case 'rmdir':
      resolveRemoval(state, entry, update, refusal, existing);
      return true;
    case 'rename':
      return resolveRename(state, entry, update, refusal, existing);
  }
}

/** The answer may be older than the right: the server keeps it for the number, so it is asked under another. */
function resolveNoRight(state: ClientState, entry: LoggedUpdate): boolean {
  const why = refusedByMount(state, entry.update);
  if (why !== null) {
    block(state, entry, why);
    if (isInMountPoint(entry)) noteInMount(state, entry);
    return true;
  }
  const may = state.names.volumes.rightsIn(entry.volume) === 'write';
  // Of a directory whose entries were changed here too: it is nobody's wish, and follows from them when they are sent.
  if (!may && isTimeAlone(state, entry)) {
    relog(state, entry, { instead: [], dependent: AS_IT_IS });
    offerAdjustment(state, { kind: 'restored', volume: entry.volume, fid: entry.update.fid }, []);
    return true;
  }
  if (!may || entry.renumbered >= MOST_RENUMBERINGS / 2) {
    return block(state, entry, NO_RIGHT);
  }
  logAgain(state, entry);
  return true;
}

/** It makes a mount point of what this device does not see, or puts something into one (M2): no number changes that. Null: neither. */
function refusedByMount(state: ClientState, update: Update): string | null {
  const mounts = update.op === 'mkdir' ? update.mounts : undefined;
  const isSeen = mounts === undefined || state.names.volumes.rightsIn(mounts) !== null;
  if (!isSeen) return MOUNTS_UNSEEN;
  const dir = update.op === 'rename' ? update.toDir : 'dir' in update ? update.dir : null;
  const why = dir === null ? null : refusesEntries(state, dir);
  return why === null ? null : `${IN_MOUNT_POINT}: ${why}`;
}

/** What it depended on was refused: it is logged anew once that has been dealt with. */
function stall(state: ClientState, entry: LoggedUpdate): boolean {
  entry.state = 'stalled';
  resumeStalled(state, entry);
  return true;
}

/** Nothing is left that a stalled update waits for: it goes again, under a new number. */
export function resumeStalled(state: ClientState, entry: LoggedUpdate): void {
  if (entry.state !== 'stalled' || entry.waitsFor.size > 0) return;
  if (entry.renumbered >= MOST_RENUMBERINGS) {
    block(state, entry, NEEDS_REFUSED);
    return;
  }
  logAgain(state, entry);
}

/** The same update under a new number, with everything that waits for it. */
export function logAgain(
  state: ClientState,
  entry: LoggedUpdate,
  renumbered = entry.renumbered + 1,
): void {
  const { update, content } = entry;
  relog(state, entry, { instead: [{ update, content }], dependent: AS_IT_IS, renumbered });
}

/**
 * Blocks an update with a reason that the status shows; it stays in the log and is not sent.
 * Returns true, as resolutions do that need no further attempt.
 */
export function block(state: ClientState, entry: LoggedUpdate, why: string): boolean {
  entry.state = 'blocked';
  entry.blockedBy = why;
  state.recovery.noteBlocked(entry.update.fid);
  keepFindable(state, entry);
  state.waiting.signal({ kind: 'log' });
  state.changed = true;
  return true;
}

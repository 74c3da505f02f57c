/** What a front end that follows a volume must hold back of what the feed says (the feed port, contract 3). */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';

/** Whether an unanswered update or an unoffered conflict repair concerns the vnode. */
export function pendingVnode({ log, conflict: { adjustments } }: ClientState, fid: Fid): boolean {
  if (log.index.onVnode(fid).some((entry) => entry.state !== 'answered')) return true;
  return adjustments.size > 0 && adjustments.holdsVnode(fid);
}

/** The unanswered updates of the vnode, where all of them are blocked; null: there are none, or an answer to one comes. */
export function blockedOf(
  { log, conflict: { adjustments } }: ClientState,
  fid: Fid,
): readonly Update[] | null {
  const all = log.index.onVnode(fid).filter((entry) => entry.state !== 'answered');
  if (all.length === 0 || all.some((entry) => entry.state !== 'blocked')) return null;
  return adjustments.holdsVnode(fid) ? null : all.map(({ update }) => update);
}

/**
 * Whether an unanswered update or an unoffered conflict repair concerns this name in a directory.
 */
export function pendingEntry(
  { log, conflict: { adjustments } }: ClientState,
  dir: Fid,
  name: string,
): boolean {
  if (log.index.onEntry(dir, name).some((entry) => entry.state !== 'answered')) return true;
  return adjustments.size > 0 && adjustments.holdsEntry(dir, name);
}

/** Something later is known of it: by an answer to an own update, or to a question. */
export function isOutdated(
  { names: { attributes }, log }: ClientState,
  { fid, commit }: VnodeStatus,
): boolean {
  const isAnswered = log.index
    .onVnode(fid)
    .some(({ seq }) => (log.get(seq)?.answer?.commit ?? 0) > commit);
  return isAnswered || (attributes.get(fid)?.commit ?? 0) > commit;
}

/**
 * Which actions of a plan have nothing to do with those that wait for contents, and may go before them. In one walk over the plan, whatever waits. Pure.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { placeKey } from '../records/folder-records.ts';
import type { DiskAction } from './plan-remote.ts';

/** `missing`: what waits. */
export function apart(
  actions: readonly DiskAction[],
  missing: ReadonlySet<Fid>,
): readonly DiskAction[] {
  // A name that is freed for what waits must not be missing meanwhile.
  const wanted = new Set<string>();
  // Names that stay taken until then, and directories that something stays in.
  const taken = new Set<string>();
  const full = new Set<Fid>();
  for (const action of actions) {
    if (!missing.has(fidOf(action))) continue;
    const to = targetOf(action);
    if (to !== null) wanted.add(keyOf(to));
    const from = sourceOf(action);
    if (from === null) continue;
    taken.add(keyOf(from));
    full.add(from.dir);
  }
  return actions.filter((action) => {
    const fid = fidOf(action);
    if (missing.has(fid)) return false;
    const from = sourceOf(action);
    const to = targetOf(action);
    const isFull = action.do === 'rmdir' && full.has(fid);
    const isWanted = from !== null && wanted.has(keyOf(from));
    const waits = isFull || isWanted || (to !== null && taken.has(keyOf(to)));
    // What waits keeps its own name and directory.
    if (waits && from !== null) {
      taken.add(keyOf(from));
      full.add(from.dir);
    }
    return !waits;
  });
}

function fidOf(action: DiskAction): Fid {
  return 'status' in action ? action.status.fid : action.fid;
}

const keyOf = ({ dir, name }: Place): string => placeKey(dir, name);

function sourceOf(action: DiskAction): Place | null {
  if (action.do === 'move' || action.do === 'park') return action.from;
  return action.do === 'remove' || action.do === 'rmdir' ? action.place : null;
}

function targetOf(action: DiskAction): Place | null {
  if (action.do === 'move') return action.to;
  const isNew = action.do === 'make' || action.do === 'make-placeholder' || action.do === 'link';
  return isNew ? action.place : null;
}

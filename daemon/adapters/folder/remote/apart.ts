/**
 * Which actions of a plan have nothing to do with those that wait for contents, and may go before them. In one walk over the plan, whatever waits. Pure.
 *
 * Names wait together: what takes a name that stays until then, what frees a name for what waits (it is not missing meanwhile), all names of a file, what
 * goes into a directory that is still to be made, and the removal of one that something stays in.
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
  const plan = new PlannedNames(actions);
  const waiting = new Set(missing);
  // Those that are found on the way are walked over, too.
  for (const fid of waiting) for (const other of plan.with(fid)) waiting.add(other);
  return actions.filter((action) => {
    const fid = fidOf(action);
    return !missing.has(fid) && (isOfContents(action) || !waiting.has(fid));
  });
}

/** What each action of a plan frees and takes. */
class PlannedNames {
  readonly #actions = new Map<Fid, DiskAction[]>();
  readonly #freedBy = new Map<string, Fid>();
  readonly #takenBy = new Map<string, Fid>();
  readonly #into = new Map<Fid, Fid[]>();
  readonly #removed = new Set<Fid>();
  readonly #made = new Set<Fid>();

  constructor(actions: readonly DiskAction[]) {
    for (const action of actions) {
      const fid = fidOf(action);
      addTo(this.#actions, fid, action);
      const [from, to] = [sourceOf(action), targetOf(action)];
      if (from !== null) this.#freedBy.set(keyOf(from), fid);
      if (to !== null) this.#takenBy.set(keyOf(to), fid);
      if (to !== null) addTo(this.#into, to.dir, fid);
      if (action.do === 'rmdir') this.#removed.add(fid);
      if (action.do === 'make') this.#made.add(fid);
    }
  }

  /** What waits where this does. */
  *with(fid: Fid): Iterable<Fid> {
    for (const action of this.#actions.get(fid) ?? []) {
      const [from, to] = [sourceOf(action), targetOf(action)];
      const freedBy = to === null ? undefined : this.#freedBy.get(keyOf(to));
      const takenBy = from === null ? undefined : this.#takenBy.get(keyOf(from));
      if (freedBy !== undefined) yield freedBy;
      if (takenBy !== undefined) yield takenBy;
      if (from !== null && this.#removed.has(from.dir)) yield from.dir;
    }
    if (this.#made.has(fid)) yield* this.#into.get(fid) ?? [];
  }
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function fidOf(action: DiskAction): Fid {
  return 'status' in action ? action.status.fid : action.fid;
}

/** It gives or takes no name. */
function isOfContents({ do: what }: DiskAction): boolean {
  return what === 'contents' || what === 'attributes' || what === 'renew-placeholder';
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

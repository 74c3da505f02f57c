/**
 * Bursts of removals, here and on other laptops, as they outlive the daemon: a person who was not there is told after a restart, too.
 *
 * Paths are many, and a burst changes with each file. So those of a large one are not kept: after a restart it counts what was removed, and no more
 * what is there again.
 */
import { MOST_KEPT_PATHS } from '../../limits.ts';
import type { StoredBurst } from '../names/removal-burst.ts';
import type { ClientState } from '../state.ts';
import type { StoredOthersRemovals } from './removals-of-others.ts';

const HERE = 'removed-here';
const OTHERS = 'removed-by-others';

/** Takes what the run before has kept. */
export function loadRemovals(state: ClientState): void {
  const here = parsed<StoredBurst>(state.meta.get(HERE));
  if (here !== null) state.calls.removals.load(here);
  const others = parsed<readonly StoredOthersRemovals[]>(state.meta.get(OTHERS));
  if (others !== null) state.sharing.othersRemovals.load(others);
  for (const [key, mark] of marks(state)) state.calls.keptRemovals.set(key, mark);
}

function parsed<T>(text: unknown): T | null {
  return typeof text === 'string' ? (JSON.parse(text) as T) : null;
}

/** What tells whether anything has changed; empty: there is nothing to keep. */
function marks({ calls, sharing }: ClientState): Array<[key: string, mark: string]> {
  const { files = 0, since = 0 } = calls.removals.many() ?? {};
  return [
    [HERE, files === 0 ? '' : `${since} ${files}`],
    [OTHERS, sharing.othersRemovals.mark],
  ];
}

/** Keeps what has changed since it was kept last. */
export function keepRemovals(state: ClientState): void {
  const { calls, sharing, meta } = state;
  const isNone = calls.removals.many() === null && sharing.othersRemovals.isEmpty;
  if (isNone && calls.keptRemovals.size === 0) return;
  for (const [key, mark] of marks(state)) {
    if (mark === (calls.keptRemovals.get(key) ?? '')) continue;
    calls.keptRemovals.set(key, mark);
    const value =
      key === HERE ? calls.removals.stored(MOST_KEPT_PATHS) : sharing.othersRemovals.stored();
    if (value === null) meta.drop(key);
    else meta.set(key, JSON.stringify(value));
  }
}

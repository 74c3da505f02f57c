/**
 * Whether what one path showed in a copy, again and again, is what the original had, in the order in which it had it: never torn,
 * never empty, never older than before, never before its time.
 *
 * Between two states of the original the name may be missing where they differ: git removes a file before it writes the new one. It is never
 * anything else.
 */

/** The contents at a path: equal texts mean equal contents; null means no file. */
export type Shown = string | null;

export interface Sighting {
  readonly shown: Shown;
  /** The number of states that the original had begun when the reading ended. */
  readonly begun: number;
}

/** What is wrong with it; null: nothing. `states`: what the path stood for at first, and after each change of the original. */
export function faultOf(
  states: readonly Shown[],
  sightings: readonly Sighting[],
  empty: ReadonlySet<string>,
): string | null {
  // Even steps are the states, odd ones the ways between them.
  let step = 0;
  for (const [number, { shown, begun }] of sightings.entries()) {
    const last = 2 * Math.min(begun, states.length - 1);
    const fits = (at: number): boolean => {
      const [state = null, next = null] = [states[at >> 1], states[(at >> 1) + 1]];
      if (at % 2 === 0) return state === shown;
      return shown === null && state !== next;
    };
    let at = step;
    while (at <= last && !fits(at)) at += 1;
    if (at <= last) {
      step = at;
      continue;
    }
    return `sighting ${number} (${shown ?? 'nothing'}) ${whyNot(states, shown, empty)}; it was at state ${step / 2}`;
  }
  return null;
}

function whyNot(states: readonly Shown[], shown: Shown, empty: ReadonlySet<string>): string {
  if (shown === null) return 'is missing, where no state is without it';
  if (states.includes(shown)) return 'is older than what was seen before, or before its time';
  return empty.has(shown) ? 'is empty, and never was' : 'is torn: no state has it';
}

/** A scope of any machine, by name: what the table is made of. */
import { machineOfMoves, type Machine, type WorldOfMoves } from './machine.ts';
import type { Rules } from './rules.ts';
import { hashOf, searchMachine, type Bounds, type Outcome } from './search.ts';
import { storyIn } from './story.ts';

export interface Searched {
  readonly outcome: Outcome;
  readonly story: readonly string[];
}

export interface Searchable {
  readonly name: string;
  readonly about: string;
  /** How many steps deep continuous integration searches; null is to the end. */
  readonly depth: number | null;
  readonly search: (rules: Rules, bounds: Bounds) => Searched;
}

/** Searches a machine, and tells the story of what it finds. */
export function searched<S, A>(machine: Machine<S, A>, bounds: Bounds): Searched {
  const outcome = searchMachine(machine, bounds);
  const { finding, path } = outcome;
  return { outcome, story: finding === null ? [] : storyIn(machine, path, finding) };
}

/** A scope of a world of moves, which is searched to its end. */
export function scopeOfMoves<S extends object>(
  name: string,
  about: string,
  world: (rules: Rules) => WorldOfMoves<S>,
): Searchable {
  return {
    name,
    about,
    depth: null,
    search: (rules, bounds) => searched(machineOfMoves(world(rules), hashOf), bounds),
  };
}

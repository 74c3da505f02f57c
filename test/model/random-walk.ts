/**
 * The random walker: long runs in a world too wide to be searched. A seed gives the same walks again.
 */
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { apply, enabledActions, type Action } from './actions.ts';
import { initialState } from './initial.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './world.ts';

export interface Walked {
  readonly finding: Finding | null;
  readonly path: readonly Action[];
  /** Which walk it was, from 0. */
  readonly walks: number;
  readonly steps: number;
}

/** How much rarer than what the programs do is what the world does to them. */
const RARITY = 6;

export function walk(
  scope: Scope,
  rules: Rules,
  walks: number,
  steps: number,
  seed: number | string,
): Walked {
  let taken = 0;
  for (let nth = 0; nth < walks; nth++) {
    const random = new SeededRandom(seed).fork(`walk ${nth}`);
    const path: Action[] = [];
    let state = initialState(scope);
    for (let at = 0; at < steps; at++) {
      const actions = enabledActions(state, rules, scope);
      if (actions.length === 0) break;
      const action = choose(actions, random);
      const step = apply(state, action, rules, scope);
      path.push(action);
      taken++;
      const finding = step.findings[0];
      if (finding !== undefined) return { finding, path, walks: nth, steps: taken };
      state = step.state;
    }
  }
  return { finding: null, path: [], walks, steps: taken };
}

function choose(actions: readonly Action[], random: SeededRandom): Action {
  const usual = actions.filter((action) => !isEvent(action));
  const rare = actions.filter(isEvent);
  if (usual.length === 0 || (rare.length > 0 && random.below(RARITY) === 0))
    return random.pick(rare);
  return random.pick(usual);
}

function isEvent(action: Action): boolean {
  switch (action.do) {
    case 'cut':
    case 'crash':
    case 'lapse':
    case 'sleep':
    case 'copy':
    case 'restart':
    case 'restore':
      return true;
    default:
      return false;
  }
}

/** Drops what a story does not need: whatever can be left out, alone or with another, and the finding is still there. */
export function shortened(scope: Scope, rules: Rules, walked: Walked): Walked {
  let shortest = walked;
  for (let before = Infinity; shortest.path.length < before;) {
    before = shortest.path.length;
    for (let at = before - 1; at >= 0; at--) {
      for (let other = Math.min(before, at + 30) - 1; other >= at; other--) {
        const rest = shortest.path.filter((_, nth) => nth !== at && nth !== other);
        shortest = replay(scope, rules, rest, walked) ?? shortest;
      }
    }
  }
  return shortest;
}

/** The walk up to the finding; null when that does not come about, or a step is not possible. */
function replay(scope: Scope, rules: Rules, path: readonly Action[], like: Walked): Walked | null {
  let state = initialState(scope);
  const taken: Action[] = [];
  for (const action of path) {
    const text = JSON.stringify(action);
    const may = enabledActions(state, rules, scope).some((other) => JSON.stringify(other) === text);
    if (!may) return null;
    const step = apply(state, action, rules, scope);
    taken.push(action);
    const finding = step.findings.find(({ promise }) => promise === like.finding?.promise);
    if (finding !== undefined) return { ...like, finding, path: taken };
    state = step.state;
  }
  return null;
}

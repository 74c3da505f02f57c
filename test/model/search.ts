/**
 * The search: breadth first over all states of a scope, so that the first story found is a shortest one.
 *
 * Two states are one when they are written alike. The set of visited ones keeps 53 bits of each: for a million states the
 * chance of two being taken for one is below one in ten thousand, and it could only hide, never invent a finding.
 */
import { apply, enabledActions, type Action } from './actions.ts';
import { initialState } from './initial.ts';
import type { Machine } from './machine.ts';
import type { Rules } from './rules.ts';
import type { Scope } from './scope.ts';
import type { State } from './state.ts';
import type { Finding } from './world.ts';

export interface Bounds {
  /** Steps; null is to the end. */
  readonly depth: number | null;
  /** Gives up beyond this many states: a scope that is too wide is a mistake. */
  readonly states: number;
}

export interface Outcome<A = unknown> {
  readonly finding: Finding | null;
  /** How it comes about. */
  readonly path: readonly A[];
  readonly states: number;
  readonly depth: number;
  /** Every state of the scope was seen. */
  readonly complete: boolean;
}

/** The protocol of one volume within a scope. */
export function machineOf(scope: Scope, rules: Rules): Machine<State, Action> {
  return {
    start: initialState(scope),
    actions: (state) => enabledActions(state, rules, scope),
    apply: (state, action, tells) => apply(state, action, rules, scope, tells),
    keyOf,
  };
}

export function search(scope: Scope, rules: Rules, bounds: Bounds): Outcome<Action> {
  return searchMachine(machineOf(scope, rules), bounds);
}

/** Visits the states of a machine breadth first until one breaks a promise, the bounds are met, or all are seen. */
export function searchMachine<S, A>(machine: Machine<S, A>, bounds: Bounds): Outcome<A> {
  const { start } = machine;
  const visited = new Set([machine.keyOf(start)]);
  const parents: number[] = [-1];
  const actions: (A | null)[] = [null];
  let level: { readonly state: S; readonly id: number }[] = [{ state: start, id: 0 }];
  for (let depth = 0; ; depth++) {
    if (level.length === 0) return outcome(null, [], depth - 1, true);
    if (bounds.depth !== null && depth >= bounds.depth) return outcome(null, [], depth, false);
    const next: { readonly state: S; readonly id: number }[] = [];
    for (const { state, id } of level) {
      for (const action of machine.actions(state)) {
        const step = machine.apply(state, action, false);
        const finding = step.findings[0];
        if (finding !== undefined) return outcome(finding, pathTo(id, action), depth + 1, false);
        const hash = machine.keyOf(step.state);
        if (visited.has(hash)) continue;
        visited.add(hash);
        next.push({ state: step.state, id: parents.length });
        parents.push(id);
        actions.push(action);
        if (visited.size > bounds.states) return outcome(null, [], depth, false);
      }
    }
    level = next;
  }

  function outcome(finding: Finding | null, path: A[], depth: number, complete: boolean) {
    return { finding, path, states: visited.size, depth, complete };
  }

  function pathTo(id: number, last: A): A[] {
    const path = [last];
    for (let at = id; at > 0; at = parents[at] ?? 0) {
      const action = actions[at];
      if (action !== null && action !== undefined) path.unshift(action);
    }
    return path;
  }
}

/** Records have their keys in a fixed or sorted order, so equal states are written alike. */
export function encode(part: object): string {
  return JSON.stringify(part);
}

/** Steps share what they do not change, so most parts of a state were written before. */
const known = new WeakMap<object, number>();

function keyOfPart(part: object): number {
  let key = known.get(part);
  if (key === undefined) {
    key = hashOf(encode(part));
    known.set(part, key);
  }
  return key;
}

export function keyOf(state: State): number {
  const { clients, server, net, ghost, left } = state;
  const parts = [...clients, server, ...net, ghost, left];
  return hashOf(parts.map(keyOfPart).join());
}

/** cyrb53: two rounds of 32 bits, made one number of 53. */
export function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

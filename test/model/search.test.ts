/** The search, the states it compares and the checks can fail. */
import { describe, expect, test } from '@jest/globals';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { apply, enabledActions } from './actions.ts';
import { checkState } from './checks.ts';
import { initialState } from './initial.ts';
import { shortened, walk } from './random-walk.ts';
import { allRules, rulesWithout, SWITCHES } from './rules.ts';
import { NOT_NEEDED } from './rows.ts';
import { SCOPES, WIDE } from './scopes.ts';
import { hashOf, keyOf, search } from './search.ts';
import { copyOf, put, type State } from './state.ts';
import { ALL_ROWS, scopeNamed } from './table.ts';
import { worldOf, type Finding } from './world.ts';

const FREE = { depth: null, states: 100_000 };
const late = scopeNamed('late-grant');

function findingsIn(state: State): readonly Finding[] {
  const world = worldOf(state, allRules(), late, 'all');
  checkState(world);
  return world.findings;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

describe('the model search', () => {
  test('finds a shortest path to a broken promise', () => {
    const rules = rulesWithout('P2');
    const { finding, path } = search(late, rules, FREE);
    expect(finding?.promise).toBe('3');
    expect(search(late, rules, { ...FREE, depth: path.length - 1 }).finding).toBeNull();
    expect(search(late, rules, { ...FREE, depth: path.length }).finding).not.toBeNull();
  });

  test('reports whether it has visited all states', () => {
    expect(search(late, allRules(), FREE)).toMatchObject({ finding: null, complete: true });
    expect(search(late, allRules(), { ...FREE, depth: 5 })).toMatchObject({
      complete: false,
      depth: 5,
    });
    expect(search(late, allRules(), { depth: null, states: 50 }).complete).toBe(false);
  });

  test('visits the same number of states each time', () => {
    const [first, second] = [1, 2].map(() => search(late, allRules(), FREE).states);
    expect(first).toBe(second);
  });
});

describe('states of the model', () => {
  test('have equal keys only when they are equal', () => {
    const state = initialState(late);
    const other = copyOf(state);
    expect(keyOf(other)).toBe(keyOf(state));
    const [client] = other.clients;
    if (client !== undefined) client.leased = false;
    const changed = copyOf(other);
    expect(keyOf(changed)).not.toBe(keyOf(state));
  });

  test('do not depend on the order in which keys were added', () => {
    const [one, two] = [{}, {}] as [Record<string, number>, Record<string, number>];
    for (const key of ['b', 'c', 'a']) put(one, key, 1);
    for (const key of ['c', 'a', 'b']) put(two, key, 1);
    expect(JSON.stringify(one)).toBe(JSON.stringify(two));
  });

  test('have different hashes when they differ', () => {
    const hashes = new Set(Array.from({ length: 20_000 }, (_, nth) => hashOf(`state ${nth}`)));
    expect(hashes.size).toBe(20_000);
  });

  test('are not modified by the actions that follow from them', () => {
    const random = new SeededRandom('frozen');
    for (let run = 0; run < 2; run++) {
      let state = frozen(initialState(WIDE));
      for (let step = 0; step < 30; step++) {
        const actions = enabledActions(state, allRules(), WIDE);
        for (const action of actions) apply(state, action, allRules(), WIDE);
        const chosen = random.pick(actions);
        state = frozen(apply(state, chosen, allRules(), WIDE).state);
      }
    }
  });
});

describe('the checks of the model', () => {
  /** Ada's save is committed and told; bob holds doc, as of before it. */
  function committed(): State {
    const state = initialState(scopeNamed('lost-break'));
    const facts = {
      client: 0,
      device: 0,
      seq: 1,
      x: 'doc',
      file: 'doc',
      op: 'store',
      parent: 0,
    } as const;
    state.ghost.facts.push({
      ...facts,
      uid: 1,
      fate: 'committed',
      told: true,
      announced: true,
      times: 1,
    });
    state.server.disk.things['doc'] = { version: 2, content: 1 };
    state.server.disk.history['doc']?.push({ uid: 1, content: 1 });
    return state;
  }

  test('find nothing in an initial state', () => {
    for (const scope of [...SCOPES, WIDE]) expect(findingsIn(initialState(scope))).toEqual([]);
  });

  test('find a promise that is stale while its lease still holds', () => {
    const state = committed();
    expect(findingsIn(state)).toMatchObject([{ promise: '3' }]);
    const bob = state.clients[1];
    if (bob !== undefined) bob.leased = false;
    expect(findingsIn(state)).toEqual([]);
  });

  test('accept a stale promise while its break is on its way and the writer has no answer', () => {
    const state = committed();
    const [fact] = state.ghost.facts;
    state.server.breaks.push({ device: 1, x: 'doc', upTo: 1, pull: false, owed: false });
    expect(findingsIn(state)).toHaveLength(1);
    if (fact !== undefined) fact.told = false;
    expect(findingsIn(state)).toEqual([]);
  });

  test('find a save that exists nowhere', () => {
    const state = committed();
    state.server.disk.history['doc']?.pop();
    const [fact] = state.ghost.facts;
    if (fact !== undefined) Object.assign(fact, { fate: 'logged', told: false });
    expect(findingsIn(state)).toContainEqual(expect.objectContaining({ promise: '1' }));
  });

  test('find a reader who sees the later of two saves without the earlier one', () => {
    const state = committed();
    const [fact] = state.ghost.facts;
    if (fact !== undefined)
      state.ghost.facts.push({ ...fact, uid: 2, seq: 2, x: 'notes', file: 'notes' });
    if (fact !== undefined) fact.told = false;
    state.server.breaks.push({ device: 1, x: 'doc', upTo: 1, pull: false, owed: false });
    state.server.disk.history['notes'] = [
      { uid: 0, content: null },
      { uid: 2, content: 2 },
    ];
    const bob = state.clients[1];
    if (bob !== undefined) bob.seen = { notes: 1 };
    expect(findingsIn(state)).toMatchObject([{ promise: '4' }]);
  });
});

describe('the random walker', () => {
  test('repeats its walk for the same seed and finds the missing rule', () => {
    const rules = rulesWithout('S2');
    const [first, second] = [1, 2].map(() => walk(WIDE, rules, 20, 20, 'seed'));
    expect(first?.finding).not.toBeNull();
    expect(second).toEqual(first);
    if (first === undefined) return;
    const short = shortened(WIDE, rules, first);
    expect(short.finding?.promise).toBe(first.finding?.promise);
    expect(short.path.length).toBeLessThanOrEqual(first.path.length);
  });
});

test('each rule has a row in the table or is listed as not needed', () => {
  const rows = new Set(ALL_ROWS.map(({ off }) => off));
  expect(SWITCHES.filter((name) => !rows.has(name) && !NOT_NEEDED.includes(name))).toEqual([]);
});

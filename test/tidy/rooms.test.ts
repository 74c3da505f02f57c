/** The rooms of the client's core: a room is a folder of daemon/core; what lies beside the folders is one more. */
import { describe, expect, test } from '@jest/globals';
import { importGraph } from './imports.ts';
import { typeScriptFiles } from './repository.ts';
import { mutualPairs } from './rooms.ts';

const CORE = 'daemon/core/';
/** They put the rooms together, so every room may know the one, and the other knows every room. */
const TOGETHER = ['daemon/core/client.ts', 'daemon/core/state.ts'];
/** It never grows: who makes a pair vanish makes it less. */
const MOST_PAIRS = 1;

function roomOf(path: string): string | null {
  if (!path.startsWith(CORE) || path.endsWith('.test.ts') || TOGETHER.includes(path)) return null;
  const [room = '', ...rest] = path.slice(CORE.length).split('/');
  return rest.length === 0 ? '(beside the rooms)' : room;
}

describe('mutual pairs of rooms in daemon/core', () => {
  test('are no more than they were, type imports included', () => {
    const pairs = mutualPairs(importGraph(typeScriptFiles()), roomOf);
    expect({ pairs, most: MOST_PAIRS }).toEqual({
      pairs: pairs.slice(0, MOST_PAIRS),
      most: pairs.length,
    });
  });

  test('are found whichever files close them, and once each', () => {
    const graph = new Map([
      ['daemon/core/a/one.ts', ['daemon/core/b/one.ts']],
      ['daemon/core/a/two.ts', ['daemon/core/state.ts', 'daemon/core/c/one.ts']],
      ['daemon/core/b/two.ts', ['daemon/core/a/two.ts', 'daemon/core/b/one.ts']],
      ['daemon/core/state.ts', ['daemon/core/a/one.ts']],
      ['daemon/core/events.ts', ['daemon/core/c/one.ts']],
      ['daemon/core/c/two.ts', ['daemon/core/events.ts']],
    ]);
    expect(mutualPairs(graph, roomOf)).toEqual([
      '(beside the rooms) and c: daemon/core/events.ts, daemon/core/c/two.ts',
      'a and b: daemon/core/a/one.ts, daemon/core/b/two.ts',
    ]);
  });
});

/** A lone laptop whose daemon is killed while people write, with real processes; `npm run kills` does it 200 times. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';
import { runKills, WAYS } from './kills/kills.ts';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

it.each([
  ['safe saves', ['save']],
  ['writes in place', ['in-place', 'append']],
  ['all that people do', WAYS],
] as const)(
  '%s: each name has what was written last, and nothing is in conflict with itself',
  async (_, ways) => {
    const { faults, writes } = await runKills(bench, { kills: 3, names: 40, seed: 1, ways });
    expect(faults).toEqual([]);
    expect(writes).toBeGreaterThan(3);
  },
  180_000,
);

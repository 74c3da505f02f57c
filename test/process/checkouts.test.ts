/** `git checkout` in a synced folder, over and over, with real processes; `npm run checkouts` does it with 5,000 files. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';
import { runCheckouts } from './checkouts/checkouts.ts';
import { faultOf, type Sighting } from './checkouts/sightings.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

it('the copy is never torn, empty or older; at the end git finds both clean', async () => {
  const report = await runCheckouts(bench, { files: 300, times: 6, seed: 1 });
  expect(report.faults).toEqual([]);
  expect(report.changesSeen).toBeGreaterThan(100);
});

describe('what a reader saw is found to be', () => {
  const STATES = ['a', 'b', 'b', null, 'a', 'c'];
  const seen = (...shown: Array<string | null>): Sighting[] =>
    shown.map((each) => ({ shown: each, begun: STATES.length }));
  const found = (sightings: Sighting[]): string | null =>
    faultOf(STATES, sightings, new Set(['empty']));

  it('right, with and without what came between', () => {
    expect(found(seen('a', 'b', null, 'a', 'c'))).toBeNull();
    expect(found(seen('a', null, 'b', 'a', null, 'c'))).toBeNull();
    expect(found(seen('a', 'c'))).toBeNull();
  });

  it('older, torn, empty, too early', () => {
    expect(found(seen('a', 'b', 'a', 'b'))).toMatch(/is older/);
    expect(found(seen('a', 'ab'))).toMatch(/is torn/);
    expect(found(seen('a', 'empty'))).toMatch(/is empty/);
    expect(found([{ shown: 'c', begun: 4 }])).toMatch(/before its time/);
    expect(faultOf(['a', 'a'], seen(null), new Set())).toMatch(/is missing/);
  });
});

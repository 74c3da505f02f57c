/** `git checkout` in a synced folder, over and over, with real processes; `npm run checkouts` does it with 5,000 files. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { outputOf } from '../support/bench.ts';
import { faultOf, type Sighting } from './checkouts/sightings.ts';

const MAIN = fileURLToPath(new URL('./checkouts/main.ts', import.meta.url));

it('the other laptop never sees a torn, empty or older file, and git finds both copies clean', async () => {
  const child = spawn(process.execPath, [MAIN, '--files', '120', '--times', '4']);
  const { code, stdout, stderr } = await outputOf(child);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nnothing found\n$/),
  });
  const { changesSeen } = JSON.parse(stdout.split('\n')[0] ?? '') as { changesSeen: number };
  expect(changesSeen).toBeGreaterThan(20);
});

describe("the check of a reader's observations", () => {
  const STATES = ['a', 'b', 'b', null, 'a', 'c'];
  const seen = (...shown: Array<string | null>): Sighting[] =>
    shown.map((each) => ({ shown: each, begun: STATES.length }));
  const found = (sightings: Sighting[]): string | null =>
    faultOf(STATES, sightings, new Set(['empty']));

  it('accepts a right order, with and without gaps', () => {
    expect(found(seen('a', 'b', null, 'a', 'c'))).toBeNull();
    expect(found(seen('a', null, 'b', 'a', null, 'c'))).toBeNull();
    expect(found(seen('a', 'c'))).toBeNull();
  });

  it('finds versions that are older, torn, empty or too early', () => {
    expect(found(seen('a', 'b', 'a', 'b'))).toMatch(/is older/);
    expect(found(seen('a', 'ab'))).toMatch(/is torn/);
    expect(found(seen('a', 'empty'))).toMatch(/is empty/);
    expect(found([{ shown: 'c', begun: 4 }])).toMatch(/before its time/);
    expect(faultOf(['a', 'a'], seen(null), new Set())).toMatch(/is missing/);
  });
});

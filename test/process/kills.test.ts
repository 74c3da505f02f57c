/** A lone laptop whose daemon is killed while people write, with real processes; `npm run kills` does it 200 times. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Bench, outputOf } from '../support/bench.ts';
import { runKills } from './kills/kills.ts';

const MAIN = fileURLToPath(new URL('./kills/main.ts', import.meta.url));

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

it.each([
  ['safe saves', ['save']],
  ['writes in place', ['in-place', 'append']],
] as const)(
  'a killed daemon keeps the last text of each name for %s and makes no conflict with itself',
  async (_, ways) => {
    const { faults, writes } = await runKills(bench, { kills: 3, names: 40, seed: 1, ways });
    expect(faults).toEqual([]);
    expect(writes).toBeGreaterThan(3);
  },
  180_000,
);

it('a killed daemon loses nothing of all kinds of changes that people make', async () => {
  const child = spawn(process.execPath, [MAIN, '--kills', '3', '--names', '40']);
  const { code, stdout, stderr } = await outputOf(child);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nnothing found\n$/),
  });
}, 180_000);

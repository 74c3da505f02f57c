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
  '%s: each name has what was written last, and nothing is in conflict with itself',
  async (_, ways) => {
    const { faults, writes } = await runKills(bench, { kills: 3, names: 40, seed: 1, ways });
    expect(faults).toEqual([]);
    expect(writes).toBeGreaterThan(3);
  },
  180_000,
);

it('and with all that people do', async () => {
  const child = spawn(process.execPath, [MAIN, '--kills', '3', '--names', '40']);
  const { code, stdout, stderr } = await outputOf(child);
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\nnothing found\n$/),
  });
}, 180_000);

/** One plan always gives the same history: when it is repeated, after other plans, in another thread or process, and when it was saved and read. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';
import { FAULTS } from '../../app/lab/simulator/fault/faults.ts';
import { CrewMember } from '../../app/lab/simulator/hunt/crew.ts';
import { readSavedRun } from '../../app/lab/simulator/plan/read-plan.ts';
import type { Report } from '../../app/lab/simulator/run/run-plan.ts';
import { runPlan } from '../../app/lab/simulator/run/run-plan.ts';
import { planOf, simulate } from '../../app/lab/simulator/simulation.ts';

const SEEDS = [11, 12, 13, 14, 15, 16];
const STEPS = 200;

const run = (seed: number): Promise<Report> => simulate({ seed, steps: STEPS });
const first = new Map<number, Report>();

async function firstOf(seed: number): Promise<Report> {
  const known = first.get(seed) ?? (await run(seed));
  first.set(seed, known);
  return known;
}

const crew = new CrewMember({ steps: STEPS, faults: FAULTS.map(({ name }) => name) });
afterAll(() => crew.end());
afterEach(() => {
  jest.restoreAllMocks();
});

describe('one seed', () => {
  it.each(SEEDS)('has one history: %d', async (seed) => {
    const report = await firstOf(seed);
    expect(await run(seed)).toEqual(report);
    expect(report.events).toBeGreaterThan(100);
  });

  it('has another digest than the next seed', async () => {
    const digests = new Set<string>();
    for (const seed of SEEDS) digests.add((await firstOf(seed)).digest);
    expect(digests.size).toBe(SEEDS.length);
  });

  it('has the same digest whatever ran before', async () => {
    for (const seed of SEEDS.toReversed())
      expect((await run(seed)).digest).toBe((await firstOf(seed)).digest);
  });

  it.each(SEEDS)('has the same digest when its plan is read from a file: %d', async (seed) => {
    const { plan } = readSavedRun(JSON.stringify({ plan: planOf({ seed, steps: STEPS }) }));
    expect((await runPlan(plan)).digest).toBe((await firstOf(seed)).digest);
  });

  it.each(SEEDS)('has the same digest in another thread: %d', async (seed) => {
    const answer = await crew.ask({ do: 'run', seed });
    expect(answer).toMatchObject({ did: 'run', report: { digest: (await firstOf(seed)).digest } });
  });

  it('has the same digest in another process', async () => {
    const [seed = 0] = SEEDS;
    const sim = join(ROOT, 'build', 'godwit.mjs');
    const args = [sim, 'sim', '--seed', String(seed), '--steps', String(STEPS), '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const said = JSON.parse(stdout) as Report;
    expect(said.digest).toBe((await firstOf(seed)).digest);
    expect(Object.keys(said)).toEqual([
      'seed',
      'digest',
      'findings',
      'operations',
      'operationsPerMinute',
    ]);
  });

  it('uses neither the real clock nor real randomness', async () => {
    const asked: string[] = [];
    const spy = (name: string) => (): number => {
      asked.push(name);
      return 0;
    };
    jest.spyOn(Date, 'now').mockImplementation(spy('Date.now'));
    jest.spyOn(Math, 'random').mockImplementation(spy('Math.random'));
    jest.spyOn(performance, 'now').mockImplementation(spy('performance.now'));
    const report = await run(11);
    jest.restoreAllMocks();
    expect(asked).toEqual([]);
    expect(report.digest).toBe((await firstOf(11)).digest);
  });
});

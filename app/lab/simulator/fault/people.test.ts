/** What people do to the programs, and to each other's rights. */
import { describe, expect, it } from '@jest/globals';
import type { Checker } from '../check/checker.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { FaultEvent, LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import { runPlan } from '../run/run-plan.ts';

const LAPTOP: LaptopPlan = { volume: 1, user: 'owner', rights: 'write', frontEnd: 'folder' };
const write = (path: string): FileOperation => ({ do: 'write', path, bytes: 40 });

/** The fault at once; then both laptops write, and the fault lasts for a minute more. */
async function run(fault: FaultEvent, checker: Checker) {
  const entries: PlanEntry[] = [
    { at: 0, kind: 'fault', fault },
    { at: 3_000, kind: 'operation', number: 1, laptop: 0, operation: write('/a') },
    { at: 3_000, kind: 'operation', number: 2, laptop: 1, operation: write('/b') },
    { at: 60_000, kind: 'operation', number: 3, laptop: 0, operation: { do: 'list', path: '/' } },
    // Faults end with the last of the plan; the one before has had its answer by then.
    { at: 65_000, kind: 'operation', number: 4, laptop: 0, operation: { do: 'list', path: '/' } },
  ];
  const network = { delayMs: 1, bytesPerSecond: null };
  const laptops = [LAPTOP, { ...LAPTOP, user: 'ursula' }];
  const plan: Plan = { seed: 1, settings: { laptops, diskMs: 0, network }, entries };
  const { findings } = await runPlan(plan, { checkers: [{ name: 'it', make: () => checker }] });
  expect(findings).toEqual([]);
}

describe('the actions of people', () => {
  it.each([
    [{ family: 'stop', laptop: 1, lastsMs: 1_000 }, 'bob'],
    [{ family: 'server-stop', lastsMs: 1_000 }, 'server'],
  ])('end a program in good order by %j, and it returns', async (fault, name) => {
    const heard: string[] = [];
    await run(fault, {
      hear: (seen) => {
        if (seen.kind === 'ended' && seen.who === name) heard.push(seen.how);
        if (seen.kind === 'started' && seen.who === name) heard.push('started');
      },
    });
    expect(heard.slice(-2)).toEqual(['closed', 'started']);
  });

  it('hold writes back with a pause until it ends', async () => {
    const applied: string[] = [];
    let early = -1;
    await run(
      { family: 'pause', laptop: 1, lastsMs: 70_000 },
      {
        hear: (seen) => {
          if (seen.kind === 'done' && seen.running.number === 3) early = applied.length;
          if (seen.kind !== 'applied' || seen.client.name !== 'ada') return;
          applied.push(...seen.change.entries.map(({ name }) => name));
        },
      },
    );
    expect(applied.slice(0, early)).not.toContain('b');
    expect(applied).toContain('b');
  });

  it.each([
    ['read', ['no-right']],
    ['none', ['no-right']],
  ])('allow no write with the right %s', async (rights, codes) => {
    const refused: string[] = [];
    const details = { user: 'ursula', volume: 1, rights, back: 'write' };
    await run(
      { family: 'rights', ...details, lastsMs: 50_000 },
      {
        hear: (seen) => {
          if (seen.kind === 'refused') refused.push(seen.code);
        },
      },
    );
    expect(refused).toEqual(codes);
  });

  it('exclude a revoked laptop from the final comparison', async () => {
    const names: string[][] = [];
    await run(
      { family: 'revoked', laptop: 1, lastsMs: 10_000 },
      {
        atRest: ({ clients, gone }) => {
          names.push(
            clients.map(({ name }) => name),
            gone.map(({ name }) => name),
          );
        },
      },
    );
    expect(names).toEqual([['ada'], ['bob']]);
  });
});

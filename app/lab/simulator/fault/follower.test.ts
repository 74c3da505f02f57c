/** Who asks a daemon beside its own front end, and what fills its pages. */
import { describe, expect, it } from '@jest/globals';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { FaultEvent, LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import { runPlan } from '../run/run-plan.ts';

const LAPTOP: LaptopPlan = { volume: 1, user: 'owner', rights: 'write', frontEnd: 'folder' };
const write = (path: string): FileOperation => ({ do: 'write', path, bytes: 4_000 });

async function run(faults: readonly FaultEvent[], cacheBytes: number) {
  const paths = ['/a', '/b', '/c', '/d'];
  const entries: PlanEntry[] = [
    ...paths.map((path, i): PlanEntry => {
      return { at: 0, kind: 'operation', number: i + 1, laptop: 0, operation: write(path) };
    }),
    ...faults.map((fault, i): PlanEntry => ({ at: 3_000 + 100 * i, kind: 'fault', fault })),
    ...['/a', '/b'].map((path, i): PlanEntry => {
      return {
        at: 9_000 + i,
        kind: 'operation',
        number: 8 + i,
        laptop: 1,
        operation: { do: 'read', path },
      };
    }),
  ];
  const network = { delayMs: 1, bytesPerSecond: null };
  const laptops: LaptopPlan[] = [LAPTOP, { ...LAPTOP, frontEnd: 'none' }];
  const plan: Plan = { seed: 1, settings: { laptops, diskMs: 0, network, cacheBytes }, entries };
  const seen = { kept: -1, given: 0, left: 0 };
  const report = await runPlan(plan, {
    checkers: [
      {
        name: 'it',
        make: () => ({
          atRest: ({ clients }) => {
            seen.kept = clients[1]?.status.cache.bytes ?? -1;
            const vnodes = clients[0]?.replica.vnodes.values() ?? [];
            seen.left = heavyOf([...vnodes].map(({ status }) => status));
          },
          hear: (heard) => {
            if (heard.kind === 'applied') seen.given += heavyOf(heard.change.vnodes);
          },
        }),
      },
    ],
  });
  expect(report.findings).toEqual([]);
  return { ...seen, events: report.events };
}

function heavyOf(statuses: readonly VnodeStatus[]): number {
  return statuses.filter(({ xattrs }) => xattrs.length > 40).length;
}

const follows = (seed: number): FaultEvent => ({ family: 'follower', laptop: 0, seed, lastsMs: 0 });

describe('a second follower', () => {
  it('asks for more than the first, without further effects', async () => {
    const alone = await run([], 1_000_000);
    const together = await run(
      Array.from({ length: 12 }, (_, i) => follows(i)),
      1_000_000,
    );
    expect(together.events).toBeGreaterThan(alone.events + 12);
  });
});

describe('heavy attributes of files', () => {
  it('are on some files during the fault and on none after it', async () => {
    const fault = { family: 'heavy', laptop: 0, files: 4, seed: 1 };
    expect(await run([{ ...fault, lastsMs: 10_000_000 }], 1_000_000)).toMatchObject({
      given: 4,
      left: 0,
    });
  });
});

describe('a small cache', () => {
  it('keeps the latest contents, and all of them when there is space', async () => {
    expect((await run([], 1_000_000)).kept).toBe(8_000);
    expect((await run([], 0)).kept).toBe(4_000);
  });
});

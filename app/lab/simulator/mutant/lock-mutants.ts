/** Canaries of user locks: the server gives a lock away, keeps it for a laptop that is gone, or forgets that its holder has to hear of a break. */
import { FileLocks } from '../../../../server/core/lock/file-locks.ts';
import type { LockAct } from '../fault/locks.ts';
import type { LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

const CHECKER = 'locks of people exclude, and end';

export const grantTakenLock: Mutant = {
  name: 'grant-taken-lock',
  rule: 'K1',
  caughtBy: CHECKER,
  plan: lockedPlan,
  begin: () => replaceMethod(FileLocks.prototype, 'against', () => () => []),
};

/** What ends with a lease is asked by device. */
export const keepLapsedLock: Mutant = {
  name: 'keep-lapsed-lock',
  rule: 'K1',
  caughtBy: CHECKER,
  plan: lockedPlan,
  begin: () => replaceMethod(FileLocks.prototype, 'ofDevice', () => () => []),
};

export const freeBrokenLock: Mutant = {
  name: 'free-broken-lock',
  rule: 'K5',
  caughtBy: CHECKER,
  plan: lockedPlan,
  begin: () =>
    replaceMethod(FileLocks.prototype, 'put', (original) => {
      return function put(this: FileLocks, fid, lock) {
        if (lock.brokenBy !== null) this.remove(fid, lock.device);
        else original.call(this, fid, lock);
      };
    }),
};

/** Two laptops on a slow line lock one file; one breaks the lock of the other and has it, and goes away for good with it. */
export function lockedPlan(seed: number): Plan {
  const laptop: LaptopPlan = { volume: 1, rights: 'write', frontEnd: 'none' };
  const [one, other] = [seed % 2, (seed + 1) % 2];
  const act = (at: number, who: number, what: LockAct): PlanEntry => ({
    ...{ at, kind: 'fault' },
    fault: { family: 'locks', laptop: who, act: what, which: 0, lastsMs: 0 },
  });
  const entries: PlanEntry[] = [
    {
      ...{ at: 0, kind: 'operation', number: 1, laptop: one },
      operation: { do: 'write', path: '/a', bytes: 100 },
    },
    act(2_000, one, 'lock'),
    act(3_000, other, 'lock'),
    act(4_000, other, 'break'),
    act(4_200 + (seed % 5), other, 'lock'),
    act(25_000, other, 'lock'),
    {
      ...{ at: 90_000, kind: 'operation', number: 2, laptop: one },
      operation: { do: 'write', path: '/a', bytes: 100 },
    },
  ];
  const network = { delayMs: 80, bytesPerSecond: null };
  const settings = { laptops: laptopsOf(laptop, other), diskMs: 0, network };
  return { seed, settings, entries };
}

function laptopsOf(laptop: LaptopPlan, leaver: number): LaptopPlan[] {
  return [0, 1].map((index) => (index === leaver ? { ...laptop, leavesAtMs: 28_000 } : laptop));
}

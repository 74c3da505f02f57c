/** Canary: a laptop goes on showing what it may not see any more (rule M2). */
import { Volumes } from '../../../../daemon/core/names/volumes.ts';
import type { MountAct } from '../fault/mounts.ts';
import type { LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const showWithdrawn: Mutant = {
  name: 'show-withdrawn',
  rule: 'M2',
  caughtBy: 'a mount point shows what may be seen',
  plan: mountedPlan,
  begin: () =>
    replaceMethod(Volumes.prototype, 'rightsIn', (original) => {
      return function rightsIn(this: Volumes, volume) {
        return original.call(this, volume) ?? (this.has(volume) ? 'read' : null);
      };
    }),
};

/** A laptop shows the volume of another, works in it, and loses the right to it. */
export function mountedPlan(seed: number): Plan {
  const laptop = { rights: 'write', frontEnd: 'none' } as const;
  const laptops: LaptopPlan[] = [
    { ...laptop, volume: 1 },
    { ...laptop, volume: 2 },
  ];
  const act = (at: number, what: MountAct, which = 0): PlanEntry => ({
    ...{ at, kind: 'fault' },
    fault: { family: 'mounts', laptop: 0, act: what, which, lastsMs: 0 },
  });
  const write = (at: number, number: number, who: number): PlanEntry => ({
    ...{ at, kind: 'operation', number, laptop: who },
    operation: { do: 'write', path: '/a', bytes: 100 },
  });
  const entries: PlanEntry[] = [
    write(0, 1, 1),
    act(1_000, 'give'),
    act(8_000, 'mount'),
    act(9_000 + (seed % 7) * 100, 'work'),
    act(12_000, 'look'),
    act(20_000, 'take'),
    act(30_000, 'look'),
    write(60_000, 2, 1),
  ];
  const network = { delayMs: 20, bytesPerSecond: null };
  return { seed, settings: { laptops, diskMs: 0, network }, entries };
}

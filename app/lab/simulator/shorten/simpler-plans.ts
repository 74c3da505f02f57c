/**
 * What would make a plan simpler to read: fewer laptops, a plainer world, smaller files, less time. Each proposal is a whole plan,
 * one step from the one it was made of; the caller tries it.
 */
import { machinesOf, withLaptops } from '../plan/machines-of.ts';
import type { FaultEvent, Plan, PlanEntry, PlanSettings } from '../plan/plan.ts';

export type Proposals = Generator<Plan, void>;

/** Proposes plans that are each one step simpler than this one. */
export function* simplerPlans(plan: Plan): Proposals {
  yield* withPlainerWorld(plan);
  yield* withoutUnusedLaptops(plan);
  yield* withPlainerLaptops(plan);
  yield* withLessTime(plan);
  for (const [index, entry] of plan.entries.entries()) {
    for (const simpler of simplerEntries(entry)) yield replaced(plan, index, simpler);
  }
}

function* withPlainerWorld({ settings, ...rest }: Plan): Proposals {
  const { network, laptops } = settings;
  const { delayMs, bytesPerSecond } = network;
  const { serverWallSkewMs: skew, ...rightTime } = settings;
  void skew;
  const plainer: PlanSettings[] = [
    { laptops, diskMs: 0, network: { delayMs: 1, bytesPerSecond: null } },
    { ...settings, diskMs: 0 },
    { ...settings, network: { delayMs, bytesPerSecond } },
    { ...settings, network: { ...network, bytesPerSecond: null } },
    { ...settings, network: { ...network, delayMs: 1 } },
    rightTime,
  ];
  for (const one of plainer) {
    if (JSON.stringify(one) !== JSON.stringify(settings)) yield { ...rest, settings: one };
  }
}

function* withoutUnusedLaptops(plan: Plan): Proposals {
  const used = new Set(plan.entries.flatMap(machinesOf));
  const { laptops } = plan.settings;
  for (let unused = laptops.length - 1; unused >= 0 && laptops.length > 1; unused--) {
    if (used.has(unused)) continue;
    const moved = (index: number): number => (index > unused ? index - 1 : index);
    yield {
      ...plan,
      settings: { ...plan.settings, laptops: laptops.filter((_, i) => i !== unused) },
      entries: plan.entries.map((entry) => withLaptops(entry, moved)),
    };
  }
}

/** There from the beginning to the end, a user of its own. */
function* withPlainerLaptops(plan: Plan): Proposals {
  const { laptops } = plan.settings;
  for (const [index, laptop] of laptops.entries()) {
    for (const extra of ['wallSkewMs', 'joinsAtMs', 'leavesAtMs', 'user'] as const) {
      if (!(extra in laptop)) continue;
      const { [extra]: left, ...plainer } = laptop;
      void left;
      yield { ...plan, settings: { ...plan.settings, laptops: laptops.with(index, plainer) } };
    }
  }
}

/** All at once, then pause by pause. */
function* withLessTime(plan: Plan): Proposals {
  for (const step of [0, 10, 100]) yield* sooner(plan, (pause) => Math.min(pause, step));
  for (const index of plan.entries.keys()) {
    for (const factor of [0, 0.5]) {
      yield* sooner(plan, (pause, i) => (i === index ? Math.floor(pause * factor) : pause));
    }
  }
}

function* sooner(plan: Plan, shortened: (pause: number, index: number) => number): Proposals {
  let [before, at] = [0, 0];
  const entries = plan.entries.map((entry, index) => {
    at += shortened(entry.at - before, index);
    before = entry.at;
    return { ...entry, at };
  });
  if (at < before) yield { ...plan, entries };
}

function* simplerEntries(entry: PlanEntry): Generator<PlanEntry, void> {
  if (entry.kind === 'fault') {
    for (const fault of simplerFaults(entry.fault)) yield { ...entry, fault };
    return;
  }
  const { operation } = entry;
  if (operation.do === 'safe-save') yield { ...entry, operation: { ...operation, do: 'write' } };
  if ('bytes' in operation && operation.bytes > 0)
    yield { ...entry, operation: { ...operation, bytes: 0 } };
}

function* simplerFaults(fault: FaultEvent): Generator<FaultEvent, void> {
  const { lastsMs } = fault;
  const rounded = 10 ** Math.floor(Math.log10(Math.max(lastsMs, 1)));
  const shorter = [0, 100, rounded, Math.floor(lastsMs / 2)].filter((ms) => ms < lastsMs);
  for (const ms of new Set(shorter)) yield { ...fault, lastsMs: ms };
}

function replaced(plan: Plan, index: number, entry: PlanEntry): Plan {
  return { ...plan, entries: plan.entries.with(index, entry) };
}

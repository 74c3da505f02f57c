/** Which laptops an entry of a plan is about: operations have one, faults name theirs in one of their details. */
import type { PlanEntry } from './plan.ts';

/** What faults call a machine: the index of a laptop, or one below 0 for the server. */
const DETAILS = ['laptop', 'machine', 'other'] as const;

/** Indices, as the entry has them. */
export function machinesOf(entry: PlanEntry): number[] {
  if (entry.kind === 'operation') return [entry.laptop];
  return DETAILS.map((detail) => entry.fault[detail]).filter((one) => typeof one === 'number');
}

/** The same entry about other laptops. */
export function withLaptops(entry: PlanEntry, moved: (index: number) => number): PlanEntry {
  if (entry.kind === 'operation') return { ...entry, laptop: moved(entry.laptop) };
  const details = DETAILS.flatMap((detail) => {
    const index = entry.fault[detail];
    return typeof index === 'number' && index >= 0 ? [[detail, moved(index)] as const] : [];
  });
  return { ...entry, fault: { ...entry.fault, ...Object.fromEntries(details) } };
}

export function isMachineDetail(name: string): boolean {
  return DETAILS.some((detail) => detail === name);
}

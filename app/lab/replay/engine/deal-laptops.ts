/** Which laptop each process of a replay runs on. */
import type { ProcessPlan } from '../plan/replay-plan.ts';

/** Counts the machines that a trace names; 0: it names none. */
export const machinesOf = (processes: ReadonlyArray<Pick<ProcessPlan, 'client'>>): number =>
  new Set(processes.map(({ client }) => client).filter((client) => client !== '')).size;

/**
 * Deals processes out to laptops, which are numbered from 0: those of one machine to one laptop,
 * machines in turn. A process whose machine the trace does not tell is a machine by itself.
 */
export function dealt(
  processes: ReadonlyArray<Pick<ProcessPlan, 'client'>>,
  laptops: number,
): readonly number[] {
  const machines = new Map<string, number>();
  let next = 0;
  return processes.map(({ client }) => {
    const machine = machines.get(client) ?? next++;
    if (client !== '') machines.set(client, machine);
    return machine % laptops;
  });
}

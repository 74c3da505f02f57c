/** Which machine a fault is about, as data: the server, or the laptop of that index. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { ServerNode } from '../cluster/server-node.ts';
import type { FaultEvent, PlanSettings } from '../plan/plan.ts';
import type { FaultTarget } from './fault.ts';

const SERVER = -1;

/** Half of the faults of a kind are the server's: all laptops feel them. */
export function drawMachine(random: SeededRandom, { laptops }: PlanSettings): number {
  return random.chance(0.5) ? SERVER : random.below(laptops.length);
}

export type Machine =
  | { readonly is: 'server'; readonly node: ServerNode }
  | { readonly is: 'laptop'; readonly node: ClientNode };

/** Finds the machine that a fault names. */
export function machineOf(target: FaultTarget, { machine }: FaultEvent): Machine {
  const index = Number(machine);
  if (index === SERVER) return { is: 'server', node: target.cluster.server };
  return { is: 'laptop', node: target.laptop(index) };
}

/** Ends its process without a word. */
export function strike(target: FaultTarget, { is, node }: Machine, how: 'killed' | 'power'): void {
  if (is === 'laptop') target.kill(node, how);
  else if (how === 'power') node.losePower();
  else node.crash();
}

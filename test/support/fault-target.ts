/** A cluster as faults see it, for tests of one family: without a plan, and without programs. */
import { present } from '../../shared/util/assert.ts';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { EndFault, FaultFamily, FaultTarget } from '../../app/lab/simulator/fault/fault.ts';
import type { FaultEvent } from '../../app/lab/simulator/plan/plan.ts';

/** The view of a cluster that faults get. */
export function targetOf(cluster: Cluster): FaultTarget {
  return {
    cluster,
    laptop: (index) => present(cluster.clients[index], 'the test knows its laptops'),
    kill: (client, how) => (how === 'power' ? client.losePower() : client.crash()),
    leaves: (client) => cluster.takeOut(client),
    start: async (node) => {
      if (!node.running) await cluster.run(node.start());
    },
    works: (client, what, run) => {
      if (!client.running) return;
      run()
        .then((how) => cluster.world.note(`${client.name} ${what}: ${how}`))
        .catch((error: unknown) => cluster.world.fault(error));
    },
  };
}

/** Begins a fault. Resolves after its immediate effects, with a function that ends it. */
export async function begun(
  cluster: Cluster,
  family: FaultFamily,
  details: Omit<FaultEvent, 'family' | 'lastsMs'>,
): Promise<EndFault> {
  const event = { lastsMs: 0, ...details, family: family.name } as FaultEvent;
  const end = await family.begin(event, targetOf(cluster));
  await cluster.world.settle();
  return end ?? (() => {});
}

/** What all laptops of a cluster agree on, after everything is settled. */
import { expect } from '@jest/globals';
import type { Cluster } from '../../app/sim/cluster/cluster.ts';

export async function agreed(cluster: Cluster): Promise<Record<string, string | null>> {
  await cluster.settled();
  const [first, ...others] = cluster.clients.map((client) => cluster.shown(client));
  for (const other of others) expect(other).toEqual(first);
  return first ?? {};
}

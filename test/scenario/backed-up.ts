/** Two laptops without folders, a file that both have, and a backup from which the server is restored later. */
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';

export async function backedUp() {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  const { server } = cluster;
  return { cluster, ada, bob, server, backup: server.backUp() };
}

/** Contents that the server has committed are not sent again, although it may not answer yet (rules P3, W4). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';

const BIG = 2_000_000;

it('a laptop that dies between the commit and its answer does not send the contents again', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/big', 'small yet'));
  await cluster.settled();
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 500_000 });
  // His promise is broken, and he can't acknowledge that.
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.write('/big', new Uint8Array(BIG)));
  await cluster.pass(seconds(6));
  expect(ada.status.queues.data.updates).toBe(1);
  await cluster.restart(ada);
  await cluster.pass(seconds(6));
  expect(ada.status.queues.data.updates).toBe(1);
  expect(ada.status.queues.data.sentBytes).toBeLessThan(BIG / 2);
  cluster.heal(bob);
  await cluster.settled();
  // A status is up to a quarter of a second old.
  await cluster.pass(seconds(1));
  expect(ada.status.queues.data.updates).toBe(0);
});

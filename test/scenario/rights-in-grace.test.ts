/** A right is revoked and granted again while a restarted server waits for the leases of the previous process (P1). */
import { expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

it('a store whose contents were not waited for is not committed when its right was missing for a while', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const guest = await cluster.join('write', 'guest');
  const [ada, absent] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  // The disconnected laptop makes the server wait.
  cluster.cut(absent);
  cluster.cut(guest);
  await cluster.at(guest, (files) => files.write('/doc', 'from the guest'));
  await cluster.until(() => !guest.status.connected, 'the guest to be offline');
  cluster.server.crash();
  cluster.server.metaStore.allow('guest', HOME, 'read');
  await cluster.restart(cluster.server);
  cluster.heal(guest);
  await cluster.until(() => guest.status.connected, 'the guest to be back');
  await cluster.pass(seconds(1));
  cluster.server.metaStore.allow('guest', HOME, 'write');
  await cluster.pass(minutes(1));
  cluster.heal(absent);
  await cluster.pass(minutes(1));
  expect(await agreed(cluster)).toEqual({ '/doc': 'from the guest' });
  expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('from the guest');
});

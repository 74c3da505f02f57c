/** A network that was gone for about a minute: the laptop tries to connect again and again, and succeeds when it is back. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

it.each([61, 63.3, 65.9, 90])(
  'a laptop finds its server within the longest reconnect attempt after %d s without a network',
  async (away) => {
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
    await cluster.settled();
    const [ada] = cluster.clients as [ClientNode];
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'it to notice', minutes(1));
    await cluster.pass(seconds(away));
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected, 'ada to be back', seconds(3.1));
    await cluster.settled();
    expect(ada.status.errors).toEqual([]);
  },
);

it('a read that a network break of a minute interrupts succeeds, and a read begun meanwhile fails', async () => {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const text = 'x'.repeat(50_000);
  await cluster.at(ada, async (files) => {
    await files.write('/long', text);
    await files.write('/other', 'text');
  });
  await cluster.settled();
  await cluster.at(bob, (files) => files.look('/other'));
  cluster.network.shape(SERVER_HOST, bob.name, { bytesPerSecond: 5_000 });
  const read = bob.files.read('/long');
  await cluster.until(() => bob.status.fetches.receivedBytes > 0, 'it to begin');
  cluster.cut(bob);
  await cluster.until(() => !bob.status.connected, 'it to notice', minutes(1));
  await cluster.pass(seconds(2));
  await expect(cluster.at(bob, (files) => files.read('/other'))).rejects.toMatchObject({
    code: 'not-connected',
  });
  await cluster.pass(seconds(60));
  cluster.heal(bob);
  expect(await cluster.run(read, 'the contents')).toBe(text);
});

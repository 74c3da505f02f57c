/** Received contents that can't be stored are fetched again, and their file does not stay behind. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';

it('a received file that the disk cannot keep is removed and fetched again', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const over = bob.disk.troubles.add((call) => (call === 'sync' ? 'EIO' : null));
  await expect(cluster.at(bob, (files) => files.read('/doc'))).rejects.toMatchObject({
    code: 'disk-failing',
  });
  over();
  expect(bob.disk.list('/spool')).toEqual([]);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('text');
});

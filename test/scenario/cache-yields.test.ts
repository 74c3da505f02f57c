/** A laptop whose disk is full evicts contents that can be fetched again, and keeps those that are not sent yet. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';

it('cached contents are evicted for the next save, and earlier saves are kept', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/fetched', 'can be had again'));
  await cluster.settled();
  expect(await cluster.at(bob, (files) => files.read('/fetched'))).toBe('can be had again');
  const [cached = ''] = bob.disk.list('/store/contents');
  cluster.cut(bob);
  await cluster.until(() => !bob.status.connected, 'bob to notice');
  await cluster.at(bob, (files) => files.write('/queued', 'nowhere else'));
  const queued = bob.disk.list('/store/contents').filter((path) => path !== cached);
  const over = bob.disk.troubles.add((call) =>
    call === 'write' && bob.disk.has(cached) ? 'ENOSPC' : null,
  );
  await expect(cluster.run(bob.files.write('/next', 'fits then'))).rejects.toMatchObject({
    code: 'disk-full',
  });
  await cluster.until(() => !bob.disk.has(cached), 'the cache to yield');
  expect(queued.map((path) => bob.disk.has(path))).toEqual(queued.map(() => true));
  await cluster.at(bob, (files) => files.write('/next', 'fits then'));
  over();
  cluster.heal(bob);
  await cluster.settled();
  expect(await cluster.at(ada, (files) => files.read('/queued'))).toBe('nowhere else');
  expect(await cluster.at(ada, (files) => files.read('/next'))).toBe('fits then');
  expect(await cluster.at(bob, (files) => files.read('/fetched'))).toBe('can be had again');
});

import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { Cluster } from '../cluster/cluster.ts';
import type { ClientNode } from '../cluster/client-node.ts';

it('the replica removes obtained contents that it cannot read and obtains them later', async () => {
  const cluster = await Cluster.start();
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  let met = 0;
  const over = bob.disk.troubles.add((call, path) => {
    if (call !== 'read' || !path.startsWith('/store/out/')) return null;
    met += 1;
    return 'EIO';
  });
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.pass(seconds(12));
  over();
  await cluster.settled();
  expect(met).toBeGreaterThan(1);
  expect(cluster.shown(bob)).toEqual({ '/doc': 'text' });
  expect(bob.disk.list('/store/out')).toEqual([]);
});

it('the replica shows nothing of an interrupted first walk that began again later', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/gone');
    await files.write('/later', 'text');
  });
  await cluster.settled();
  const bob = cluster.add();
  const refuse = (call: string, path: string) =>
    call === 'read' && path.startsWith('/store/out/') ? ('EIO' as const) : null;
  const over = bob.disk.troubles.add(refuse);
  await cluster.restart(bob);
  await cluster.pass(seconds(3));
  expect(bob.replica.applied).toBe(0);
  await cluster.at(ada, (files) => files.rmdir('/gone'));
  await cluster.pass(seconds(1));
  over();
  await cluster.restart(bob);
  await cluster.settled();
  expect(Object.keys(cluster.shown(bob))).toEqual(['/later']);
});

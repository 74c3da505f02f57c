import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../shared/model/time.ts';
import { begun } from '../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { observer } from './observer.ts';

it('tells of what happened on two disks, apart and together; both end with the same', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  await cluster.at(ada, (files) => files.write('/folder/file', 'text'));
  await cluster.settled();
  cluster.cut(bob);
  for (let seed = 1; seed <= 60; seed++) {
    if (seed === 30) cluster.heal(bob);
    await begun(cluster, observer, { laptop: seed % 2, seed });
    await cluster.pass(milliseconds(300));
  }
  await cluster.settled();
  expect(cluster.shown(ada)).toEqual(cluster.shown(bob));
  const told = cluster.world.trace.recent(800).filter((line) => line.endsWith('observer: told'));
  expect(told.length).toBeGreaterThan(5);
});

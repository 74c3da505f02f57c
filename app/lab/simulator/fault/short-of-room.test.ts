import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { shortOfRoom } from './short-of-room.ts';

it('a nearly full server accepts small contents and no large ones until there is space', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const ada = cluster.clients[0] as ClientNode;
  const kept = (): number => cluster.server.disk.list('/data/contents').length;
  const end = await begun(cluster, shortOfRoom, { mostBytes: 50 });
  await cluster.at(ada, (files) => files.write('/small', 'x'.repeat(50)));
  await cluster.at(ada, (files) => files.write('/large', 'y'.repeat(51)));
  await cluster.pass(seconds(30));
  expect(kept()).toBe(1);
  await end();
  await cluster.settled();
  expect(kept()).toBe(2);
});

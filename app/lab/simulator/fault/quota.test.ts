import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster, HOME } from '../cluster/cluster.ts';
import { quota } from './quota.ts';

it('a quota admits a part of new contents until it is lifted', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const ada = cluster.clients[0] as ClientNode;
  await cluster.at(ada, (files) => files.write('/doc', 'x'.repeat(100)));
  await cluster.settled();
  const end = await begun(cluster, quota, { volume: HOME, percent: 150, more: 7 });
  await cluster.pass(seconds(30));
  expect(ada.status.volumes[0]?.quota).toEqual({ limit: 157, used: 100, free: 57 });
  await end?.();
  await cluster.pass(seconds(30));
  expect(ada.status.volumes[0]?.quota).toBeNull();
});

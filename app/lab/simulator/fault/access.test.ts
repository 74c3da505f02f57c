/** Single rights that are denied for a while: a family that a run has only where it is named. */
import { expect, it } from '@jest/globals';
import { rightSet, USUAL_SETS } from '../../../../shared/model/access-list.ts';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster, HOME } from '../cluster/cluster.ts';
import { access } from './access.ts';

it.each([0, 7])('a right is denied, and is back when the fault ends (team %j)', async (team) => {
  const cluster = await Cluster.start({ clients: 1 });
  const guest = await cluster.join('write', 'guest');
  const [ada] = cluster.clients as [ClientNode];
  const may = async (): Promise<number> =>
    (await cluster.run(guest.daemon.access.list('home'))).own;
  const what = { user: 'guest', volume: HOME, rights: rightSet(['delete']), team };
  const end = await begun(cluster, access, what);
  await cluster.pass(seconds(2));
  expect(await may()).toBe(USUAL_SETS.write & ~rightSet(['delete']));
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  await end();
  await cluster.pass(seconds(2));
  expect(await may()).toBe(USUAL_SETS.write);
});

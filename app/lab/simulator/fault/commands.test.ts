import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { commands } from './commands.ts';

it.each([
  ['watch', 'done'],
  ['flush', 'timed-out'],
])('the command %s is answered: %s', async (command, answer) => {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const ada = cluster.clients[0] as ClientNode;
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/doc', 'one'));
  await begun(cluster, commands, { laptop: 0, command, waitMs: 100 });
  await cluster.pass(seconds(5));
  expect(cluster.world.trace.recent(400).join()).toContain(`ada ${command}: ${answer}`);
});

it('a dismissed conflict is no longer reported', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  await cluster.settled();
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  for (const client of [ada, bob]) {
    cluster.cut(client);
    await cluster.at(client, (files) => files.write('/doc', client.name));
  }
  for (const client of [ada, bob]) cluster.heal(client);
  await cluster.settled();
  const loser = [ada, bob].findIndex(({ status }) => status.conflicts.length > 0);
  expect(loser).not.toBe(-1);
  await begun(cluster, commands, { laptop: loser, command: 'dismiss', waitMs: 0 });
  await cluster.pass(seconds(1));
  expect(cluster.clients[loser]?.status.conflicts).toEqual([]);
});

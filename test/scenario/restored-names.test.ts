/**
 * A folder that is offered again where its name is taken becomes one with the folder that has it; another laptop may offer it under
 * another name after that (rules I1, C1). Then its number means that one, on every laptop.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

it('a folder that was merged with another one is found when a second laptop offers it', async () => {
  const cluster = await Cluster.start({ clients: 3 });
  const [ada, bob, cleo] = cluster.clients as [ClientNode, ClientNode, ClientNode];
  const backup = cluster.server.backUp();
  cluster.cut(cleo);
  await cluster.at(ada, (files) => files.mkdir('/y'));
  await cluster.settled([ada, bob]);
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.rename('/y', '/x'));
  await cluster.at(bob, (files) => files.write('/x/z', "bob's"));
  await cluster.settled([bob]);
  cluster.cut(bob);
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
  for (const [i, client] of [cleo, ada, bob].entries()) {
    cluster.heal(client);
    await cluster.until(() => client.status.connected, 'a laptop to connect', minutes(5));
    if (i === 0) await cluster.at(cleo, (files) => files.mkdir('/y'));
    await cluster.settled([client]);
  }
  expect(await agreed(cluster)).toEqual({ '/x': null, '/x/z': "bob's", '/y': null });
});

/** An answer is not used before a break that was sent earlier (rules P2, P3): it reports changes later than that of the break. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { milliseconds } from '../../shared/model/time.ts';

it('no reader sees a later save while a promise for an earlier one of the same laptop still holds', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const cluster = await Cluster.start({ seed, frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write('/notes', 'old'));
    await cluster.at(ada, (files) => files.write('/doc', 'old'));
    await cluster.settled();
    await cluster.at(bob, (files) => files.read('/notes'));
    cluster.network.shape(SERVER_HOST, bob.name, { jitterMs: 400 });
    await cluster.at(ada, (files) => files.write('/notes', 'new'));
    await cluster.at(ada, (files) => files.write('/doc', 'new'));
    await cluster.pass(milliseconds(15));
    const doc = await cluster.at(bob, (files) => files.read('/doc'));
    const notes = await cluster.at(bob, (files) => files.read('/notes'));
    expect({ seed, doc, notes }).not.toEqual({ seed, doc: 'new', notes: 'old' });
  }
});

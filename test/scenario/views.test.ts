/** What a laptop shows of its own queued work over what the server has (rule P5). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/sim/cluster/cluster.ts';
import type { ClientNode } from '../../app/sim/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/sim/cluster/server-node.ts';
import { milliseconds } from '../../shared/model/time.ts';

describe('a folder that two laptops change', () => {
  it('counts an own change once, also where another came between', async () => {
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.mkdir('/dir'));
    await cluster.at(ada, (files) => files.names('/'));
    // Bob's is committed while ada's is on its way, and ada hears of it only then.
    cluster.network.shape(SERVER_HOST, ada.name, { delayMs: 100 });
    await cluster.at(bob, (files) => files.mkdir('/by bob'));
    await cluster.pass(milliseconds(20));
    await cluster.at(ada, (files) => files.mkdir('/by ada'));
    await cluster.settled();
    const [here, there] = [
      await cluster.at(ada, (files) => files.look('/')),
      await cluster.at(bob, (files) => files.look('/')),
    ];
    expect(here).toEqual(there);
  });
});

/** Streams overtake each other, connections die for one end, machines sleep: what is shown is still what was committed. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/sim/cluster/cluster.ts';
import type { ClientNode } from '../../app/sim/cluster/client-node.ts';
import { milliseconds } from '../../shared/model/time.ts';

describe('answers that overtake each other', () => {
  it('leave a folder as the server has it, whatever their order', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const cluster = await Cluster.start({ seed, frontEnd: 'none', network: { jitterMs: 300 } });
      const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
      await cluster.at(ada, (files) => files.mkdir('/dir'));
      await cluster.settled();
      await cluster.at(ada, (files) => files.names('/dir'));
      for (let i = 0; i < 4; i++) {
        await cluster.at(ada, (files) => files.mkdir(`/dir/${i}`));
        await cluster.pass(milliseconds(20));
      }
      await cluster.settled();
      const [mine, theirs] = await Promise.all(
        [ada, bob].map((client) => cluster.at(client, (files) => files.look('/dir'))),
      );
      expect(mine).toMatchObject({ version: theirs?.version, mtime: theirs?.mtime });
    }
  });
});

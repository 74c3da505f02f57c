/** Streams arrive in another order, connections end for one side only, machines sleep: laptops still show what was committed. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { milliseconds } from '../../shared/model/time.ts';

describe('answers that arrive out of order', () => {
  it('leave the folder as the server has it in every order', async () => {
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

describe('a volume promise', () => {
  it('does not vouch for a cache that has not caught up with the feed', async () => {
    const cluster = await Cluster.start({ clients: 1, network: { delayMs: 50 } });
    const [ada] = cluster.clients as [ClientNode];
    cluster.network.shape(ada.name, SERVER_HOST, { delayMs: 1 });
    cluster.network.shape(SERVER_HOST, ada.name, { delayMs: 1 });
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.settled();
    const bob = cluster.add();
    await cluster.run(bob.start());
    // One commit between his Hello and his walk, one between the walk and his first question to the feed.
    await cluster.pass(milliseconds(170));
    await cluster.at(ada, (files) => files.chmod('/doc', 0o600));
    await cluster.pass(milliseconds(180));
    expect([bob.status.connected, bob.replica.applied]).toEqual([true, 0]);
    await cluster.at(ada, (files) => files.chmod('/doc', 0o640));
    const inPlace = (): number | undefined => bob.replica.tree().get('/doc')?.status.mode;
    await cluster.until(() => inPlace() === 0o640, 'the feed');
    expect((await cluster.at(bob, (files) => files.look('/doc'))).mode).toBe(0o640);
  });
});

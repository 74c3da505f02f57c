/** Work goes on without the server, and is sent when the server is back. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

async function pair(frontEnd: 'folder' | 'none' = 'folder'): Promise<{
  cluster: Cluster;
  ada: ClientNode;
  bob: ClientNode;
}> {
  const cluster = await Cluster.start({ seed: 1, frontEnd });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

describe('laptops that were offline for an hour', () => {
  it('work on separately and then show the same tree', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(ada);
    cluster.cut(bob);
    await cluster.pass(minutes(1));
    expect([ada.status.state, bob.status.state]).toEqual(['offline', 'offline']);
    await cluster.at(ada, async (files) => {
      await files.write('/doc', 'second');
      await files.write('/by ada', 'a');
    });
    await cluster.at(bob, async (files) => {
      await files.mkdir('/dir');
      await files.write('/dir/by bob', 'b');
    });
    await cluster.pass(minutes(60));
    expect(ada.status.queues.data.updates).toBe(2);
    cluster.heal(ada);
    cluster.heal(bob);
    expect(await agreed(cluster)).toEqual({
      '/by ada': 'a',
      '/dir': null,
      '/dir/by bob': 'b',
      '/doc': 'second',
    });
    expect([ada.status.state, bob.status.state]).toEqual(['idle', 'idle']);
  });

  it('open cached files and report the others as not available', async () => {
    const { cluster, ada, bob } = await pair('none');
    await cluster.at(bob, (files) => files.names('/'));
    cluster.cut(ada);
    cluster.cut(bob);
    await cluster.pass(minutes(1));
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('first');
    await expect(cluster.at(bob, (files) => files.read('/doc'))).rejects.toMatchObject({
      code: 'not-connected',
    });
  });

  it('an unreachable server never makes a file look deleted or empty', async () => {
    const { cluster, ada, bob } = await pair('none');
    cluster.server.crash();
    for (const client of [ada, bob]) {
      const outcome = await cluster.at(client, (files) =>
        files.read('/doc').catch((error: { code: string }) => error.code),
      );
      expect(['first', 'not-connected']).toContain(outcome);
    }
  });
});

describe('a server that dies', () => {
  it('is noticed within seconds by a laptop that waits for it, and no sooner by one that does not', async () => {
    const { cluster, ada, bob } = await pair('none');
    await cluster.pass(minutes(1));
    cluster.server.crash();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => !ada.status.connected, 'ada to notice', seconds(14));
    expect(ada.status.state).toBe('offline');
    expect(bob.status.connected).toBe(true);
    await cluster.restart(cluster.server);
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  });

  it('is not taken for dead while its answers are only delayed', async () => {
    const { cluster, ada, bob } = await pair('none');
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    let ends = 0;
    const connection = (): void => {
      if (!ada.status.connected) ends += 1;
    };
    // His promise counts as long as his lease: so long the server owes her the answer.
    cluster.cut(bob);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    for (let second = 0; second < 20; second++) {
      await cluster.pass(seconds(1));
      connection();
    }
    expect([ends, ada.status.queues.data.updates]).toEqual([0, 1]);
    await cluster.settled([ada]);
  });

  it('is asked on the same connection after an interruption of a few seconds', async () => {
    const { cluster, ada } = await pair();
    const before = [...cluster.server.inside.connections.keys()];
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.pass(seconds(8));
    cluster.heal(ada);
    await cluster.settled([ada]);
    expect([...cluster.server.inside.connections.keys()]).toEqual(before);
  });
});

describe('a paused queue', () => {
  it('holds updates back until it is resumed, also after a restart', async () => {
    const { cluster, ada, bob } = await pair();
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.pass(minutes(5));
    expect(cluster.shown(bob)).toEqual({ '/doc': 'first' });
    expect([ada.status.state, ada.status.queues.data.updates]).toEqual(['paused', 1]);
    await cluster.restart(ada);
    await cluster.pass(minutes(1));
    expect([ada.status.state, ada.status.queues.data.updates]).toEqual(['paused', 1]);
    ada.daemon.resume();
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
  });
});

describe('a network that changes', () => {
  it('moves the connection to its new address', async () => {
    const { cluster, ada } = await pair();
    cluster.network.changeAddress(ada.name);
    await cluster.pass(seconds(2));
    ada.daemon.networkChanged();
    await cluster.at(ada, (files) => files.write('/doc', 'from elsewhere'));
    const start = cluster.world.time.now();
    expect(await agreed(cluster)).toEqual({ '/doc': 'from elsewhere' });
    expect(cluster.world.time.now() - start).toBeLessThan(5000);
  });

  it('is detected even without a notification', async () => {
    const { cluster, ada } = await pair();
    cluster.network.changeAddress(ada.name);
    await cluster.at(ada, (files) => files.write('/doc', 'from elsewhere'));
    expect(await agreed(cluster)).toEqual({ '/doc': 'from elsewhere' });
  });
});

/** Processes that crash, and replies that never arrive (promise 1, W4). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

async function pair(seed = 1): Promise<Pair> {
  const cluster = await Cluster.start({ seed });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

const versionOf = (client: ClientNode, path: string): number | undefined =>
  client.replica.tree().get(path)?.status.version;

/** A commit that writes a new version of a file's contents. */
const isStore = (writes: readonly RowWrite[]): boolean =>
  writes.some((write) => write.kind === 'content');

describe('a server that is killed', () => {
  it.each(['before', 'after'] as const)(
    'receives and applies an update once when it dies %s the commit',
    async (when) => {
      const { cluster, ada, bob } = await pair();
      cluster.server.crashAtCommit({ when, fits: isStore });
      await cluster.at(ada, (files) => files.write('/doc', 'second'));
      await cluster.until(() => !cluster.server.running, 'the crash');
      const head = (await cluster.run(cluster.server.history())).length;
      await cluster.restart(cluster.server);
      expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
      expect(versionOf(bob, '/doc')).toBe(2);
      const commits = (await cluster.run(cluster.server.history())).length;
      expect(commits - head).toBe(when === 'before' ? 1 : 0);
    },
  );

  it('commits nothing for one lease after its restart, since old promises may still be used', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    await cluster.restart(cluster.server);
    const start = cluster.world.time.now();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.run(ada.daemon.flush(null), "ada's flush", minutes(2));
    expect(cluster.world.time.now() - start).toBeGreaterThan(25_000);
    cluster.heal(bob);
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
  });

  it('loses no update when it dies repeatedly among many of them', async () => {
    const { cluster, ada } = await pair(3);
    for (let i = 0; i < 40; i++) {
      await cluster.at(ada, (files) => files.write(`/${i}`, `file ${i}`));
      if (i % 10 === 5) cluster.server.crashAtCommit({ when: 'after', fits: () => true });
      if (!cluster.server.running) await cluster.restart(cluster.server);
    }
    cluster.server.crashAtCommit(null);
    if (!cluster.server.running) await cluster.restart(cluster.server);
    const shown = await agreed(cluster);
    for (let i = 0; i < 40; i++) expect(shown[`/${i}`]).toBe(`file ${i}`);
    expect(Object.keys(shown)).toHaveLength(41);
  });
});

describe('an update whose reply is lost', () => {
  it('is sent again and applied once', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.network.cutOneWay(SERVER_HOST, ada.name);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => versionOf(bob, '/doc') === 2, 'bob to see it');
    await cluster.pass(seconds(40));
    expect(ada.status.queues.data.updates).toBe(1);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
    expect(versionOf(ada, '/doc')).toBe(2);
  });
});

describe('a daemon is killed', () => {
  it('has its queued updates sent by the next daemon', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(ada);
    await cluster.at(ada, async (files) => {
      await files.mkdir('/dir');
      await files.write('/dir/new', 'logged');
      await files.rename('/doc', '/dir/doc');
    });
    ada.crash();
    cluster.network.heal(ada.name, SERVER_HOST);
    await cluster.pass(minutes(1));
    expect(cluster.shown(bob)).toEqual({ '/doc': 'first' });
    await cluster.restart(ada);
    expect(await agreed(cluster)).toEqual({
      '/dir': null,
      '/dir/doc': 'first',
      '/dir/new': 'logged',
    });
  });

  it('keeps files that were closed some moments before a loss of power', async () => {
    const { cluster, ada } = await pair();
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write('/doc', 'closed'));
    await cluster.until(() => ada.isDurable, 'the save to be durable');
    ada.losePower();
    cluster.network.heal(ada.name, SERVER_HOST);
    await cluster.restart(ada);
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('closed');
    expect(await agreed(cluster)).toEqual({ '/doc': 'closed' });
  });

  it('loses and doubles no update that is under way', async () => {
    const { cluster, ada } = await pair(2);
    await cluster.at(ada, async (files) => {
      for (let i = 0; i < 20; i++) await files.write(`/${i}`, `file ${i}`);
    });
    await cluster.restart(ada);
    const shown = await agreed(cluster);
    for (let i = 0; i < 20; i++) expect(shown[`/${i}`]).toBe(`file ${i}`);
    for (let i = 0; i < 20; i++) expect(versionOf(ada, `/${i}`)).toBe(1);
  });

  it('leaves no file missing when it dies during a fetch', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.network.shape(SERVER_HOST, bob.name, { bytesPerSecond: 20_000 });
    await cluster.at(ada, (files) => files.write('/big', 'x'.repeat(200_000)));
    await cluster.run(ada.daemon.flush(null));
    await cluster.pass(seconds(3));
    await cluster.restart(bob);
    expect((await agreed(cluster))['/big']).toHaveLength(200_000);
    expect(bob.disk.list('/spool')).toEqual([]);
    expect(bob.disk.list('/store/out')).toEqual([]);
  });
});

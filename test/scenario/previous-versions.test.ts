/** What was overwritten or removed is there still, and comes back as an update like any other. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import type { RestoreOrder } from '../../shared/ports/controlled.ts';
import { agreed } from './agreed.ts';

const HOME_NAME = 'home';
const pathOf = (text: string): string[] => text.split('/').filter((name) => name !== '');

async function pair(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.write('/doc', 'second'));
  await cluster.settled();
  return { cluster, ada, bob };
}

function restore(
  cluster: Cluster,
  at: ClientNode,
  path: string,
  order: Partial<RestoreOrder> = {},
) {
  const full = { path: pathOf(path), version: null, at: null, to: null, ...order };
  return cluster.run(at.daemon.past.restore(HOME_NAME, full), `${path} to be restored`);
}

describe('versions of a file', () => {
  it('are listed with their authors, and an older one is restored as a new version', async () => {
    const { cluster, ada, bob } = await pair();
    const told = await cluster.run(ada.daemon.past.versions(HOME_NAME, ['doc']));
    expect(told.versions.map(({ by, size, present, kept }) => [by, size, present, kept])).toEqual([
      [bob.name, 6, true, true],
      [ada.name, 5, false, true],
    ]);
    const report = await restore(cluster, ada, '/doc');
    expect(report).toEqual({ done: [{ path: '/doc', as: 'contents', to: '/doc' }], failed: [] });
    expect(await agreed(cluster)).toEqual({ '/doc': 'first' });
    // What was there before the restore is a version as well.
    const again = await cluster.run(ada.daemon.past.versions(HOME_NAME, ['doc']));
    expect(again.versions.map(({ size }) => size)).toEqual([5, 6, 5]);
    await restore(cluster, bob, '/doc', { version: again.versions[1]?.number ?? 0 });
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
  });

  it('include those of an earlier file of the same name', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, async (files) => {
      await files.write('/.doc.new', 'third!!');
      await files.rename('/.doc.new', '/doc');
    });
    await cluster.settled();
    const told = await cluster.run(ada.daemon.past.versions(HOME_NAME, ['doc']));
    expect(told.versions.map(({ size }) => size)).toEqual([7, 6, 5]);
    await restore(cluster, ada, '/doc', { version: told.versions[2]?.number ?? 0 });
    expect(await agreed(cluster)).toEqual({ '/doc': 'first' });
  });

  it('can be restored to another path, and a path that is taken is refused', async () => {
    const { cluster, ada } = await pair();
    await restore(cluster, ada, '/doc', { to: ['old'] });
    expect(await agreed(cluster)).toEqual({ '/doc': 'second', '/old': 'first' });
    await expect(restore(cluster, ada, '/doc', { to: ['old'] })).rejects.toMatchObject({
      code: 'exists',
    });
  });

  it('replace no concurrent save of another laptop when they are restored', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/doc', 'from bob, offline'));
    await restore(cluster, ada, '/doc');
    await cluster.settled([ada]);
    cluster.heal(bob);
    const kept = new Set(Object.values(await agreed(cluster)));
    expect(kept).toEqual(new Set(['first', 'from bob, offline']));
  });
});

describe('a removed file', () => {
  it('is listed and comes back under its name, or beside it when the name is taken', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(bob, (files) => files.remove('/doc'));
    await cluster.settled();
    const { removed } = await cluster.run(ada.daemon.past.removed(HOME_NAME, []));
    expect(removed.map(({ path, by, size }) => [path, by, size])).toEqual([['/doc', bob.name, 6]]);
    const [last] = (await cluster.run(ada.daemon.past.versions(HOME_NAME, ['doc']))).versions;
    await restore(cluster, ada, '/doc');
    expect(await agreed(cluster)).toEqual({ '/doc': 'second' });
    expect(await cluster.run(ada.daemon.past.removed(HOME_NAME, []))).toMatchObject({
      removed: [],
    });
    await cluster.at(bob, async (files) => {
      await files.remove('/doc');
      await files.mkdir('/doc');
    });
    await cluster.settled();
    expect(await restore(cluster, ada, '/doc', { version: last?.number ?? 0 })).toMatchObject({
      done: [{ path: '/doc', as: 'made', to: '/doc (restored)' }],
    });
    expect(await agreed(cluster)).toEqual({ '/doc': null, '/doc (restored)': 'second' });
  });

  it('comes back with its folder and everything that was removed together with it, not earlier', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, async (files) => {
      await files.mkdir('/d');
      await files.mkdir('/d/e');
      for (const name of ['a', 'b', 'e/c', 'old']) await files.write(`/d/${name}`, name);
    });
    await cluster.settled();
    await cluster.at(ada, (files) => files.remove('/d/old'));
    await cluster.settled();
    await cluster.pass(minutes(90));
    await cluster.at(ada, async (files) => {
      for (const name of ['a', 'e/c', 'b']) await files.remove(`/d/${name}`);
      await files.rmdir('/d/e');
      await files.rmdir('/d');
    });
    await cluster.settled();
    const report = await restore(cluster, ada, '/d');
    expect(report.failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({
      '/d': null,
      '/d/a': 'a',
      '/d/b': 'b',
      '/d/e': null,
      '/d/e/c': 'e/c',
      '/doc': 'second',
    });
  });

  it('comes back alone with the folders on its path', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, async (files) => {
      await files.mkdir('/d');
      await files.write('/d/a', 'a');
      await files.write('/d/b', 'b');
      await files.remove('/d/a');
      await files.remove('/d/b');
      await files.rmdir('/d');
    });
    await cluster.settled();
    await restore(cluster, ada, '/d/b');
    expect(await agreed(cluster)).toEqual({ '/d': null, '/d/b': 'b', '/doc': 'second' });
  });

  it('comes back as it was at a given time, and existing files stay', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, async (files) => {
      await files.mkdir('/d');
      await files.write('/d/a', 'a');
      await files.write('/d/b', 'before');
    });
    await cluster.settled();
    await cluster.pass(minutes(10));
    const then = cluster.server.clock.wall();
    await cluster.pass(minutes(10));
    await cluster.at(ada, async (files) => {
      await files.write('/d/b', 'after');
      await files.remove('/d/a');
    });
    await cluster.settled();
    await restore(cluster, ada, '/d', { at: then });
    expect(await agreed(cluster)).toMatchObject({ '/d/a': 'a', '/d/b': 'after' });
    await restore(cluster, ada, '/d/b', { at: then });
    expect(await agreed(cluster)).toMatchObject({ '/d/a': 'a', '/d/b': 'before' });
  });
});

/**
 * A server that is put back while a laptop may not see a volume (rules I1, W7): what the laptop knows of the lost part, and what it has
 * queued, is offered when it may see the volume again, as if it had been restored then.
 */
import { expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

it.each(['folder', 'none'] as const)(
  'the server takes the lost part from a laptop whose right returns later (%s)',
  async (frontEnd) => {
    const cluster = await Cluster.start({ clients: 1, frontEnd });
    const [ada] = cluster.clients as [ClientNode];
    const bob = await cluster.join('write', 'bob');
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    const { metaStore } = cluster.server;
    metaStore.allow('bob', HOME, null);
    await cluster.pass(seconds(2));
    const backup = cluster.server.backUp();
    metaStore.allow('bob', HOME, 'write');
    await cluster.pass(seconds(2));
    await cluster.at(bob, (files) => files.write('/doc', 'second'));
    await cluster.at(bob, (files) => files.write('/made', "bob's"));
    await cluster.at(bob, (files) => files.write('/brief', 'not for long'));
    await cluster.settled([bob]);
    cluster.takeOut(ada);
    cluster.server.crash();
    await cluster.at(bob, (files) => files.remove('/brief'));
    await cluster.at(bob, (files) => files.write('/doc', 'third'));
    // Twice: the second epoch begins while he is still in the first.
    for (let times = 1; times <= 2; times++) {
      if (cluster.server.running) cluster.server.crash();
      cluster.server.restore(backup);
      await cluster.run(cluster.server.start(), 'the server to start');
      await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
      await cluster.pass(minutes(1));
    }
    cluster.server.metaStore.allow('bob', HOME, 'write');
    await cluster.pass(seconds(5));
    await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
    const cleo = await cluster.join('write', 'owner');
    if (frontEnd === 'folder') {
      expect(await agreed(cluster)).toEqual({ '/doc': 'third', '/made': "bob's" });
    } else {
      await cluster.settled([bob]);
      expect(await cluster.at(cleo, (files) => files.names('/'))).toEqual(['doc', 'made']);
      expect(await cluster.at(cleo, (files) => files.read('/doc'))).toBe('third');
      expect(await cluster.at(cleo, (files) => files.read('/made'))).toBe("bob's");
    }
    expect(bob.status.conflicts).toEqual([]);
  },
);

it('the server takes the lost part from a laptop that was asked for a file while it had no right', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const bob = await cluster.join('write', 'bob', { frontEnd: 'none' });
  const { metaStore } = cluster.server;
  const backup = cluster.server.backUp();
  await cluster.at(ada, (files) => files.write('/brief', 'not for long'));
  await cluster.at(bob, (files) => files.write('/made', "bob's"));
  const { fid } = await cluster.at(bob, (files) => files.look('/brief'));
  await cluster.at(ada, (files) => files.remove('/brief'));
  await cluster.settled([ada]);
  // The name is known to him still, and the file is not.
  await expect(cluster.run(bob.daemon.fileSystem.getattr(fid))).rejects.toThrow();
  metaStore.allow('bob', HOME, null);
  await cluster.pass(minutes(1));
  await expect(cluster.run(bob.files.look('/brief'))).rejects.toMatchObject({ code: 'no-right' });
  metaStore.allow('bob', HOME, 'write');
  cluster.takeOut(ada);
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
  // The backup has his right: it was made after he had joined.
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  const cleo = await cluster.join('write', 'owner');
  await cluster.settled([bob]);
  expect(await cluster.at(cleo, (files) => files.read('/made'))).toBe("bob's");
});

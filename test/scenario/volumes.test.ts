/** A server with several volumes: laptops of different volumes get nothing from each other. */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

const SECOND = 2 as VolumeId;

async function twoVolumes(user: string) {
  const cluster = await Cluster.start({ volumes: 2, clients: 1 });
  const [ada] = cluster.clients;
  const bob = await cluster.join('write', user, { volume: SECOND });
  return { cluster, ada: ada as typeof bob, bob };
}

describe('two volumes', () => {
  it('have names and commits of their own', async () => {
    const { cluster, ada, bob } = await twoVolumes('ursula');
    await cluster.at(ada, (files) => files.write('/doc', 'in the first'));
    await cluster.at(bob, (files) => files.write('/doc', 'in the second'));
    await cluster.settled();
    expect(cluster.shown(ada)).toEqual({ '/doc': 'in the first' });
    expect(cluster.shown(bob)).toEqual({ '/doc': 'in the second' });
    expect(bob.status.volumes.map(({ id }) => id)).toEqual([2]);
  });

  it('can belong to one user: a flush waits for the volume that the folder follows', async () => {
    const { cluster, ada, bob } = await twoVolumes('owner');
    await cluster.at(ada, (files) => files.write('/doc', 'in the first'));
    await cluster.run(ada.daemon.flush(null), 'the flush', seconds(10));
    await cluster.run(bob.daemon.flush(null), 'the flush', seconds(10));
    expect(cluster.shown(bob)).toEqual({});
  });

  it('can belong to one user: the status of each laptop begins with that of its folder', async () => {
    const { cluster, ada, bob } = await twoVolumes('owner');
    await cluster.settled();
    const told = [ada, bob].map(({ status }) => status.volumes.map(({ id }) => id));
    expect(told).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('can belong to one user: a conflict in the one that no folder follows leaves nothing to repair', async () => {
    const { cluster, ada, bob } = await twoVolumes('owner');
    const root = '1.1.1' as Fid;
    const { fileSystem } = bob.daemon;
    expect(await cluster.run(fileSystem.readdir(root))).toEqual([]);
    bob.daemon.pause();
    await cluster.run(fileSystem.symlink(root, 'y', "bob's", {}));
    await cluster.at(ada, (files) => files.symlink('/y', "ada's"));
    await cluster.settled([ada]);
    bob.daemon.resume();
    await cluster.run(fileSystem.flush(HOME, null), "bob's flush", seconds(30));
    const names = await cluster.run(fileSystem.readdir(root));
    expect(names.map(({ attributes }) => attributes.target)).toEqual(["ada's", "bob's"]);
    expect(bob.daemon.inside.conflict.adjustments.size).toBe(0);
  });
});

describe('a volume that an administrator makes, names, removes and restores', () => {
  it('is seen at once by laptops of those who may see it, and by no others', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const [ada] = cluster.clients as [Awaited<ReturnType<typeof cluster.join>>];
    const guest = await cluster.join('write', 'guest');
    const { metaStore } = cluster.server;
    metaStore.makeVolume(SECOND, 'second', cluster.server.clock.wall());
    metaStore.allow('owner', SECOND, 'write');
    await cluster.pass(seconds(2));
    expect(ada.status.volumes.map(({ name }) => name)).toEqual(['home', 'second']);
    metaStore.changeVolume(SECOND, { name: 'other' });
    await cluster.pass(seconds(2));
    expect(ada.status.volumes.map(({ name }) => name)).toEqual(['home', 'other']);
    expect(guest.status.volumes.map(({ name }) => name)).toEqual(['home']);
    // Made a moment before the invitation is used.
    const third = 3 as VolumeId;
    metaStore.makeVolume(third, 'third', cluster.server.clock.wall());
    const bob = await cluster.join('write', 'bob', { volume: third });
    await cluster.at(bob, (files) => files.write('/doc', 'text'));
    await cluster.settled();
    expect(bob.status.volumes.map(({ name }) => name)).toEqual(['third']);
  });

  it.each(['folder', 'none'] as const)(
    'keeps the work of a laptop that was away while it was removed (front end %s)',
    async (frontEnd) => {
      const cluster = await Cluster.start({ clients: 1 });
      const { metaStore } = cluster.server;
      metaStore.makeVolume(SECOND, 'second', cluster.server.clock.wall());
      const bob = await cluster.join('write', 'bob', { volume: SECOND, frontEnd });
      await cluster.at(bob, (files) => files.write('/doc', 'first'));
      await cluster.settled();
      cluster.cut(bob);
      await cluster.pass(minutes(2));
      await cluster.at(bob, (files) => files.write('/doc', 'written while it was away'));
      await cluster.at(bob, (files) => files.write('/too', 'another'));
      metaStore.changeVolume(SECOND, { isRemoved: true });
      await cluster.pass(seconds(2));
      cluster.heal(bob);
      const said = (): boolean => bob.status.errors.some(({ code }) => code === 'volume-removed');
      await cluster.until(said, 'bob to be told', minutes(2));
      expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe(
        'written while it was away',
      );
      await expect(cluster.run(bob.files.write('/doc', 'x'))).rejects.toMatchObject({
        code: 'volume-removed',
      });
      await expect(cluster.run(bob.daemon.past.snapshots('second'))).rejects.toMatchObject({
        code: 'volume-removed',
      });
      await cluster.restart(cluster.server);
      await cluster.pass(minutes(40));
      expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc', 'too']);
      // One error, of the volume, however many files wait for it.
      expect(bob.status.errors.map(({ code, path }) => [code, path])).toEqual([
        ['volume-removed', null],
      ]);
      const reasons = bob.status.waiting?.map(({ reason }) => reason);
      expect(reasons).toContainEqual(
        expect.stringMatching(/can not be sent: the volume was removed/),
      );
      metaStore.changeVolume(SECOND, { isRemoved: false });
      await cluster.pass(minutes(1));
      expect(bob.status.errors).toEqual([]);
      const again = await cluster.join('read', 'bob', { volume: SECOND });
      await cluster.settled();
      const shown = { '/doc': 'written while it was away', '/too': 'another' };
      expect(cluster.shown(again)).toEqual(shown);
    },
  );

  it('is made again by its number with what a laptop has, if it was lost with the time since a backup', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const { server } = cluster;
    const backup = server.backUp();
    server.metaStore.makeVolume(SECOND, 'second', cluster.server.clock.wall());
    const bob = await cluster.join('write', 'bob', { volume: SECOND });
    await cluster.at(bob, (files) => files.mkdir('/dir'));
    await cluster.at(bob, (files) => files.write('/dir/doc', 'made after the backup'));
    await cluster.settled();
    server.crash();
    server.restore(backup);
    await cluster.run(server.start(), 'the server to start');
    await cluster.pass(minutes(1));
    expect(cluster.shown(bob)).toEqual({ '/dir': null, '/dir/doc': 'made after the backup' });
    server.metaStore.makeVolume(SECOND, 'second', cluster.server.clock.wall(), true);
    cluster.inviteAgain(bob, 'itself');
    await cluster.restart(bob);
    await cluster.until(() => bob.status.connected, 'bob to be connected', minutes(5));
    await cluster.settled([bob]);
    const again = await cluster.join('read', 'bob', { volume: SECOND });
    await cluster.settled();
    expect(cluster.shown(again)).toEqual({ '/dir': null, '/dir/doc': 'made after the backup' });
    expect(bob.status.conflicts).toEqual([]);
  });
});

/** A server with several volumes: laptops of different volumes get nothing from each other. */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';

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

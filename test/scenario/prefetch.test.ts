/**
 * Prefetching on a slow line: of file groups, what is worth having comes when nothing else does, and who demands it does not wait behind it;
 * and where files are read one after the other, the line has no gaps.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { formatGroup, GROUP_XATTR, groupValue } from '../../shared/model/file-group.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';

const SLOW = { delayMs: 20, bytesPerSecond: 64_000, queueMs: 50 };
const EACH = 20_000;
const BIG = 2_000_000;
const NAMES = ['/a', '/b', '/c'];

/** Two laptops that fetch on demand; ada has made a group of three files, and bob is on a slow line. */
async function grouped(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    const list = await files.write('/group', '');
    const members: Fid[] = [];
    for (const name of NAMES) {
      const { fid } = await files.write(name, new Uint8Array(EACH).fill(name.charCodeAt(1)));
      const xattrs = [{ name: GROUP_XATTR, value: groupValue(list.fid) }];
      await ada.daemon.fileSystem.setattr(fid, { xattrs });
      members.push(fid);
    }
    await files.write('/group', formatGroup({ kind: 'chosen', files: members }));
    await files.write('/big', new Uint8Array(BIG));
    await files.write('/other', 'x');
  });
  await cluster.settled();
  await cluster.at(bob, (files) => files.names('/'));
  cluster.network.shape(bob.name, SERVER_HOST, SLOW);
  cluster.network.shape(SERVER_HOST, bob.name, SLOW);
  return { cluster, ada, bob };
}

async function cached(cluster: Cluster, bob: ClientNode): Promise<boolean[]> {
  return cluster.at(bob, async (files) => {
    const looks = await Promise.all(NAMES.map((name) => files.look(name)));
    return looks.map((attributes) => attributes.cached);
  });
}

describe('a file group', () => {
  it('is cached soon after one of its files was opened, and stays readable without the server', async () => {
    const { cluster, bob } = await grouped();
    await cluster.at(bob, (files) => files.read('/b'));
    await cluster.pass(seconds(5));
    expect(await cached(cluster, bob)).toEqual([true, true, true]);
    cluster.cut(bob);
    await cluster.until(() => !bob.status.connected, 'bob to notice');
    await cluster.pass(seconds(3));
    expect(await cluster.at(bob, (files) => files.read('/c'))).toMatch(/^c+$/);
  });

  it('gives way to a demand fetch, which passes all prefetches', async () => {
    const { cluster, bob } = await grouped();
    await cluster.at(bob, (files) => files.read('/group'));
    // Half a minute of the line, in the same class, and asked for before.
    const big = bob.daemon.cache.act('prefetch', 'home', ['big']);
    await cluster.pass(seconds(2));
    await cluster.at(bob, (files) => files.read('/b'));
    await cluster.at(bob, (files) => files.read('/b'));
    const isUnderWay = (): boolean => {
      const {
        cache: { fetches },
        prefetch,
      } = bob.daemon.inside;
      return (fetches.get(prefetch.fetching)?.request ?? null) !== null;
    };
    // Of the first file of the group.
    await cluster.until(isUnderWay, 'a prefetch');
    await cluster.pass(seconds(1));
    const start = cluster.world.time.now();
    expect(await cluster.at(bob, (files) => files.read('/a'))).toMatch(/^a+$/);
    // The contents alone take a third of a second, and the big file 25 seconds more.
    expect(cluster.world.time.now() - start).toBeLessThan(2000);
    expect(await cluster.run(big)).toMatchObject({ files: 1, bytes: BIG, failed: 0 });
  });
});

describe('read-ahead', () => {
  it('fills the gaps between file reads, also those after an interruption', async () => {
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    const names = Array.from({ length: 12 }, (_, index) => `/file ${index}`);
    await cluster.at(ada, async (files) => {
      for (const name of names) await files.write(name, name.repeat(EACH / 8).slice(0, EACH));
    });
    await cluster.settled();
    await cluster.at(bob, (files) => files.names('/'));
    cluster.network.shape(bob.name, SERVER_HOST, SLOW);
    cluster.network.shape(SERVER_HOST, bob.name, SLOW);
    const timeOf = async (from: number, to: number): Promise<number> => {
      const start = cluster.world.time.now();
      for (const name of names.slice(from, to)) {
        const text = await cluster.at(bob, (files) => files.read(name));
        expect(text).toBe(name.repeat(EACH / 8).slice(0, EACH));
      }
      return cluster.world.time.now() - start;
    };
    const alone = await timeOf(0, 3);
    // Each of three had a gap of a round trip, 40 ms, before it.
    expect(await timeOf(3, 6)).toBeLessThan(alone - 40);
    cluster.cut(bob);
    await cluster.until(() => !bob.status.connected, 'bob to notice');
    cluster.heal(bob);
    await cluster.until(() => bob.status.connected, 'bob to be back');
    await timeOf(6, 9);
    expect(await timeOf(9, 12)).toBeLessThan(alone - 40);
  });
});

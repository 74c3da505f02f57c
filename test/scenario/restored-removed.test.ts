/**
 * A restored server, and what is removed on both sides of that (rules I1, C3). The numbers that versions had in the lost part are given
 * again: nothing is over another's version because that has the number of one that was lost.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

/** Starts four laptops. Cleo was disconnected since the backup and knows nothing of the lost part. */
async function fourLaptops() {
  const cluster = await Cluster.start({ clients: 4 });
  const [ada, bob, cleo, dan] = cluster.clients as [ClientNode, ClientNode, ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  const { server } = cluster;
  const backup = server.backUp();
  cluster.cut(cleo);
  const restore = async (): Promise<void> => {
    bob.crash();
    cluster.takeOut(dan);
    server.crash();
    server.restore(backup);
    await cluster.run(server.start(), 'the server to start');
    const stores = (): number =>
      [...ada.daemon.inside.log.all()].filter(({ update }) => update.op === 'store').length;
    await cluster.until(() => stores() > 0, 'ada to offer what she knows', minutes(5));
  };
  return { cluster, ada, bob, cleo, dan, restore };
}

async function storedSince(cluster: Cluster, cleo: ClientNode): Promise<void> {
  cluster.heal(cleo);
  await cluster.settled([cleo]);
  await cluster.at(cleo, (files) => files.write('/doc', 'since'));
  await cluster.settled([cleo]);
}

async function textsOf(cluster: Cluster, laptop: ClientNode): Promise<string[]> {
  const names = await cluster.at(laptop, (files) => files.names('/'));
  const texts = names.map((name) => cluster.at(laptop, (files) => files.read(`/${name}`)));
  return (await Promise.all(texts)).sort();
}

it('a save in a file that was removed in the lost part does not overwrite a later store', async () => {
  const { cluster, ada, bob, cleo, dan, restore } = await fourLaptops();
  const { fid } = await cluster.at(bob, (files) => files.write('/doc', 'second'));
  await cluster.settled([ada, bob, dan]);
  // While dan has promises, nothing is answered that the feed tells of.
  cluster.cut(dan);
  await cluster.at(ada, (files) => files.write('/doc', 'third'));
  const versionAt = ({ daemon }: ClientNode) => daemon.inside.names.attributes.get(fid)?.version;
  const third = (): boolean => versionAt(ada) === 3 && versionAt(bob) === 3;
  await cluster.until(third, 'the feed to tell of the save', seconds(10));
  await cluster.at(bob, (files) => files.remove('/doc'));
  await cluster.until(() => versionAt(ada) === undefined, 'the feed to tell ada', seconds(10));
  expect([...ada.daemon.inside.log.all()].map(({ answer }) => answer)).toEqual([null]);
  ada.daemon.pause();
  await restore();
  await storedSince(cluster, cleo);
  ada.daemon.resume();
  await cluster.settled([ada, cleo]);
  expect(await textsOf(cluster, cleo)).toEqual(['since', 'third']);
});

it.each([
  ['in its last version', 3],
  ['in an earlier version', 2],
])(
  'a save is not dropped because a folder shows the file %s in the lost part',
  async (_, shown) => {
    const { cluster, ada, cleo, restore } = await fourLaptops();
    const seen = [];
    for (const text of ['second', 'third', 'fourth', 'fifth']) {
      seen.push(await cluster.at(ada, (files) => files.write('/doc', text)));
      await cluster.settled([ada]);
    }
    const { fid, version: base, digest } = seen[shown] as (typeof seen)[number];
    const { dir, name } = await cluster.at(ada, (files) => files.place('/doc'));
    ada.daemon.pause();
    await restore();
    await cluster.at(ada, (files) => files.write('/doc', 'saved'));
    const observed = { fid, base, digest };
    await cluster.run(ada.daemon.fileSystem.remove({ dir, name }, { observed }));
    await storedSince(cluster, cleo);
    ada.daemon.resume();
    await cluster.settled([ada, cleo]);
    expect(await textsOf(cluster, cleo)).toEqual(['saved', 'since']);
  },
);

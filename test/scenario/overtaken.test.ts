/** A save that is sent before earlier updates of its laptop names them: readers who have seen it do not get the older state of those as the latest (rule S5). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';
import { reorderedBy } from '../../daemon/core/log/reordering.ts';

const BEFORE = ['/one', '/two'];

/** Starts two laptops that use `/doc`; bob has also read `/late` and has a promise for it. */
async function begun(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', partial: null });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    for (const path of [...BEFORE, '/late', '/doc']) await files.write(path, 'first');
  });
  await cluster.settled();
  // Small saves of what others have go before others; these do not.
  for (const path of [...BEFORE, '/late']) {
    const { fid } = await cluster.at(ada, (files) => files.look(path));
    await cluster.run(ada.daemon.orderSharing(fid, 'unshared'), 'the word to be taken');
  }
  for (const text of ['of bob', 'of ada']) {
    const writer = text === 'of bob' ? bob : ada;
    await cluster.at(writer, (files) => files.write('/doc', text));
    await cluster.settled();
  }
  for (const path of ['/late', '/doc']) await cluster.at(bob, (files) => files.read(path));
  return { cluster, ada, bob };
}

it('an overtaken save is marked dirty before the save that overtook it is committed', async () => {
  const { cluster, ada, bob } = await begun();
  const { fid: late } = await cluster.at(bob, (files) => files.look('/late'));
  expect(bob.daemon.inside.sharing.promises.usable(late)).toBe(true);
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 10_000 });
  await cluster.at(ada, async (files) => {
    for (const path of [...BEFORE, '/late']) await files.write(path, 'x'.repeat(25_000));
    await files.write('/doc', 'second');
  });
  const isUnderWay = [...ada.daemon.inside.log.all()].find(({ update }) => update.fid === late);
  expect(isUnderWay).toMatchObject({ state: 'sent', isStuck: false });
  const read = (path: string) => cluster.at(bob, (files) => files.read(path));
  const start = cluster.world.time.now();
  while ((await read('/doc')) !== 'second') await cluster.pass(seconds(0.1));
  // The updates before it take eight seconds.
  expect(cluster.world.time.now() - start).toBeLessThan(4000);
  expect(bob.daemon.inside.sharing.promises.usable(late)).toBe(false);
  expect((await read('/late')).slice(0, 3)).toBe('xxx');
  await cluster.settled();
  await cluster.until(
    () => cluster.server.inside.volumes.limits.marks.owners().length === 0,
    'no mark is left',
  );
});

it('an overtaken save is named also when both are sent in the class FETCH, since a reader waits for each', async () => {
  const { cluster, ada, bob } = await begun();
  const { fid: late } = await cluster.at(bob, (files) => files.look('/late'));
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 10_000 });
  await cluster.at(ada, (files) => files.write('/late', 'x'.repeat(25_000)));
  await cluster.until(() => !bob.daemon.inside.sharing.promises.usable(late), 'bob to be told');
  expect(reorderedBy(ada.daemon.inside, 'FETCH').overtaken?.map(({ fid }) => fid)).toEqual([late]);
  const raised = cluster.at(bob, (files) => files.read('/late'));
  const isRaised = () => [...ada.daemon.inside.log.all()].some((entry) => entry.expedited);
  await cluster.until(isRaised, 'it to be raised');
  expect(reorderedBy(ada.daemon.inside, 'FETCH').overtaken?.map(({ fid }) => fid)).toEqual([late]);
  expect(reorderedBy(ada.daemon.inside, 'STORE_FAST')).toEqual({});
  expect((await raised).slice(0, 3)).toBe('xxx');
});

it('a reader of a folder misses no name that was on its way before the save that he sees', async () => {
  const { cluster, ada, bob } = await begun();
  for (const name of ['/first', '/plans']) await cluster.at(ada, (files) => files.mkdir(name));
  await cluster.settled();
  for (const node of [bob, ada]) await cluster.at(node, (files) => files.list('/plans'));
  const { fid: plans } = await cluster.at(bob, (files) => files.look('/plans'));
  // This save waits, and the names that are made after it do not.
  ada.daemon.inside.delays.failed({ kind: 'store' }, cluster.world.time.now(), 1);
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  const isMarked = () => cluster.server.inside.volumes.limits.marks.owners().length > 0;
  await cluster.until(isMarked, 'the server to hear of it');
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 100 });
  for (const dir of ['/first', '/plans']) {
    await cluster.at(ada, (files) => files.mkdir(`${dir}/${'n'.repeat(200)}`));
  }
  ada.daemon.inside.delays.succeeded({ kind: 'store' });
  expect(bob.daemon.inside.sharing.promises.usable(plans)).toBe(true);
  while ((await cluster.at(bob, (files) => files.read('/doc'))) !== 'second') {
    await cluster.pass(seconds(0.1));
  }
  const names = [...ada.daemon.inside.log.all()].filter(({ update }) => update.op === 'mkdir');
  expect(names.at(-1)).toMatchObject({ state: 'sent' });
  expect(bob.daemon.inside.sharing.promises.usable(plans)).toBe(false);
  await cluster.settled();
  expect(await cluster.at(bob, (files) => files.names('/plans'))).toHaveLength(1);
  await cluster.until(
    () => cluster.server.inside.volumes.limits.marks.owners().length === 0,
    'no mark is left',
  );
});

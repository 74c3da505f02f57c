/** `godwit undo --list` (W8): what can be taken back, without what is taken back already. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';

it('the list of acts has none that is taken back, whoever did it', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/d');
    await files.mkdir('/d/e');
    for (const name of ['a', 'b', 'e/c']) await files.write(`/d/${name}`, name);
    await files.write('/doc', 'first');
  });
  await cluster.settled();
  const kinds = async (most: number): Promise<readonly string[]> => {
    await cluster.settled();
    const { acts } = await cluster.run(ada.daemon.past.acts('home', most), 'the acts');
    return acts.map(({ kind }) => kind);
  };
  await cluster.pass(minutes(5));
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.at(ada, (files) => files.setattr('/doc', { mode: 0o600 }));
  await cluster.at(ada, (files) => files.rename('/doc', '/letter'));
  await cluster.at(ada, async (files) => {
    for (const name of ['a', 'e/c', 'b']) await files.remove(`/d/${name}`);
    await files.rmdir('/d/e');
    await files.rmdir('/d');
  });
  expect(await kinds(10)).toEqual(['removed', 'renamed', 'mode', 'wrote']);
  const back = { path: ['d'], version: null, at: null, to: null };
  await cluster.run(bob.daemon.past.restore('home', back));
  expect(await kinds(10)).toEqual(['renamed', 'mode', 'wrote']);
  expect(await kinds(1)).toEqual(['renamed']);
  await cluster.at(bob, (files) => files.rename('/letter', '/doc'));
  expect(await kinds(10)).toEqual(['mode', 'wrote']);
  await cluster.at(bob, (files) => files.setattr('/doc', { mode: 0o644 }));
  expect(await kinds(1)).toEqual(['wrote']);
  await cluster.at(bob, (files) => files.write('/doc', 'first'));
  expect(await kinds(10)).toEqual([]);
});

it('the list of acts has no removal that was undone at once', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.pass(minutes(5));
  await cluster.at(ada, (files) => files.remove('/doc'));
  await cluster.settled();
  await cluster.run(ada.daemon.past.undo('home', { last: 1 }, false), 'the removal to be undone');
  await cluster.settled();
  expect((await cluster.run(ada.daemon.past.acts('home', 10), 'the acts')).acts).toEqual([]);
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.settled();
  const { acts } = await cluster.run(ada.daemon.past.acts('home', 10), 'the acts');
  expect(acts).toMatchObject([{ kind: 'wrote' }, { kind: 'removed' }]);
});

/** Answers arrive in any order: a laptop keeps what it wrote although the answer to the create is late. */
import { expect, it } from '@jest/globals';
import { milliseconds } from '../../shared/model/time.ts';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';

it('a laptop shows a new file with its contents when the store is answered before the create', async () => {
  const cluster = await Cluster.start({ clients: 2, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.mkdir('/x'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.list('/'));
  // The create has to wait for bob, who has a promise for the folder; the store of a file he does not know has not.
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.write('/x/doc', 'first'));
  await cluster.pass(milliseconds(1_000));
  expect(ada.status.queues).toMatchObject({ metadata: { updates: 1 }, data: { updates: 0 } });
  expect(await cluster.at(ada, (files) => files.read('/x/doc'))).toBe('first');
  await cluster.at(ada, (files) => files.write('/x/doc', 'second'));
  cluster.heal(bob);
  await cluster.settled();
  expect(await cluster.at(ada, (files) => files.names('/x'))).toEqual(['doc']);
  expect(await cluster.at(bob, (files) => files.read('/x/doc'))).toBe('second');
});

it('a laptop shows a file under its second name while the removal of the first one is unanswered', async () => {
  const cluster = await Cluster.start({ clients: 2, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/a');
    await files.mkdir('/b');
    await files.write('/a/doc', 'text');
    await files.link('/a/doc', '/b/other');
  });
  await cluster.settled();
  await cluster.at(bob, (files) => files.list('/b'));
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.remove('/b/other'));
  await cluster.pass(milliseconds(500));
  // The directory that it asks for now already lacks the removed file; the answer waits for bob.
  await cluster.restart(ada);
  await cluster.until(() => ada.status.connected, 'ada to be back');
  expect(await cluster.at(ada, (files) => files.names('/a'))).toEqual(['doc']);
  expect(await cluster.at(ada, (files) => files.read('/a/doc'))).toBe('text');
  expect(ada.status.queues.metadata.updates).toBe(1);
});

it('a laptop shows a new file with its contents when the feed reports it before its create is answered', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const bob = await cluster.join('write', 'owner', { frontEnd: 'none' });
  await cluster.settled();
  await cluster.at(bob, (files) => files.list('/'));
  // The create waits for bob's promise; the store after it has nothing to wait for, and both are in ada's feed.
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.pass(milliseconds(1_000));
  expect(ada.status.queues).toMatchObject({ metadata: { updates: 1 }, data: { updates: 0 } });
  expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('first');
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  cluster.heal(bob);
  await cluster.settled();
  expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
});

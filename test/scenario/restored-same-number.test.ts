/** A lost version that a laptop has the contents of, and another one of a restored server that has its number (rule I1). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { backedUp } from './backed-up.ts';

it('a reader gets the present version of a number although the lost one is still cached', async () => {
  const { cluster, ada, bob, server, backup } = await backedUp();
  await cluster.at(bob, (files) => files.read('/doc'));
  bob.daemon.pause();
  await cluster.at(bob, (files) => files.write('/doc', 'of bob'));
  // Her second version is committed when another file has taken its place here: nothing takes its contents out of her cache.
  ada.daemon.pause();
  await cluster.at(ada, async (files) => {
    await files.write('/doc', 'second');
    await files.write('/new', 'third');
    await files.rename('/new', '/doc');
  });
  ada.daemon.resume();
  await cluster.settled([ada]);
  ada.crash();
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  bob.daemon.resume();
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.settled([bob]);
  await cluster.run(ada.start(), 'ada to start');
  await cluster.settled();
  const texts = await cluster.at(ada, async (files) => {
    const names = await files.names('/');
    return Promise.all(names.map((name) => files.read(`/${name}`)));
  });
  expect(texts.sort()).toEqual(['of bob', 'third']);
});

it('the cache keeps contents that another laptop has offered again', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const { server } = cluster;
  const backup = server.backUp();
  const { fid } = await cluster.at(bob, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(ada, (files) => files.read('/doc'));
  const contentAtAda = (): string | undefined => {
    const {
      names: { attributes },
      cache: { files },
    } = ada.daemon.inside;
    const status = attributes.get(fid);
    return status === undefined ? undefined : files.find(status)?.name;
  };
  const before = contentAtAda();
  expect(before).toBeDefined();
  cluster.cut(ada);
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
  await cluster.settled();
  await cluster.at(ada, (files) => files.look('/doc'));
  expect(contentAtAda()).toBe(before);
});

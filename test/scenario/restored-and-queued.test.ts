/**
 * A restored server and a laptop that knows a lost version, while a save of its own that was made over an earlier one is still queued
 * (rules I1, C1): the lost version is offered again, the save is its conflict, and both are kept.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { backedUp } from './backed-up.ts';

it.each([
  [0, 'as it runs', 'nobody else'],
  [1, 'as it runs', 'nobody else'],
  [1, 'after a restart', 'nobody else'],
  [3, 'as it runs', 'nobody else'],
  // What is offered twice is the same: only the save is a conflict.
  [0, 'as it runs', 'ada, before'],
  [2, 'as it runs', 'ada, before'],
])(
  'the server keeps the lost version and the queued save with %i saves after the backup, %s, offered by %s',
  async (between, when, others) => {
    const { cluster, ada, bob, server, backup } = await backedUp();
    for (let save = 1; save <= between; save++) {
      await cluster.at(ada, (files) => files.write('/doc', `between ${save}`));
    }
    await cluster.settled();
    // Bob begins to write over what is there now, and reads what ada stores meanwhile before he is done.
    bob.daemon.pause();
    const { fid } = await cluster.at(bob, (files) => files.look('/doc'));
    const { fileSystem } = bob.daemon;
    const handle = await cluster.run(fileSystem.open(fid, { mode: 'write', truncate: false }));
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled([ada]);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
    bob.disk.write(handle.path, new TextEncoder().encode("bob's own"));
    await cluster.run(fileSystem.close(handle.handle, {}));
    server.crash();
    if (others === 'nobody else') ada.crash();
    if (when === 'after a restart') await cluster.restart(bob);
    server.restore(backup);
    await cluster.run(server.start(), 'the server to start');
    if (ada.running) await cluster.settled([ada]);
    bob.daemon.resume();
    await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
    await cluster.settled([bob]);
    const names = await cluster.at(bob, (files) => files.names('/'));
    const shown: Record<string, string> = {};
    for (const name of names) {
      shown[name.replace(/ \(conflict.*\)/, ' (conflict)')] = await cluster.at(bob, (files) =>
        files.read(`/${name}`),
      );
    }
    expect(shown).toEqual({ doc: 'second', 'doc (conflict)': "bob's own" });
  },
);

it('the server keeps the later of two queued saves when the earlier one is the lost version', async () => {
  const { cluster, ada, bob, server, backup } = await backedUp();
  const { fid } = await cluster.at(bob, (files) => files.look('/doc'));
  const { fileSystem } = bob.daemon;
  const handle = await cluster.run(fileSystem.open(fid, { mode: 'write', truncate: false }));
  for (const text of ['between', 'and again', 'second']) {
    await cluster.at(ada, (files) => files.write('/doc', text));
    await cluster.settled([ada]);
  }
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  bob.disk.write(handle.path, new TextEncoder().encode('second'));
  // It is on its way when the server goes, so what is saved next does not take its place in the log.
  server.crashAtCommit({ when: 'before', fits: () => true });
  await cluster.run(fileSystem.close(handle.handle, {}));
  await cluster.until(() => !server.running, 'the server to die');
  await cluster.at(bob, (files) => files.write('/doc', 'third'));
  ada.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.settled([bob]);
  expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('third');
});

it('the server keeps a version that another laptop offers under the number of an overwritten one', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const { server } = cluster;
  const backup = server.backUp();
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.look('/doc'));
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.settled([ada]);
  await cluster.at(bob, (files) => files.write('/doc', "bob's own"));
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  await cluster.settled([ada]);
  cluster.heal(bob);
  await cluster.settled();
  const names = await cluster.at(ada, (files) => files.names('/'));
  const texts = names.map((name) => cluster.at(ada, (files) => files.read(`/${name}`)));
  expect((await Promise.all(texts)).sort()).toEqual(["bob's own", 'second']);
});

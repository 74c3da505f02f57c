/**
 * What a laptop without a folder has of a lost part, but not the name of (rule I1), is offered under a name of its own in the root:
 * nothing is lost. Whoever knows its name gives it back.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';

/** Bob makes `/made`, ada reads it by its fid without reading the root, and then the server is restored. */
async function restoredForAda() {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const backup = cluster.server.backUp();
  await cluster.at(bob, (files) => files.write('/made', 'by bob'));
  await cluster.run(bob.daemon.flush(null), "bob's flush");
  const { fid } = await cluster.at(bob, (files) => files.look('/made'));
  const { fileSystem } = ada.daemon;
  const { handle } = await cluster.run(fileSystem.open(fid, { mode: 'read' }));
  await cluster.run(fileSystem.abandon(handle));
  cluster.cut(bob);
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
  await cluster.pass(minutes(1));
  await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
  await cluster.run(ada.daemon.flush(null), "ada's flush", minutes(2));
  return { cluster, ada, bob, fid };
}

it('a file whose name is unknown to its laptop is offered in the root as "recovered"', async () => {
  const { cluster, ada, fid } = await restoredForAda();
  expect(await cluster.at(ada, (files) => files.names('/'))).toEqual([`recovered ${fid}`]);
  expect(await cluster.at(ada, (files) => files.read(`/recovered ${fid}`))).toBe('by bob');
});

it('a recovered file gets its name back from a laptop that knows it', async () => {
  const { cluster, ada, bob } = await restoredForAda();
  cluster.heal(bob);
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.run(bob.daemon.flush(null), "bob's flush", minutes(2));
  expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['made']);
  expect(await cluster.at(ada, (files) => files.read('/made'))).toBe('by bob');
});

/** A server that is put back, and what people do about it then. */
import { expect, it } from '@jest/globals';
import { minutes, seconds } from '../../../../shared/model/time.ts';
import { begun, targetOf } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import { bitRot } from './disk-trouble.ts';
import { restored } from './restored.ts';
import { deviceRevoked } from './rights.ts';

async function saved(): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ clients: 1 });
  const ada = cluster.clients[0] as ClientNode;
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada };
}

it('the fault uses no backup of rotten contents', async () => {
  const { cluster } = await saved();
  const healed = await begun(cluster, bitRot, { machine: -1, file: 0, bit: 3 });
  const event = { family: 'restored', lastsMs: 0 };
  expect(await restored.begin(event, targetOf(cluster))).toBeNull();
  await healed();
  expect(await restored.begin(event, targetOf(cluster))).not.toBeNull();
});

it('the fault invites devices again that were paired after the backup', async () => {
  const { cluster } = await saved();
  const putBack = await begun(cluster, restored, {});
  const bob = cluster.add();
  await cluster.run(bob.start(), 'bob to start');
  const isKnown = (): boolean =>
    cluster.server.metaStore.deviceOf(bob.identity.fingerprint) !== null;
  await cluster.until(isKnown, 'bob to be paired', seconds(10));
  cluster.network.lose(bob.name, SERVER_HOST, ['client', 'server']);
  expect(bob.clientStore.meta('device')).toBeUndefined();
  await putBack();
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
});

it('the fault revokes the intended device, whatever its number is by then', async () => {
  const { cluster, ada } = await saved();
  const putBack = await begun(cluster, restored, {});
  const bob = await cluster.join();
  bob.crash();
  await putBack();
  const cleo = await cluster.join();
  await cluster.run(bob.start(), 'bob to start');
  await begun(cluster, deviceRevoked, { laptop: 1 });
  const { metaStore } = cluster.server;
  expect([ada, cleo].map(({ identity }) => metaStore.isRevoked(identity.fingerprint))).toEqual([
    false,
    false,
  ]);
});

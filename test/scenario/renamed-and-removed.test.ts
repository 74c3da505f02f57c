/** A file is renamed here and removed elsewhere while its contents are being sent: they get the new name. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { agreed } from './agreed.ts';

const SLOW = { bytesPerSecond: 10_000 };
const contents = 'what ada wrote '.repeat(4_000);
const other = 'the other file';

async function removedWhileItIsSent(): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/other', other));
  await cluster.settled();
  cluster.network.shape('ada', 'server', SLOW);
  await cluster.at(ada, (files) => files.write('/doc', contents));
  const { fid } = await cluster.at(ada, (files) => files.look('/doc'));
  await cluster.until(() => bob.replica.vnodes.has(fid), 'bob to see it');
  await cluster.at(bob, (files) => files.remove('/doc'));
  return { cluster, ada };
}

async function lengths(cluster: Cluster): Promise<Record<string, number | undefined>> {
  const shown = Object.entries(await agreed(cluster));
  return Object.fromEntries(shown.map(([path, content]) => [path, content?.length]));
}

it('a file that was removed elsewhere during its upload has the last name that its owner gave it', async () => {
  const { cluster, ada } = await removedWhileItIsSent();
  await cluster.at(ada, (files) => files.rename('/doc', '/kept'));
  expect(await lengths(cluster)).toEqual({ '/other': other.length, '/kept': contents.length });
});

it('a file that was removed elsewhere keeps its new name when another file takes the old one', async () => {
  const { cluster, ada } = await removedWhileItIsSent();
  const refusals = (): number => ada.log.lines.filter((l) => l.message === 'update refused').length;
  await cluster.at(ada, (files) => files.rename('/doc', '/kept'));
  await cluster.until(() => refusals() > 0, 'the rename to be refused');
  await cluster.at(ada, (files) => files.rename('/other', '/doc'));
  expect(await lengths(cluster)).toEqual({ '/doc': other.length, '/kept': contents.length });
});

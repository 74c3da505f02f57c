/**
 * A file is written under a temporary name and renamed when it is whole (rule W1, promise 4): whoever sees its new name sees all of it,
 * also where half of it was synced before.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const HALF = 'half ';
const WHOLE = 'whole '.repeat(5000);

/** Starts with half of `/part` on both laptops and a slow network to the server. */
async function halfSynced(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/part', HALF));
  await cluster.settled();
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 3000 });
  return { cluster, ada, bob };
}

/** All texts that bob sees at this path until it is complete. */
async function shownOf(cluster: Cluster, bob: ClientNode, path: string): Promise<Set<unknown>> {
  const shown = new Set<unknown>();
  const isThere = (): boolean => {
    const text = cluster.shown(bob)[path];
    if (text !== undefined) shown.add(text);
    return text === WHOLE;
  };
  await cluster.until(isThere, 'bob to have it whole', minutes(2));
  return shown;
}

it('a renamed file is never shown under its new name with less than its contents', async () => {
  const { cluster, ada, bob } = await halfSynced();
  await cluster.at(ada, (files) => files.write('/part', WHOLE));
  await cluster.at(ada, (files) => files.rename('/part', '/doc'));
  expect(await shownOf(cluster, bob, '/doc')).toEqual(new Set([WHOLE]));
  expect(await agreed(cluster)).toEqual({ '/doc': WHOLE });
});

it('a hard-linked file is never shown under its second name with less than its contents', async () => {
  const { cluster, ada, bob } = await halfSynced();
  await cluster.at(ada, (files) => files.write('/part', WHOLE));
  await cluster.at(ada, (files) => files.link('/part', '/doc'));
  expect(await shownOf(cluster, bob, '/doc')).toEqual(new Set([WHOLE]));
});

it('a long store delays neither the rename of its directory nor other files in it', async () => {
  const { cluster, ada, bob } = await halfSynced();
  await cluster.at(ada, (files) => files.mkdir('/dir'));
  await cluster.at(ada, (files) => files.write('/dir/large', WHOLE));
  await cluster.at(ada, (files) => files.rename('/dir', '/moved'));
  await cluster.at(ada, (files) => files.mkdir('/moved/inner'));
  await cluster.until(() => '/moved/inner' in cluster.shown(bob), 'it to be moved', seconds(5));
  expect(cluster.shown(bob)).not.toHaveProperty('/moved/large', WHOLE);
  expect(await shownOf(cluster, bob, '/moved/large')).toEqual(new Set([WHOLE]));
});

it('a renamed file whose old name was removed elsewhere arrives whole under its new name', async () => {
  const { cluster, ada, bob } = await halfSynced();
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/part', WHOLE));
  await cluster.at(ada, (files) => files.rename('/part', '/doc'));
  await cluster.at(bob, (files) => files.remove('/part'));
  await cluster.settled([bob]);
  cluster.heal(ada);
  expect(await shownOf(cluster, bob, '/doc')).toEqual(new Set([WHOLE]));
  expect(await agreed(cluster)).toEqual({ '/doc': WHOLE });
});

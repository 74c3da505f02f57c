/** In folders: a small save is on the other laptop soon, whatever large things are on their way there. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

const SLOW = { bytesPerSecond: 50_000 };
const LONG = 'x'.repeat(2_000_000);

/** Both have the file in their folders; no program of Bob's reads it through the daemon. */
async function begun(): Promise<Pair> {
  const cluster = await Cluster.start({ seed: 1, partial: null });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

const write = ({ cluster, ada }: Pair, path: string, text: string) =>
  cluster.at(ada, (files) => files.write(path, text));
const sees = ({ cluster, bob }: Pair, text: string) =>
  cluster.until(() => cluster.shown(bob)['/doc'] === text, `bob to see ${text}`, seconds(5));

it('beside the upload of a long new file', async () => {
  const pair = await begun();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, SLOW);
  await write(pair, '/long', LONG);
  await cluster.pass(seconds(2));
  await write(pair, '/doc', 'second');
  await sees(pair, 'second');
  expect(ada.status.queues.data.updates).toBe(1);
});

it('saved as editors do it: under another name, and renamed', async () => {
  const pair = await begun();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, SLOW);
  await write(pair, '/long', LONG);
  await cluster.pass(seconds(2));
  await cluster.at(ada, async (files) => {
    await files.write('/doc~', 'second');
    await files.rename('/doc~', '/doc');
  });
  await sees(pair, 'second');
  expect(ada.status.queues.data.updates).toBe(1);
});

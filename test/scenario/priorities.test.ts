/** A background upload delays nobody (modeless scheduling), in virtual time at 64 KB/s. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';

const SLOW = { delayMs: 20, bytesPerSecond: 64_000, queueMs: 50 };
const BIG = 2_000_000;

/** Two laptops on slow lines that fetch on demand; ada uploads a file that takes half a minute. */
async function uploading(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(bob, async (files) => {
    await files.write('/small', 'small');
    await files.mkdir('/dir');
  });
  await cluster.settled();
  for (const { name } of [ada, bob]) {
    cluster.network.shape(name, SERVER_HOST, SLOW);
    cluster.network.shape(SERVER_HOST, name, SLOW);
  }
  await cluster.at(ada, (files) => files.write('/big', new Uint8Array(BIG)));
  await cluster.pass(seconds(5));
  expect(ada.status.queues.data.updates).toBe(1);
  return { cluster, ada, bob };
}

describe('a large store that is under way', () => {
  it.each<[string, (files: UserFiles) => Promise<unknown>]>([
    ['a look at a folder', (files) => files.names('/dir')],
    ['a look at a file', (files) => files.look('/small')],
    ['a small fetch', (files) => files.read('/small')],
  ])('delays no other work: %s takes only a few round trips', async (_, work) => {
    const { cluster, ada } = await uploading();
    const start = cluster.world.time.now();
    await cluster.at(ada, work);
    expect(cluster.world.time.now() - start).toBeLessThan(600);
    expect(ada.status.queues.data.updates).toBe(1);
  });

  it('lets a metadata update pass', async () => {
    const { cluster, ada, bob } = await uploading();
    await cluster.at(ada, (files) => files.mkdir('/made meanwhile'));
    await cluster.pass(seconds(1));
    expect(await cluster.at(bob, (files) => files.names('/'))).toContain('made meanwhile');
    expect(ada.status.queues.data.updates).toBe(1);
  });

  it('uses the full rate of the link in spite of priorities', async () => {
    const { cluster, ada } = await uploading();
    await cluster.run(ada.daemon.flush(null));
    const ideal = (BIG / SLOW.bytesPerSecond) * 1000;
    expect(cluster.world.time.now()).toBeLessThan(ideal * 1.1 + 3000);
  });
});

/** A file that is saved again while earlier updates are being sent is sent once (rule W5), and a reader waits for that save only. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';

const RATE = 50_000;
const DOC = 100_000;

/** Ada saves /doc twice, half a second apart, behind twenty files that take ten seconds. */
async function savedTwice(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', partial: null });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: RATE, queueMs: 25 });
  await cluster.at(ada, async (files) => {
    for (let file = 0; file < 20; file++) await files.write(`/file ${file}`, 'x'.repeat(25_000));
  });
  for (const letter of ['y', 'z']) {
    await cluster.at(ada, (files) => files.write('/doc', letter.repeat(DOC)));
    await cluster.pass(seconds(0.5));
  }
  return { cluster, ada, bob };
}

it('only the last version of a file that is saved twice is sent', async () => {
  const { cluster, ada } = await savedTwice();
  await cluster.settled();
  const carried = cluster.network.pipe(ada.name, SERVER_HOST).carriedBytes;
  // Other messages than contents take some bytes, too.
  expect(carried).toBeGreaterThan(20 * 25_000 + DOC);
  expect(carried).toBeLessThan(20 * 25_000 + 1.5 * DOC);
});

it('a reader waits only for the last version of a file that is saved twice', async () => {
  const { cluster, bob } = await savedTwice();
  const start = cluster.world.time.now();
  expect((await cluster.at(bob, (files) => files.read('/doc'))).slice(0, 3)).toBe('zzz');
  // One that had to wait for both would wait for more than four seconds.
  expect(cluster.world.time.now() - start).toBeLessThan((1.4 * 1000 * DOC) / RATE);
});

/** What the status says of the link: rates by class and direction, and the round trip. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { present } from '../../shared/util/assert.ts';
import { seconds } from '../../shared/model/time.ts';

const RATE = 64_000;
const LINE = { delayMs: 20, bytesPerSecond: RATE, queueMs: 50 };

it('an upload is counted in its own class and direction, and in none when it is over', async () => {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.settled();
  cluster.network.shape(ada.name, SERVER_HOST, LINE);
  await cluster.at(ada, (files) => files.write('/big', new Uint8Array(1_000_000)));
  await cluster.pass(seconds(8));
  const rates = present(ada.daemon.snapshot().link.rates, 'a daemon tells its rates');
  for (const rate of [rates.up, rates.classes.STORE_DATA.up]) {
    expect(rate / RATE).toBeGreaterThan(0.85);
    expect(rate / RATE).toBeLessThan(1.15);
  }
  expect(rates.classes.STORE_DATA.down).toBe(0);
  expect(rates.classes.FETCH).toEqual({ up: 0, down: 0 });
  const { rttMs, baseRttMs, bulkBytesPerSecond } = ada.daemon.snapshot().link;
  expect(bulkBytesPerSecond).toBe(LINE.bytesPerSecond);
  expect(present(baseRttMs ?? null, 'told')).toBeLessThan(present(rttMs, 'told'));
  await cluster.run(ada.daemon.flush(null));
  await cluster.pass(seconds(6));
  const { up, classes } = present(ada.daemon.snapshot().link.rates, 'likewise');
  expect([up, classes.STORE_DATA.up]).toEqual([0, 0]);
  // Nobody fetched it.
  expect(bob.daemon.snapshot().link.rates?.classes.FETCH.down).toBe(0);
});

it('small contents count in the rates although their progress is not reported', async () => {
  const cluster = await Cluster.start({ seed: 2, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/small', new Uint8Array(5_000)));
  await cluster.run(ada.daemon.flush(null));
  await cluster.at(bob, (files) => files.read('/small'));
  // A status is made anew four times a second.
  await cluster.pass(seconds(1));
  const up = ada.daemon.snapshot().link.rates?.classes.STORE_DATA.up ?? 0;
  const down = bob.daemon.snapshot().link.rates?.classes.FETCH.down ?? 0;
  expect(up).toBeGreaterThan(500);
  expect(down).toBeGreaterThan(500);
});

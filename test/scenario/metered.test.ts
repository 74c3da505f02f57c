/** Metered networks: which updates and fetches wait, which do not, and that nothing is lost. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { seconds } from '../../shared/model/time.ts';
import { NO_RULE, type NetworkFacts, type NetworkRule } from '../../shared/model/network.ts';

const CAFE: NetworkFacts = {
  name: 'Café',
  kind: 'wifi',
  metered: true,
  why: 'a test says so',
  interface: 'wlan0',
  gateway: '10.0.0.1',
};
const HOME: NetworkFacts = { ...CAFE, name: 'Home', metered: false };

/** Two laptops that fetch on demand; ada is at the café, with such a rule. */
async function atTheCafe(
  rule: Partial<NetworkRule>,
): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.run(ada.daemon.ruleNetwork(CAFE.name, { ...NO_RULE, ...rule }));
  ada.daemon.networkIs(CAFE, 0);
  await cluster.settled();
  return { cluster, ada, bob };
}

const network = (ada: ClientNode) => ada.daemon.snapshot().network ?? null;

it('a metered network with a pause holds contents back visibly while metadata and demand fetches go on', async () => {
  const { cluster, ada, bob } = await atTheCafe({ pause: true });
  await cluster.at(ada, async (files) => {
    await files.write('/large', new Uint8Array(300_000));
    await files.mkdir('/dir');
  });
  await cluster.at(bob, (files) => files.write('/of bob', 'hello'));
  await cluster.pass(seconds(60));
  expect(await cluster.at(bob, (files) => files.names('/'))).toContain('dir');
  expect(await cluster.at(ada, (files) => files.read('/of bob'))).toBe('hello');
  expect(ada.daemon.snapshot()).toMatchObject({
    state: 'trickling',
    queues: { data: { updates: 1 } },
  });
  expect(network(ada)).toMatchObject({ background: 'waits', until: null, waiting: { stores: 1 } });
  const [held] = (await cluster.run(ada.daemon.queue({ most: 10 }))).entries;
  expect(held).toMatchObject({ reason: 'contents wait on Café', until: null, seconds: null });
  const { estimate } = ada.daemon.snapshot().queues.data;
  expect(estimate).toMatchObject({ seconds: null, why: 'contents wait on Café' });
  ada.daemon.networkIs(HOME, 0);
  await cluster.run(ada.daemon.flush(null));
  // A status is made anew four times a second.
  await cluster.pass(seconds(1));
  expect(ada.daemon.snapshot().state).toBe('idle');
});

it('a paused network holds back contents in strict order but lets expedited ones through', async () => {
  const { cluster, ada, bob } = await atTheCafe({ pause: true });
  await cluster.run(ada.daemon.writeback({ policy: 'logging' }));
  await cluster.at(ada, async (files) => {
    await files.write('/a', new Uint8Array(1_000));
    await files.write('/b', 'b');
  });
  await cluster.pass(seconds(60));
  expect(ada.daemon.snapshot().queues.data).toMatchObject({ updates: 2, inFlight: 0 });
  const target = { volume: 'home', path: ['a'] };
  await cluster.run(ada.daemon.orderQueue({ act: 'now', target, withDependents: false }));
  await cluster.pass(seconds(5));
  expect(await cluster.at(bob, (files) => files.read('/a'))).toHaveLength(1_000);
  await cluster.pass(seconds(1));
  expect(ada.daemon.snapshot().queues.data).toMatchObject({ updates: 1 });
});

it('a spent budget stops an upload midway, also after a crash, until it is lifted', async () => {
  const { cluster, ada } = await atTheCafe({ budget: 1_000_000, trickle: 1_000_000_000 });
  cluster.network.shape(ada.name, 'server', { delayMs: 20, bytesPerSecond: 250_000, queueMs: 50 });
  await cluster.at(ada, (files) => files.write('/large', new Uint8Array(2_000_000)));
  await cluster.pass(seconds(120));
  const { used = 0, until = null, background } = network(ada) ?? {};
  expect(background).toBe('waits');
  expect(until).not.toBe(null);
  expect(used).toBeGreaterThan(1_000_000);
  // The link reports these bytes a moment late.
  expect(used).toBeLessThan(1_400_000);
  await cluster.restart(ada);
  ada.daemon.networkIs(CAFE, 0);
  await cluster.pass(seconds(60));
  expect(network(ada)?.background).toBe('waits');
  await cluster.run(
    ada.daemon.ruleNetwork(CAFE.name, { metered: 'no', budget: null, trickle: null }),
  );
  await cluster.run(ada.daemon.flush(null));
});

it('a flush that ignores the budget sends what is queued, and later changes wait again', async () => {
  const { cluster, ada, bob } = await atTheCafe({ pause: true });
  await cluster.at(ada, (files) => files.write('/large', new Uint8Array(300_000)));
  const waiting = ada.daemon.flush(5_000);
  await expect(cluster.run(waiting)).rejects.toMatchObject({ code: 'timed-out' });
  await cluster.run(ada.daemon.flush(null, true));
  expect(await cluster.at(bob, (files) => files.read('/large'))).toHaveLength(300_000);
  await cluster.at(ada, (files) => files.write('/later', 'later'));
  await cluster.pass(seconds(60));
  expect(ada.daemon.snapshot().queues.data).toMatchObject({ updates: 1 });
  cluster.cut(ada);
  await cluster.until(() => !ada.status.connected, 'ada to be away');
  const given = ada.daemon.flush(5_000, true);
  await expect(cluster.run(given)).rejects.toMatchObject({ code: 'timed-out' });
  cluster.heal(ada);
  await cluster.pass(seconds(60));
  expect(ada.daemon.snapshot().queues.data).toMatchObject({ updates: 1 });
});

it('a trickled upload keeps to its rate over time and completes', async () => {
  const { cluster, ada } = await atTheCafe({ trickle: 100_000 });
  cluster.network.shape(ada.name, 'server', { delayMs: 20, bytesPerSecond: 500_000, queueMs: 50 });
  await cluster.at(ada, (files) => files.write('/large', new Uint8Array(2_500_000)));
  const began = cluster.world.time.now();
  await cluster.pass(seconds(20));
  expect(network(ada)).toMatchObject({ background: 'trickles', trickle: 100_000 });
  expect(ada.daemon.snapshot().state).toBe('trickling');
  await cluster.run(ada.daemon.flush(null));
  const took = (cluster.world.time.now() - began) / 1000;
  expect(took).toBeGreaterThan(15);
  expect(took).toBeLessThan(50);
});

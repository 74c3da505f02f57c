/** Limits on the contents that a laptop sends and receives: how long things take, what goes first, and what is kept. In simulated time. */
import { afterEach, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { LimitsChange } from '../../shared/model/transfer-limits.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { limitBurst } from '../../shared/ports/transport.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { PROTOCOL } from '../../shared/wire/rpcs.ts';

const RATE = 50_000;
const LARGE = 1_000_000;
/** Milliseconds that LARGE takes at RATE, at least. */
const LEAST_MS = ((LARGE - limitBurst(RATE)) / RATE) * 1000;
/** What else it takes: round trips, disks, and the look of a replica for changes. */
const BESIDE_MS = 3_000;

const protocol = PROTOCOL.max;
afterEach(() => {
  Object.assign(PROTOCOL, { max: protocol });
});

const drawn = new SeededRandom(5);
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => drawn.below(256));

interface Two {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

async function two(limits: { ada?: LimitsChange; bob?: LimitsChange }): Promise<Two> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  if (limits.ada !== undefined) await cluster.run(ada.daemon.limits(limits.ada));
  if (limits.bob !== undefined) await cluster.run(bob.daemon.limits(limits.bob));
  await cluster.settled();
  return { cluster, ada, bob };
}

/** How long the work takes, in milliseconds of simulated time. */
async function timed({ cluster }: Two, work: () => Promise<unknown>): Promise<number> {
  const began = cluster.world.time.now();
  await work();
  return cluster.world.time.now() - began;
}

/** Until a laptop shows a file of so many bytes. */
const shown = ({ cluster }: Two, at: ClientNode, path: string, length: number): Promise<void> =>
  cluster.until(() => at.replica.tree().get(path)?.bytes?.length === length, path, minutes(30));

const flush = ({ cluster, ada }: Two): Promise<void> =>
  cluster.run(ada.daemon.flush(null), 'a flush', minutes(30));

it('a large file is sent at the limit, neither faster nor much slower', async () => {
  const run = await two({ ada: { upload: RATE } });
  await run.cluster.at(run.ada, (files) => files.write('/large', bytes(LARGE)));
  const took = await timed(run, () => flush(run));
  expect(took).toBeGreaterThan(LEAST_MS);
  expect(took).toBeLessThan((LARGE / RATE) * 1000 + BESIDE_MS);
});

it('a large file is received at the limit, also when a program waits for it', async () => {
  for (const frontEnd of ['folder', 'none'] as const) {
    const cluster = await Cluster.start({ seed: 1, frontEnd });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    const run = { cluster, ada, bob };
    await cluster.run(bob.daemon.limits({ download: RATE }));
    await cluster.at(ada, (files) => files.write('/large', bytes(LARGE)));
    await flush(run);
    const took = await timed(run, () =>
      frontEnd === 'folder'
        ? shown(run, bob, '/large', LARGE)
        : cluster.at(bob, (files) => files.read('/large')),
    );
    // A folder began when the commit was made.
    expect(took).toBeGreaterThan(LEAST_MS - BESIDE_MS);
    expect(took).toBeLessThan((LARGE / RATE) * 1000 + BESIDE_MS);
  }
});

it('a small save does not wait behind a large one that a limit slows down', async () => {
  const run = await two({ ada: { upload: RATE } });
  const { cluster, ada, bob } = run;
  await cluster.at(ada, (files) => files.write('/large', bytes(LARGE)));
  await cluster.pass(seconds(2));
  await cluster.at(ada, (files) => files.write('/small', bytes(2_000)));
  const took = await timed(run, () => shown(run, bob, '/small', 2_000));
  expect(took).toBeLessThan(BESIDE_MS);
  expect(bob.replica.tree().has('/large')).toBe(false);
});

it('names and questions are not held back by a limit that is used up', async () => {
  const run = await two({ ada: { upload: 10_000 } });
  const { cluster, ada, bob } = run;
  await cluster.at(ada, (files) => files.write('/large', bytes(LARGE)));
  await cluster.pass(seconds(5));
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  const isThere = () => bob.replica.tree().has('/folder');
  expect(await timed(run, () => cluster.until(isThere, 'the folder'))).toBeLessThan(BESIDE_MS);
});

it('a limit is in force at once and is gone at once, in the middle of a file', async () => {
  const run = await two({});
  const { cluster, ada } = run;
  cluster.network.shape(ada.name, 'server', { bytesPerSecond: 1_000_000 });
  await cluster.at(ada, (files) => files.write('/large', bytes(2 * LARGE)));
  await cluster.pass(seconds(1));
  await cluster.run(ada.daemon.limits({ upload: 10_000 }));
  // Of what has left already, a part is told of a moment later.
  await cluster.pass(seconds(1));
  const before = ada.status.queues.data.sentBytes;
  await cluster.pass(seconds(60));
  expect(ada.status.queues.data.sentBytes - before).toBeLessThan(700_000);
  expect(ada.status.queues.data.updates).toBe(1);
  await cluster.run(ada.daemon.limits({ upload: null }));
  expect(await timed(run, () => flush(run))).toBeLessThan(BESIDE_MS);
});

it('limits are kept over a restart and over new connections, and the server hears of them again', async () => {
  const run = await two({ ada: { upload: RATE }, bob: { download: RATE } });
  const { cluster, ada, bob } = run;
  await cluster.restart(ada);
  await cluster.restart(bob);
  await cluster.restart(cluster.server);
  await cluster.settled();
  expect(await cluster.run(bob.daemon.limits({}))).toEqual({ upload: null, download: RATE });
  expect(bob.status.limits).toEqual({ upload: null, download: RATE, server: 'paces' });
  expect(ada.status.limits).toEqual({ upload: RATE, download: null, server: 'paces' });
  await cluster.at(ada, (files) => files.write('/large', bytes(LARGE)));
  expect(await timed(run, () => flush(run))).toBeGreaterThan(LEAST_MS);
  const took = await timed(run, () => shown(run, bob, '/large', LARGE));
  expect(took).toBeGreaterThan(LEAST_MS - BESIDE_MS);
});

it('a server that is too old hears of no limit, and the status shows that', async () => {
  const { ada: now } = await two({});
  expect(now.status).not.toHaveProperty('limits');
  Object.assign(PROTOCOL, { max: 5 });
  const { cluster, ada } = await two({ ada: { upload: RATE, download: RATE } });
  expect(ada.status.limits).toEqual({ upload: RATE, download: RATE, server: 'too-old' });
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
});

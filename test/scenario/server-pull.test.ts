/** A reader wants a file for which another laptop has a hidden update: that laptop sends it at once, or answers that none will come (S2, S4, S5). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

/** Starts two laptops that fetch on demand. The file is committed, and bob has never read it. */
async function made(): Promise<Pair> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', partial: null });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

async function read({ cluster, bob }: Pair): Promise<{ text: string; tookMs: number }> {
  const start = cluster.world.time.now();
  const text = await cluster.at(bob, (files) => files.read('/doc'));
  return { text, tookMs: cluster.world.time.now() - start };
}

const docOf = async ({ cluster, bob }: Pair): Promise<Fid> =>
  (await cluster.at(bob, (files) => files.look('/doc'))).fid;

it('a reader sees the last committed version at once when the writer is paused', async () => {
  const pair = await made();
  const { cluster, ada } = pair;
  ada.daemon.pause();
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.pass(seconds(1));
  const { text, tookMs } = await read(pair);
  expect(text).toBe('first');
  expect(tookMs).toBeLessThan(1000);
  ada.daemon.resume();
  await cluster.settled();
  expect(await read(pair)).toMatchObject({ text: 'second' });
});

it('a reader sees the last committed version at once when the writer ends while he waits', async () => {
  const pair = await made();
  const { cluster, ada, bob } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
  await cluster.at(ada, (files) => files.write('/doc', 'x'.repeat(1_000_000)));
  await cluster.pass(seconds(1));
  const reading = cluster.at(bob, (files) => files.read('/doc'));
  await cluster.pass(seconds(0.5));
  await cluster.run(ada.close(), 'ada to end');
  const start = cluster.world.time.now();
  expect(await reading).toBe('first');
  expect(cluster.world.time.now() - start).toBeLessThan(1000);
  const again = await read(pair);
  expect(again.text).toBe('first');
  expect(again.tookMs).toBeLessThan(1000);
});

it('a reader hurries a save, and the save before it, past a long upload', async () => {
  const pair = await made();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
  await cluster.at(ada, (files) => files.write('/long', 'x'.repeat(1_000_000)));
  await cluster.pass(seconds(1));
  for (const letter of ['x', 'y']) {
    await cluster.at(ada, (files) => files.write('/doc', letter.repeat(50_000)));
    await cluster.pass(seconds(0.5));
  }
  const { text, tookMs } = await read(pair);
  expect(text.slice(0, 5)).toBe('yyyyy');
  // The upload before it takes twenty seconds.
  expect(tookMs).toBeLessThan(4000);
  expect(ada.daemon.inside.log.unanswered).toBeGreaterThan(0);
});

it('a reader hurries a save that is not on its way yet past the limit of stores under way', async () => {
  const pair = await made();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
  await cluster.at(ada, async (files) => {
    for (let file = 0; file < 150; file++) await files.write(`/file ${file}`, 'x'.repeat(25_000));
    await files.write('/doc', 'second');
  });
  await cluster.pass(seconds(1));
  const { text, tookMs } = await read(pair);
  expect(text).toBe('second');
  // The updates before it take more than a minute.
  expect(tookMs).toBeLessThan(4000);
});

it.each([1000, 50_000])(
  'a reader hurries a save of %i bytes past a long upload although he has the file',
  async (size) => {
    const pair = await made();
    const { cluster, ada, bob } = pair;
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
    await cluster.at(ada, (files) => files.write('/long', 'x'.repeat(1_000_000)));
    await cluster.pass(seconds(1));
    // This makes ada announce the update to the server.
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/doc', 'z'.repeat(size)));
    await cluster.pass(seconds(1));
    ada.daemon.resume();
    const { text, tookMs } = await read(pair);
    expect(text.slice(0, 5)).toBe('zzzzz');
    expect(tookMs).toBeLessThan(4000);
    expect(ada.daemon.inside.log.unanswered).toBeGreaterThan(0);
  },
);

describe('a reader when the link of the writer is cut', () => {
  it.each(['before', 'while'])(
    'sees the last committed version soon when the cut is %s the save, and then the save',
    async (when) => {
      const pair = await made();
      const { cluster, ada, bob } = pair;
      await cluster.at(bob, (files) => files.read('/doc'));
      cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
      await cluster.at(ada, (files) => files.write('/doc', 'z'.repeat(200_000)));
      const doc = await docOf(pair);
      await cluster.until(() => !bob.daemon.inside.sharing.promises.usable(doc), 'bob to be told');
      if (when === 'before') cluster.cut(ada);
      const start = cluster.world.time.now();
      cluster.world.time.in(200, 'the line is cut', () => cluster.cut(ada));
      const { attributes, bytes } = await cluster.at(bob, (files) => files.opened('/doc'));
      expect([new TextDecoder().decode(bytes), attributes.behind]).toEqual(['first', true]);
      expect(cluster.world.time.now() - start).toBeLessThan(2500);
      // Who reads it now need not wait to find that out.
      const { text, tookMs } = await read(pair);
      expect(text).toBe('first');
      expect(tookMs).toBeLessThan(100);
      cluster.heal(ada);
      await cluster.settled([ada]);
      expect((await read(pair)).text).toBe('z'.repeat(200_000));
      expect(bob.daemon.inside.sharing.promises.usable(doc)).toBe(true);
    },
  );

  it('waits for a save again when the link works again', async () => {
    const pair = await made();
    const { cluster, ada } = pair;
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
    await cluster.at(ada, (files) => files.write('/doc', 'z'.repeat(200_000)));
    await cluster.until(
      () => cluster.server.inside.volumes.limits.marks.owners().length > 0,
      'its header',
    );
    cluster.cut(ada);
    expect((await read(pair)).text).toBe('first');
    cluster.heal(ada);
    await cluster.until(
      () => cluster.server.inside.volumes.limits.pulls.size === 0,
      'her answer',
      seconds(2),
    );
    expect((await read(pair)).text).toBe('z'.repeat(200_000));
  });
});

it('a reader waits for a slow link as long as it is alive', async () => {
  const pair = await made();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 20_000 });
  await cluster.at(ada, (files) => files.write('/doc', 'z'.repeat(90_000)));
  await cluster.until(
    () => cluster.server.inside.volumes.limits.marks.owners().length > 0,
    'its header',
  );
  const { text, tookMs } = await read(pair);
  expect(text).toBe('z'.repeat(90_000));
  expect(tookMs).toBeGreaterThan(3000);
});

it('a reader stops waiting when the laptop that was asked goes away', async () => {
  const pair = await made();
  const { cluster, ada, bob } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 5_000 });
  await cluster.at(ada, (files) => files.write('/doc', 'z'.repeat(100_000)));
  await cluster.pass(seconds(1));
  const reading = cluster.at(bob, (files) => files.read('/doc'));
  cluster.cut(ada);
  expect(await reading).toBe('first');
  expect(cluster.server.inside.volumes.limits.waitingFetches.count).toBe(0);
});

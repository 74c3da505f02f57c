/** A laptop has the last committed version of a file while another one has a hidden newer version: readers get the newer one, or the file is flagged as stale (S4). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { SharingSettings } from '../../server/core/events.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

/** Bob has read the file, and has it in his cache. */
async function begun(sharing?: SharingSettings): Promise<Pair> {
  const options = sharing === undefined ? {} : { sharing };
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', partial: null, ...options });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.read('/doc'));
  return { cluster, ada, bob };
}

async function read({ cluster, bob }: Pair) {
  const start = cluster.world.time.now();
  const { attributes, bytes } = await cluster.at(bob, (files) => files.opened('/doc'));
  const text = new TextDecoder().decode(bytes);
  return { text, behind: attributes.behind === true, tookMs: cluster.world.time.now() - start };
}

async function save({ cluster, ada }: Pair, text: string): Promise<void> {
  await cluster.at(ada, (files) => files.write('/doc', text));
  await cluster.pass(seconds(1));
}

it('a reader gets a save that is queued behind a long upload although he has the last committed version', async () => {
  const pair = await begun();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
  await cluster.at(ada, (files) => files.write('/long', 'x'.repeat(1_000_000)));
  await save(pair, 'second'.repeat(5000));
  const { text, behind, tookMs } = await read(pair);
  expect([text.slice(0, 6), behind]).toEqual(['second', false]);
  expect(tookMs).toBeLessThan(4000);
});

it('a reader learns that his version is behind after the longest time that the server lets readers wait', async () => {
  const pair = await begun({ period: minutes(10), readerWait: seconds(1) });
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 1000 });
  await save(pair, 'second'.repeat(5000));
  await cluster.until(
    () => cluster.server.inside.volumes.limits.marks.owners().length > 0,
    'its header',
  );
  await cluster.pass(seconds(0.5));
  const { text, behind, tookMs } = await read(pair);
  expect([text, behind]).toEqual(['first', true]);
  expect(tookMs).toBeLessThan(2000);
});

it('a reader learns at once that his version is behind when nothing is coming, and fetches nothing', async () => {
  const pair = await begun();
  const { cluster, ada, bob } = pair;
  ada.daemon.pause();
  await save(pair, 'second');
  const before = bob.daemon.inside.session.link.receivedBytes;
  const first = await read(pair);
  expect(first).toMatchObject({ text: 'first', behind: true });
  expect(first.tookMs).toBeLessThan(1000);
  expect(bob.daemon.inside.session.link.receivedBytes - before).toBeLessThan(2000);
  expect((await cluster.at(bob, (files) => files.look('/doc'))).behind).toBe(true);
  ada.daemon.resume();
  await cluster.settled();
  expect(await read(pair)).toMatchObject({ text: 'second', behind: false });
});

it.each(['before', 'while'])(
  'a reader learns that his version is behind when the writer goes away %s he reads',
  async (when) => {
    const pair = await begun();
    const { cluster, ada } = pair;
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 1000 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'.repeat(5000)));
    await cluster.pass(seconds(2));
    if (when === 'before') {
      cluster.cut(ada);
      await cluster.pass(minutes(1));
    }
    const reading = read(pair);
    if (when === 'while') cluster.cut(ada);
    const { text, behind, tookMs } = await reading;
    expect([text, behind]).toEqual(['first', true]);
    if (when === 'before') expect(tookMs).toBeLessThan(1000);
  },
);

it('the server is asked at each open, and a reader with the hidden update himself is not behind', async () => {
  const pair = await begun();
  const { cluster, ada, bob } = pair;
  ada.daemon.pause();
  bob.daemon.pause();
  await save(pair, 'second');
  expect((await read(pair)).behind).toBe(true);
  await cluster.at(bob, (files) => files.write('/doc', 'of bob'));
  const { text, tookMs } = await read(pair);
  expect(text).toBe('of bob');
  expect(tookMs).toBeLessThan(1000);
  for (const each of [ada, bob]) each.daemon.resume();
  await cluster.settled();
  expect((await read(pair)).behind).toBe(false);
});

/** In folders, a small save and a small new file reach the other laptop soon, whatever large contents are on their way. */
import { describe, expect, it } from '@jest/globals';
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

/** Starts two laptops that have the file in their folders. No program of Bob's reads it through the daemon. */
async function begun(): Promise<Pair> {
  const cluster = await Cluster.start({ seed: 1, partial: null });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob };
}

const write = ({ cluster, ada }: Pair, path: string, text: string) =>
  cluster.at(ada, (files) => files.write(path, text));
const sees = ({ cluster, bob }: Pair, text: string, path = '/doc') =>
  cluster.until(() => cluster.shown(bob)[path] === text, `bob to see ${text}`, seconds(5));

it('a small save arrives soon beside the upload of a long new file', async () => {
  const pair = await begun();
  const { cluster, ada } = pair;
  cluster.network.shape(ada.name, SERVER_HOST, SLOW);
  await write(pair, '/long', LONG);
  await cluster.pass(seconds(2));
  await write(pair, '/doc', 'second');
  await sees(pair, 'second');
  expect(ada.status.queues.data.updates).toBe(1);
});

it('a small save by rename, as editors do it, arrives soon beside a long upload', async () => {
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

describe('a small file that is new', () => {
  /** Starts while a long new file is being sent to the server. */
  async function besideLong(): Promise<Pair> {
    const pair = await begun();
    pair.cluster.network.shape(pair.ada.name, SERVER_HOST, SLOW);
    await write(pair, '/long', LONG);
    await pair.cluster.pass(seconds(2));
    return pair;
  }

  it('does not wait for a long upload', async () => {
    const pair = await besideLong();
    await write(pair, '/note', 'new');
    await sees(pair, 'new', '/note');
    expect(pair.ada.status.queues.data.updates).toBe(1);
  });

  it('does not wait for several long uploads', async () => {
    const pair = await besideLong();
    for (const name of ['/longer', '/longest']) await write(pair, name, LONG);
    await write(pair, '/note', 'new');
    await sees(pair, 'new', '/note');
    expect(pair.ada.status.queues.data.updates).toBe(3);
  });

  it('does not wait when it is in a new folder with others', async () => {
    const pair = await besideLong();
    const { cluster, ada } = pair;
    const names = Array.from({ length: 8 }, (_, at) => `/folder/inner/${at}`);
    await cluster.at(ada, async (files) => {
      await files.mkdir('/folder');
      await files.mkdir('/folder/inner');
      for (const name of names) await files.write(name, `in ${name}`);
    });
    for (const name of names) await sees(pair, `in ${name}`, name);
    expect(ada.status.queues.data.updates).toBe(1);
  });

  it('does not wait when it is renamed meanwhile', async () => {
    const pair = await besideLong();
    const { cluster, ada, bob } = pair;
    await cluster.at(ada, async (files) => {
      await files.write('/draft', 'new');
      await files.rename('/draft', '/note');
    });
    await sees(pair, 'new', '/note');
    expect(cluster.shown(bob)).not.toHaveProperty('/draft');
    expect(ada.status.queues.data.updates).toBe(1);
  });

  it('does not wait when it is saved again at once, and can be removed', async () => {
    const pair = await besideLong();
    const { cluster, ada, bob } = pair;
    await write(pair, '/note', 'new');
    await write(pair, '/note', 'newer');
    await sees(pair, 'newer', '/note');
    await cluster.at(ada, (files) => files.remove('/note'));
    const isGone = () => !('/note' in cluster.shown(bob));
    await cluster.until(isGone, 'bob to see that it is gone', seconds(5));
    expect(ada.status.queues.data.updates).toBe(1);
  });

  it('arrives although the link is cut in between', async () => {
    const pair = await besideLong();
    const { cluster, ada } = pair;
    cluster.network.cut(ada.name, SERVER_HOST);
    await write(pair, '/note', 'new');
    await cluster.pass(seconds(1));
    cluster.network.heal(ada.name, SERVER_HOST);
    ada.daemon.networkChanged();
    await sees(pair, 'new', '/note');
  });

  it('does not delay a small save when there are many of them', async () => {
    const pair = await besideLong();
    await pair.cluster.at(pair.ada, async (files) => {
      for (let at = 0; at < 20; at++) await files.write(`/many ${at}`, 'many'.padEnd(40_000));
      await files.write('/doc', 'second');
    });
    await sees(pair, 'second');
    expect(pair.ada.status.queues.data.updates).toBeGreaterThan(15);
  });

  it('leaves a long upload its share when there are many of them', async () => {
    const pair = await besideLong();
    const { cluster, ada, bob } = pair;
    const many = Array.from({ length: 80 }, (_, at) => `/many ${at}`);
    await cluster.at(ada, async (files) => {
      for (const name of many) await files.write(name, name.padEnd(40_000));
    });
    const there = (): number => many.filter((name) => name in cluster.shown(bob)).length;
    for (let waited = 0; waited < 150 && !('/long' in cluster.shown(bob)); waited++) {
      await cluster.pass(seconds(1));
    }
    expect(cluster.shown(bob)).toHaveProperty('/long');
    expect(there()).toBeGreaterThan(30);
    expect(there()).toBeLessThan(78);
    expect(ada.status.queues.data.updates).toBeGreaterThan(0);
    await cluster.settled();
    expect(there()).toBe(80);
  });
});

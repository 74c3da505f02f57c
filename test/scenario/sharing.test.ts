/** The changes of one laptop show on the others. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { agreed } from './agreed.ts';

type Work = (files: UserFiles) => Promise<unknown>;

async function made(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.write('/doc', 'first');
    await files.mkdir('/box');
    await files.write('/box/inner', 'inside');
  });
  await cluster.settled();
  return { cluster, ada, bob };
}

const START = { '/box': null, '/box/inner': 'inside', '/doc': 'first' };

describe("a laptop whose change follows another's", () => {
  it.each<[string, Work, Record<string, string | null>]>([
    ['creates a file', (files) => files.write('/new', 'text'), { ...START, '/new': 'text' }],
    ['makes an empty file', (files) => files.write('/new', ''), { ...START, '/new': '' }],
    [
      'writes a file again',
      (files) => files.write('/doc', 'second'),
      { ...START, '/doc': 'second' },
    ],
    ['makes a folder', (files) => files.mkdir('/dir'), { ...START, '/dir': null }],
    [
      'renames a file',
      (files) => files.rename('/doc', '/box/paper'),
      { '/box': null, '/box/inner': 'inside', '/box/paper': 'first' },
    ],
    [
      'renames a folder',
      (files) => files.rename('/box', '/chest'),
      { '/chest': null, '/chest/inner': 'inside', '/doc': 'first' },
    ],
    [
      'renames over a file',
      (files) => files.rename('/box/inner', '/doc'),
      { '/box': null, '/doc': 'inside' },
    ],
    ['removes a file', (files) => files.remove('/doc'), { '/box': null, '/box/inner': 'inside' }],
    [
      'links a file',
      (files) => files.link('/doc', '/box/link'),
      { ...START, '/box/link': 'first' },
    ],
    ['makes a symlink', (files) => files.symlink('/sym', 'doc'), { ...START, '/sym': null }],
  ])('changes what all laptops show: it %s', async (_, work, shown) => {
    const { cluster, bob } = await made();
    await cluster.at(bob, work);
    expect(await agreed(cluster)).toEqual(shown);
  });

  it('removes a folder with everything in it on all laptops', async () => {
    const { cluster, bob } = await made();
    await cluster.at(bob, async (files) => {
      await files.remove('/box/inner');
      await files.rmdir('/box');
    });
    expect(await agreed(cluster)).toEqual({ '/doc': 'first' });
  });

  it('writes through one of two names, and both show it', async () => {
    const { cluster, ada, bob } = await made();
    await cluster.at(ada, (files) => files.link('/doc', '/other'));
    await cluster.settled();
    await cluster.at(bob, (files) => files.write('/other', 'both'));
    expect(await agreed(cluster)).toEqual({ ...START, '/doc': 'both', '/other': 'both' });
  });

  it('saves as an editor does, and a temporary file replaces the old one', async () => {
    const { cluster, bob } = await made();
    await cluster.at(bob, async (files) => {
      await files.write('/.doc.swp', 'edited');
      await files.rename('/.doc.swp', '/doc');
    });
    expect(await agreed(cluster)).toEqual({ ...START, '/doc': 'edited' });
  });

  it('changes modes and keeps times', async () => {
    const { cluster, ada, bob } = await made();
    await cluster.at(bob, (files) => files.chmod('/doc', 0o755));
    await agreed(cluster);
    const [here, there] = [ada, bob].map((client) => client.replica.tree().get('/doc')?.status);
    expect(here).toEqual(there);
    expect(here?.mode).toBe(0o755);
  });

  it('is caught up from a snapshot by a laptop that joins later', async () => {
    const { cluster, ada } = await made();
    await cluster.at(ada, async (files) => {
      for (let i = 0; i < 600; i++) await files.write(`/box/${i}`, `file ${i}`);
    });
    await cluster.join();
    expect(Object.keys(await agreed(cluster))).toHaveLength(603);
  });
});

it('the cluster produces the same history for the same seed', async () => {
  const history = async (seed: number): Promise<string> => {
    const cluster = await Cluster.start({ seed, clients: 3 });
    for (const client of cluster.clients) {
      await cluster.at(client, (files) => files.write('/doc', `of ${client.name}`));
    }
    await cluster.settled();
    return cluster.world.trace.digest();
  };
  expect(await history(5)).toBe(await history(5));
  expect(await history(5)).not.toBe(await history(6));
});

/** What one laptop removes, many files at once, the others are told of, with who did it, and can bring back. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { minutes, seconds, wallTime } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const MANY = 25;
const names = Array.from({ length: MANY }, (_, n) => `/photos/${n}`);

async function pair(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/photos');
    for (const name of names) await files.write(name, `of ${name}`);
    await files.write('/kept', 'kept');
  });
  await cluster.settled();
  return { cluster, ada, bob };
}

async function removeAll(files: UserFiles): Promise<void> {
  for (const name of names) await files.remove(name);
  await files.rmdir('/photos');
}

async function told(cluster: Cluster, node: ClientNode) {
  await cluster.settled();
  await cluster.pass(seconds(2));
  return node.status.othersRemoved ?? [];
}

describe('many files that another laptop removes', () => {
  it('are reported with who removed them, and not on the laptop that did', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(ada, removeAll);
    expect(await told(cluster, bob)).toMatchObject([
      { by: 'ada', device: ada.device, files: MANY, volume: 'home' },
    ]);
    expect(ada.status.othersRemoved).toBeUndefined();
    expect(ada.status.manyRemoved?.files).toBe(MANY);
    expect(bob.status.manyRemoved).toBeUndefined();
  });

  it.each(['the laptop that removed them', 'the other one'])(
    'are reported no longer when all are there again, brought back by %s',
    async (who) => {
      const { cluster, ada, bob } = await pair();
      await cluster.at(ada, removeAll);
      const [{ device = 0, from = 0, to = 0 } = {}] = await told(cluster, bob);
      const restorer = who === 'the other one' ? bob : ada;
      const order = { path: [], version: null, at: null, to: null };
      const removed = { device, from, to };
      await cluster.run(restorer.daemon.past.restore('home', { ...order, removed }));
      expect(await told(cluster, bob)).toEqual([]);
      expect(ada.status.manyRemoved).toBeUndefined();
      await cluster.restart(bob);
      expect(await told(cluster, bob)).toEqual([]);
    },
  );

  it('are counted without those that somebody has made again', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(ada, removeAll);
    await told(cluster, bob);
    await cluster.at(bob, async (files) => {
      await files.mkdir('/photos');
      for (const name of names.slice(0, 5)) await files.write(name, 'another');
    });
    expect(await told(cluster, bob)).toMatchObject([{ files: MANY - 5 }]);
    expect(ada.status.manyRemoved?.files).toBe(MANY - 5);
  });

  it('are reported again after a restart, here and there', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(ada, removeAll);
    const before = await told(cluster, bob);
    expect(before).toHaveLength(1);
    const { manyRemoved } = ada.status;
    for (const node of [ada, bob]) await cluster.restart(node);
    expect(await told(cluster, bob)).toEqual(before);
    expect(ada.status.manyRemoved).toEqual(manyRemoved);
    await cluster.pass(minutes(49 * 60));
    expect(await told(cluster, bob)).toEqual([]);
    expect(ada.status.manyRemoved).toBeUndefined();
  });

  it('come back with their folder, and nothing else does', async () => {
    const { cluster, ada, bob } = await pair();
    const before = cluster.shown(bob);
    await cluster.at(ada, removeAll);
    const [{ device = 0, from = 0, to = 0 } = {}] = await told(cluster, bob);
    await cluster.at(bob, (files) => files.remove('/kept'));
    await cluster.pass(minutes(1));
    const rest = Object.fromEntries(Object.entries(before).filter(([path]) => path !== '/kept'));
    const order = { path: [], version: null, at: null, to: null, removed: { device, from, to } };
    const report = await cluster.run(bob.daemon.past.restore('home', order));
    expect(report.failed).toEqual([]);
    expect(await agreed(cluster)).toEqual(rest);
  });

  it('come back on the laptop that removed them, as they were before', async () => {
    const { cluster, ada } = await pair();
    const before = cluster.shown(ada);
    await cluster.pass(minutes(1));
    await cluster.at(ada, removeAll);
    await cluster.settled();
    const at = wallTime(Date.parse(ada.status.manyRemoved?.since ?? '') - 2000);
    const order = { path: [], version: null, at, to: null };
    await cluster.run(ada.daemon.past.restore('home', order));
    expect(await agreed(cluster)).toEqual(before);
  });

  it('stay reported when another file is removed much later', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(ada, removeAll);
    await told(cluster, bob);
    await cluster.pass(minutes(2));
    await cluster.at(ada, (files) => files.remove('/kept'));
    expect(await told(cluster, bob)).toMatchObject([{ files: MANY }]);
  });

  it('are reported when a laptop is back, with the time when they went', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    const at = cluster.world.time.now();
    await cluster.at(ada, removeAll);
    await cluster.settled([ada]);
    const [took, now] = [
      cluster.world.time.now() - at,
      Date.parse(ada.status.manyRemoved?.since ?? ''),
    ];
    await cluster.pass(minutes(60));
    cluster.heal(bob);
    const [first] = await told(cluster, bob);
    expect(first).toMatchObject({ by: 'ada', files: MANY });
    expect(Math.abs(Date.parse(first?.since ?? '') - now)).toBeLessThanOrEqual(took + 1000);
  });

  it('are no burst when they went here and there, which a laptop hears of at once', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    for (const name of names) {
      await cluster.at(ada, (files) => files.remove(name));
      await cluster.pass(minutes(5));
    }
    cluster.heal(bob);
    expect(await told(cluster, bob)).toEqual([]);
  });

  it('are none when editors save them', async () => {
    const { cluster, ada, bob } = await pair();
    await cluster.at(ada, async (files) => {
      for (const name of names) {
        await files.write(`${name}.new`, 'saved');
        await files.rename(`${name}.new`, name);
      }
    });
    expect(await told(cluster, bob)).toEqual([]);
  });
});

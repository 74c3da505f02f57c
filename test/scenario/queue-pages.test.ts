/** A long queue is looked through page by page while it changes: nothing is met twice, and nothing missed that was there all along. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { allOfQueue } from '../../shared/control/all-of-queue.ts';
import type { QueueRequest, QueueEntry, QueueReport } from '../../shared/control/queue.ts';
import { minutes } from '../../shared/model/time.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';

const FILES = 40;

interface Away {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly ask: (asked: QueueRequest) => Promise<QueueReport>;
  readonly write: (path: string) => Promise<unknown>;
}

async function away(): Promise<Away> {
  const cluster = await Cluster.start({ seed: 1 });
  await cluster.settled();
  const [ada] = cluster.clients as [ClientNode];
  cluster.cut(ada);
  await cluster.until(() => !ada.status.connected, 'ada to be away');
  return {
    ...{ cluster, ada },
    ask: (asked) => cluster.run(ada.daemon.queue(asked), 'a page of the queue'),
    write: (path) => cluster.at(ada, (files) => files.write(path, path)),
  };
}

const pathOf = ({ kind, path }: QueueEntry): string => `${kind} ${path}`;

/** All pages from `first` on; `meanwhile` happens before each. */
async function rest(
  { ask }: Away,
  first: QueueReport,
  asked: Pick<QueueRequest, 'most' | 'of'>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<QueueEntry[]> {
  const entries = [...first.entries];
  for (let page = first; typeof page.next === 'number';) {
    await meanwhile();
    page = await ask({ ...asked, from: page.next, listing: page.listing });
    entries.push(...page.entries);
  }
  return entries;
}

describe('a queue that is listed in pages', () => {
  it('yields the whole queue in its order', async () => {
    const bench = await away();
    for (let n = 0; n < FILES; n++) await bench.write(`/f${n}`);
    const whole = await bench.ask({ most: 1000 });
    expect(whole).toMatchObject({ total: 2 * FILES, next: null });
    for (const most of [1, 7, 79, 80]) {
      const first = await bench.ask({ most });
      expect(await rest(bench, first, { most })).toEqual(whole.entries);
    }
    const stores = whole.entries.filter(({ kind }) => kind === 'store');
    const first = await bench.ask({ most: 9, of: 'data' });
    expect(first.total).toBe(FILES);
    expect(await rest(bench, first, { most: 9, of: 'data' })).toEqual(stores);
    expect(await allOfQueue(bench.ask)).toMatchObject({ entries: whole.entries });
    expect((await allOfQueue(bench.ask, { most: 3, of: 'data' })).entries).toEqual(
      stores.slice(0, 3),
    );
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'may change between pages (seed %d): no entry comes twice, and none that stays is missed',
    async (seed) => {
      const random = new SeededRandom(seed);
      const bench = await away();
      const { cluster, ada } = bench;
      for (let n = 0; n < FILES; n++) await bench.write(`/f${n}`);
      const before = await allOfQueue(bench.ask);
      let changes = 0;
      const change = async (): Promise<unknown> => {
        changes += 1;
        const path = `/f${random.below(FILES)}`;
        const target = { volume: ada.status.volumes[0]?.name ?? '', path: [path.slice(1)] };
        switch (random.below(4)) {
          case 0:
            return bench.write(`/new-${changes}`);
          case 1:
            return cluster.at(ada, (files) => files.remove(path).catch(() => undefined));
          case 2:
            return bench.write(path).catch(() => undefined);
          default: {
            const act = random.pick(['now', 'later'] as const);
            const order = ada.daemon.orderQueue({ act, target, withDependents: false });
            return cluster.run(
              order.catch(() => undefined),
              act,
            );
          }
        }
      };
      const most = 1 + random.below(9);
      const found = await rest(bench, await bench.ask({ most }), { most }, change);
      expect(changes).toBeGreaterThan(5);
      const numbers = found.map(({ number }) => number);
      expect(new Set(numbers).size).toBe(numbers.length);
      const after = new Set((await allOfQueue(bench.ask)).entries.map(({ number }) => number));
      const stayed = before.entries.filter(({ number }) => after.has(number));
      expect(stayed.length).toBeGreaterThan(FILES / 2);
      expect(numbers).toEqual(expect.arrayContaining(stayed.map(({ number }) => number)));
    },
  );

  it('leaves out updates that were sent between two pages', async () => {
    const bench = await away();
    const { cluster, ada } = bench;
    for (let n = 0; n < FILES; n++) await bench.write(`/f${n}`);
    const first = await bench.ask({ most: 5 });
    cluster.heal(ada);
    await cluster.settled();
    const { entries, next } = await bench.ask({ most: 1000, from: 5, listing: first.listing });
    expect([entries, next]).toEqual([[], null]);
    expect(await bench.ask({ most: 5 })).toMatchObject({ total: 0, entries: [], next: null });
  });

  it('is kept for a minute after its last use, and the least recently used one goes first', async () => {
    const bench = await away();
    const { cluster } = bench;
    for (let n = 0; n < 6; n++) await bench.write(`/f${n}`);
    const { listing } = await bench.ask({ most: 1 });
    const again = () => bench.ask({ most: 1, from: 1, listing });
    await cluster.pass(minutes(0.9));
    expect((await again()).entries).toHaveLength(1);
    // Others begin as many as are kept besides.
    for (let n = 0; n < 9; n++) {
      await bench.write(`/g${n}`);
      await bench.ask({ most: 1 });
      expect((await again()).entries.map(pathOf)).toEqual(['create f1']);
    }
    await cluster.pass(minutes(1.1));
    await bench.ask({ most: 1 });
    await expect(again()).rejects.toMatchObject({ code: 'listing-gone' });
    await expect(bench.ask({ most: 1, listing: 7 })).rejects.toMatchObject({
      code: 'listing-gone',
    });
  });
});

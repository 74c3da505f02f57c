import { expect, it } from '@jest/globals';
import { Cluster } from '../cluster/cluster.ts';
import type { ClientNode } from '../cluster/client-node.ts';

it('the watched link reports every answered update, also of short files sent together', async () => {
  // Contents of so few bytes would go in part, each by itself; over a short line, none waits for another.
  const network = { delayMs: 1000 };
  const cluster = await Cluster.start({ clients: 1, partial: null, network });
  const [ada] = cluster.clients as [ClientNode];
  const decided = new Set<number>();
  const told = new Set<number>();
  cluster.watch((observation) => {
    if (observation.kind === 'told') for (const { seq } of observation.results) told.add(seq);
    if (observation.kind !== 'committed') return;
    for (const write of observation.writes) {
      if (write.kind === 'applied') decided.add(write.result.seq);
    }
  });
  await cluster.at(ada, async (files) => {
    for (let index = 0; index < 20; index++) await files.write(`/f${index}`, `short ${index}`);
  });
  await cluster.settled();
  expect(decided.size).toBe(40);
  expect(told).toEqual(decided);
});

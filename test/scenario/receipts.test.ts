/** A store is sent again while the server does not know whether it was applied: nothing of it stays behind (W4). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agreed } from './agreed.ts';

it('a store whose receipt could not be read is not received again for ever', async () => {
  const cluster = await Cluster.start({ clients: 1, network: { bytesPerSecond: 50_000 } });
  const { server } = cluster;
  const [ada] = cluster.clients as [ClientNode];
  // The text is so large that the server decides about the receipt before the last byte.
  const text = 'text'.repeat(5_000);
  const failing = server.metaStore.troubles;
  let stored = 0;
  let failed = 0;
  cluster.watch((observation) => {
    if (observation.kind !== 'committed') return;
    const kinds = new Set(observation.writes.map(({ kind }) => kind));
    if (kinds.has('content')) {
      stored += 1;
      cluster.network.lose('ada', 'server', ['client', 'server']);
    } else if (stored > 0 && kinds.has('device')) {
      // It has said Hello again, and sends the store once more.
      const over = failing.add((method) => {
        if (method !== 'load' || server.inside.receiving.size === 0) return null;
        failed += 1;
        over();
        return new GodwitError('internal');
      });
    }
  });
  await cluster.at(ada, (files) => files.write('/doc', text));
  await cluster.until(() => failed > 0, 'a receipt that can not be read');
  expect(await agreed(cluster)).toEqual({ '/doc': text });
  expect(stored).toBe(1);
  expect(server.inside.receiving.size).toBe(0);
});

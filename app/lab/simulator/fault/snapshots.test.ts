import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { snapshotsKept } from '../check/snapshots-kept.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { snapshots } from './snapshots.ts';

it('the fault makes, removes, collects and looks back on two laptops with faults between, and the checker finds nothing', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const found: string[] = [];
  const checker = snapshotsKept.make((text) => found.push(text));
  const heard = new Map<string, number>();
  cluster.watch((observation) => {
    checker.hear?.(observation);
    const { kind } = observation;
    const what = kind === 'looked-back' ? observation.told.what : kind;
    heard.set(what, (heard.get(what) ?? 0) + 1);
  });
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  for (let seed = 1; seed <= 40; seed++) {
    const meanwhile = ['nothing', 'cut', 'killed', 'server killed'][seed % 4] ?? '';
    const details = { laptop: seed % 2, seed, acts: 8, meanwhile, lastsMs: 2_000 };
    const end = await begun(cluster, snapshots, details);
    await cluster.pass(milliseconds(1_000));
    await end();
    for (const [client, text] of [
      [ada, `ada ${seed}`],
      [bob, `bob ${seed}`],
    ] as const) {
      if (client.running) await cluster.at(client, (files) => files.write('/folder/file', text));
    }
    await cluster.settled();
  }
  for (const what of ['snapshot-made', 'snapshot-removed', 'forgotten', 'folder', 'contents']) {
    expect([what, heard.get(what)]).toEqual([what, expect.any(Number)]);
  }
  await checker.atRest?.(cluster);
  expect(found).toEqual([]);
});

import { expect, it, jest } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { nothingLost } from '../check/nothing-lost.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { past } from './past.ts';
import { metaFails } from './store-trouble.ts';

it('the fault restores files on two laptops with faults between, reports them, and loses nothing', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const lost: string[] = [];
  const checker = nothingLost.make((text) => lost.push(text));
  const heard = { overwrote: 0, 'brought-back': 0 };
  cluster.watch((observation) => {
    checker.hear?.(observation);
    const { kind } = observation;
    if (kind === 'overwrote' || kind === 'brought-back') heard[kind] += 1;
  });
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  for (const text of ['first', 'second', 'third']) {
    await cluster.at(ada, (files) => files.write('/folder/file', text));
    await cluster.settled();
  }
  await cluster.at(bob, (files) => files.remove('/folder/file'));
  await cluster.settled();
  for (let seed = 1; seed <= 60; seed++) {
    const meanwhile = ['nothing', 'cut', 'killed', 'server killed'][seed % 4] ?? '';
    const end = await begun(cluster, past, { laptop: seed % 2, seed, times: 1, meanwhile });
    await cluster.pass(milliseconds(50 * (seed % 3)));
    await end();
    await cluster.settled();
  }
  expect(heard.overwrote).toBeGreaterThan(5);
  expect(heard['brought-back']).toBeGreaterThan(5);
  expect(cluster.shown(ada)).toEqual(cluster.shown(bob));
  await checker.atRest?.(cluster);
  expect(lost).toEqual([]);
});

it('the fault accepts that a server with a failing database returns no history', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const ada = cluster.clients[0] as ClientNode;
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const fails = { method: 'load', how: 'disk', times: 1_000 };
  const end = await begun(cluster, metaFails, fails);
  const note = jest.spyOn(cluster.world, 'note');
  for (let seed = 1; seed <= 10; seed++) {
    await begun(cluster, past, { laptop: 0, seed, times: 1, meanwhile: 'nothing' });
    await cluster.pass(milliseconds(50));
  }
  await end();
  await cluster.settled();
  expect(note).toHaveBeenCalledWith(expect.stringMatching(/past, .*: internal$/));
});

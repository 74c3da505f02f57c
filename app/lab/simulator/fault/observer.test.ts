import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { nothingLost } from '../check/nothing-lost.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { observer } from './observer.ts';

it('the observer reports changes of two disks, separately and together, with one result', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  await cluster.at(ada, (files) => files.write('/folder/file', 'text'));
  await cluster.settled();
  cluster.cut(bob);
  for (let seed = 1; seed <= 60; seed++) {
    if (seed === 30) cluster.heal(bob);
    await begun(cluster, observer, { laptop: seed % 2, seed });
    await cluster.pass(milliseconds(300));
  }
  await cluster.settled();
  expect(cluster.shown(ada)).toEqual(cluster.shown(bob));
  const told = cluster.world.trace.recent(800).filter((line) => line.endsWith('observer: told'));
  expect(told.length).toBeGreaterThan(5);
});

it('the observer reports what it overwrites, which is not lost', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const lost: string[] = [];
  const checker = nothingLost.make((text) => lost.push(text));
  let overwrote = 0;
  cluster.watch((observation) => {
    checker.hear?.(observation);
    if (observation.kind === 'overwrote') overwrote += 1;
  });
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const attributes = await cluster.at(ada, (files) => files.look('/doc'));
  const operation = { do: 'write', path: '/doc', bytes: 4 } as const;
  const running = { number: 1, client: ada, operation };
  checker.hear?.({ kind: 'wrote', running, path: '/doc', attributes });
  for (let seed = 1; overwrote === 0; seed++) {
    await begun(cluster, observer, { laptop: 0, seed });
    await cluster.settled();
  }
  expect(Object.values(cluster.shown(ada))).not.toContain('text');
  await checker.atRest?.(cluster);
  expect(lost).toEqual([]);
});

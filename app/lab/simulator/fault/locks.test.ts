/** People who lock files: a family that a run has only where it is named. */
import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { makePlan } from '../plan/make-plan.ts';
import { FAULTS } from './faults.ts';
import { locks } from './locks.ts';

it('files are locked, shared, broken and unlocked', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const act = async (laptop: number, what: string): Promise<unknown[]> => {
    await begun(cluster, locks, { laptop, act: what, which: 4 });
    await cluster.pass(seconds(2));
    return [ada, bob].map(({ daemon }) => daemon.inside.locks.own.values().next().value?.mode);
  };
  expect(await act(0, 'lock')).toEqual(['exclusive', undefined]);
  expect(await act(1, 'share')).toEqual(['exclusive', undefined]);
  expect(await act(1, 'break')).toEqual([undefined, undefined]);
  expect(await act(1, 'share')).toEqual([undefined, 'shared']);
  expect(await act(1, 'unlock')).toEqual([undefined, undefined]);
});

it('the events of a plan are there only if the family is named, and change nothing else', () => {
  const [usual, named] = [FAULTS, [...FAULTS, locks]].map((faults) =>
    makePlan({ seed: 7, steps: 60, faults }),
  );
  const isLock = (entry: { kind: string; fault?: { family: string } }): boolean =>
    entry.fault?.family === 'locks';
  expect(named?.entries.filter(isLock).length).toBeGreaterThan(0);
  expect(named?.entries.filter((entry) => !isLock(entry))).toEqual(usual?.entries);
});

/** People who show volumes in folders of others: a family that a run has only where it is named. */
import { expect, it } from '@jest/globals';
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { Cluster, HOME } from '../cluster/cluster.ts';
import { mounts } from './mounts.ts';

const TEAM = 2 as VolumeId;

it('a volume is mounted when the right is given, worked in, and unmounted', async () => {
  const cluster = await Cluster.start({ volumes: 2, clients: 0 });
  const ada = await cluster.join('write', 'ada', { frontEnd: 'none' });
  const bob = await cluster.join('write', 'bob', { volume: TEAM, frontEnd: 'none' });
  const act = async (what: string): Promise<void> => {
    await begun(cluster, mounts, { laptop: 0, act: what, which: 1 });
    await cluster.pass(seconds(3));
  };
  const names = (): Promise<string[]> => cluster.at(ada, (files) => files.names('/'));
  await act('mount');
  expect(await names()).toEqual([]);
  for (const what of ['give', 'mount', 'work', 'remove']) await act(what);
  expect(await names()).toEqual(['m1']);
  expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['of m1']);
  await act('take');
  const [found] = await cluster.run(ada.daemon.programs.readdir(rootOf(HOME)));
  expect(found?.attributes.mounted).toMatchObject({ volume: null });
  for (const what of ['look', 'rename', 'unmount']) await act(what);
  expect(await names()).toEqual(['m0']);
});

import { expect, it } from '@jest/globals';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { sharingKept } from '../check/sharing-kept.ts';
import { Ledgers } from '../check/ledgers.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { sharing } from './sharing.ts';
import type { SharingDeed } from './sharing-act.ts';

const BOBS = 2 as VolumeId;

async function world() {
  const cluster = await Cluster.start({ clients: 1, volumes: 2, frontEnd: 'none' });
  await cluster.join('write', 'bob', { volume: BOBS });
  const found: string[] = [];
  const heard = new Set<string>();
  const checker = sharingKept.make((text) => found.push(text), new Ledgers());
  cluster.watch((observation) => {
    checker.hear?.(observation);
    heard.add(observation.kind === 'decided' ? observation.question.ask : observation.kind);
  });
  let seed = 10;
  const act = async (deed: SharingDeed, laptop: number) => {
    const about = { laptop, other: 1 - laptop, act: deed, which: 0, meanwhile: 'nothing' };
    const end = await begun(cluster, sharing, { ...about, seed: ++seed });
    await cluster.pass(seconds(3));
    return end;
  };
  return { cluster, checker, found, heard, act };
}

it('the fault shares a folder, lets another accept and work in it, and takes it back, and the checker finds nothing', async () => {
  const { cluster, checker, found, heard, act } = await world();
  for (const deed of ['share', 'offer'] as const) await act(deed, 0);
  for (const deed of ['accept', 'work', 'move', 'look', 'spy'] as const) await act(deed, 1);
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const names = () => cluster.at(bob, (files) => files.names('/at0'));
  expect(await names()).toHaveLength(2);
  const back = await act('unshare', 0);
  expect(await names()).toEqual([]);
  await back();
  await cluster.pass(seconds(3));
  expect(await names()).toHaveLength(2);
  await act('leave', 1);
  await cluster.settled();
  await cluster.pass(milliseconds(0));
  await checker.atRest?.(cluster);
  expect(found).toEqual([]);
  expect([...heard]).toEqual(
    expect.arrayContaining(['make-volume', 'set', 'leave', 'shared-work']),
  );
  expect(await cluster.at(ada, (files) => files.names('/s0'))).toHaveLength(2);
});

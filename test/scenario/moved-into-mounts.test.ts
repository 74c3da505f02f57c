/** What programs move into an empty mount point, whose volume is shown there afterwards: the folder around it touches nothing of that volume (rule M2). */
import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { seconds } from '../../shared/model/time.ts';
import {
  mountedLaptops,
  TEAM,
  withdrawnFromBob,
  type MountedLaptop,
  type MountedWorld,
} from '../support/mounted-laptops.ts';

function show({ cluster }: MountedWorld): void {
  cluster.server.metaStore.allow('bob', TEAM, 'write');
}

/** As `godwit queue cancel PATH`. */
async function cancel(cluster: Cluster, laptop: MountedLaptop, path: string): Promise<void> {
  const target = { volume: 'home', path: [path] };
  const order = { act: 'cancel', target, withDependents: true } as const;
  await cluster.run(laptop.node.daemon.orderQueue(order));
}

/** Both say that they are done, show the same, have put nothing aside, and have nothing to list. */
async function expectBoth(world: MountedWorld, all: Record<string, string>): Promise<void> {
  const { ann, bob } = world;
  await bob.flush();
  await ann.flush();
  await bob.until(() => bob.node.status.state === 'idle', 'to be done');
  expect([ann.tree(), bob.tree()]).toEqual([all, all]);
  expect([ann.aside(), bob.aside(), ann.errors(), bob.errors()]).toEqual([[], [], [], []]);
}

const PLAN = { 'team/plan': 'the plan' };

describe('a file or folder that was moved into an empty mount point', () => {
  it("is the other volume's when that is shown again, and stays when the refused move is given up", async () => {
    const world = await withdrawnFromBob();
    const { cluster, ann, bob } = world;
    bob.write('own', 'it moves');
    await bob.flush();
    bob.rename('own', 'team/own');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    show(world);
    await ann.until(() => 'team/own' in ann.tree(), 'to hear of it');
    await cancel(cluster, bob, 'team');
    const all = { own: 'it moves', 'team/': '', 'team/own': 'it moves', ...PLAN };
    await expectBoth(world, all);
  });

  it('stays with all that is in it, where it is a folder and the daemon was killed meanwhile', async () => {
    const world = await withdrawnFromBob();
    const { cluster, ann, bob } = world;
    bob.mkdir('dir');
    bob.mkdir('dir/sub');
    bob.write('dir/sub/deep', 'deep');
    bob.write('dir/doc', 'doc');
    await bob.flush();
    bob.rename('dir', 'team/dir');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    await cluster.restart(bob.node);
    show(world);
    await ann.until(() => ann.tree()['team/dir/sub/deep'] === 'deep', 'to hear of it');
    await cluster.restart(bob.node);
    await bob.until(() => bob.errors().length > 0, 'to list the refused move again');
    await cancel(cluster, bob, 'team');
    const dir = (at: string): Record<string, string> => ({
      ...{ [`${at}dir/`]: '', [`${at}dir/doc`]: 'doc' },
      ...{ [`${at}dir/sub/`]: '', [`${at}dir/sub/deep`]: 'deep' },
    });
    await expectBoth(world, { ...dir(''), 'team/': '', ...dir('team/'), ...PLAN });
  });

  it('goes out again with its bytes if a program moves it back, whatever becomes of the refused move', async () => {
    const world = await withdrawnFromBob();
    const { cluster, ann, bob } = world;
    bob.write('own', 'it moves');
    await bob.flush();
    bob.rename('own', 'team/own');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    show(world);
    await ann.until(() => 'team/own' in ann.tree(), 'to hear of it');
    bob.rename('team/own', 'own');
    await ann.until(() => !('team/own' in ann.tree()), 'to hear that it is gone from there');
    await cluster.pass(seconds(5));
    await cancel(cluster, bob, 'team');
    await bob.flush();
    await ann.flush();
    const all = { own: 'it moves', 'team/': '', ...PLAN };
    expect([ann.tree(), bob.tree()]).toEqual([all, all]);
    // The new file depended on the move, and was given up with it.
    const aside = [['put-aside', '.godwit/lost+found']];
    expect([ann.aside(), bob.aside(), bob.errors()]).toEqual([[], ['it moves'], aside]);
  });

  it('is where it was at last, if the volume is withdrawn once more before the refused move is given up', async () => {
    const world = await withdrawnFromBob();
    const { cluster, ann, bob } = world;
    bob.write('own', 'it moves');
    await bob.flush();
    bob.rename('own', 'team/own');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    show(world);
    await ann.until(() => 'team/own' in ann.tree(), 'to hear of it');
    await cluster.pass(seconds(5));
    cluster.server.metaStore.allow('bob', TEAM, null);
    await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
    await cancel(cluster, bob, 'team');
    await bob.flush();
    await ann.flush();
    expect(bob.tree()).toEqual({ own: 'it moves', 'team/': '' });
    expect(ann.tree()).toEqual({ own: 'it moves', 'team/': '', 'team/own': 'it moves', ...PLAN });
  });
});

describe('a folder of the name of a mount point', () => {
  it('loses nothing that programs have put into it, and takes nothing from the volume', async () => {
    const world = await mountedLaptops();
    const { cluster, ann, bob } = world;
    cluster.cut(bob.node);
    await bob.until(() => !bob.node.status.connected, 'to be cut off');
    bob.mkdir('team');
    bob.write('team/doc', "bob's");
    await ann.mount('team');
    await ann.until(() => 'team/' in ann.tree(), 'to show the mount point');
    ann.write('team/plan', 'the plan');
    await ann.flush();
    await cluster.pass(seconds(5));
    cluster.heal(bob.node);
    await ann.until(() => Object.values(ann.tree()).includes("bob's"), 'to hear of it');
    await bob.until(() => Object.values(bob.tree()).includes('the plan'), 'to show the plan');
    await bob.flush();
    await ann.flush();
    const copy = Object.keys(bob.tree()).find((path) => path.startsWith('team (conflict, bob'));
    expect(ann.tree()).toEqual({
      ...{ 'team/': '', 'team/plan': 'the plan' },
      ...{ [`${copy}`]: '', [`${copy}doc`]: "bob's" },
    });
    expect(bob.tree()).toEqual(ann.tree());
  });
});

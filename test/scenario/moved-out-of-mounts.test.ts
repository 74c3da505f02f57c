/** What programs put into an empty mount point, where it is refused, and take out again: it is synced where it is then (rule M2). */
import { describe, expect, it } from '@jest/globals';
import { HOME, type Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import {
  withdrawnFromBob,
  type MountedLaptop,
  type MountedWorld,
} from '../support/mounted-laptops.ts';

const BLOCKED = { code: 'sync-blocked' };

/** Of ann, who is shown the volume that bob may not see. */
const PLAN = { 'team/': '', 'team/plan': 'the plan' };

/** Both have the same outside of the mount point, and bob has nothing in it and nothing to list. */
async function expectSynced(world: MountedWorld, all: Record<string, string>): Promise<void> {
  const { ann, bob, findings } = world;
  await bob.flush();
  await ann.flush();
  await bob.until(() => bob.node.status.state === 'idle', 'to be done');
  expect(bob.tree()).toEqual({ ...all, 'team/': '' });
  expect(ann.tree()).toEqual({ ...all, ...PLAN });
  expect([bob.errors(), bob.aside(), ann.errors(), ann.aside()]).toEqual([[], [], [], []]);
  expect(findings).toEqual([]);
}

/** Does something to what is in the mount point when that was refused. */
async function refused({ bob }: MountedWorld): Promise<void> {
  await expect(bob.flush()).rejects.toMatchObject(BLOCKED);
}

async function offline({ cluster, bob }: MountedWorld): Promise<void> {
  cluster.cut(bob.node);
  await bob.until(() => !bob.node.status.connected, 'to be cut off');
}

const logged = ({ node }: MountedLaptop): number => node.status.queues.metadata.updates;

function link(bob: MountedLaptop, from: string, to: string): void {
  bob.calls.link(bob.path(from), bob.path(to));
}

/** As `godwit queue cancel PATH`. */
async function cancel(cluster: Cluster, { node }: MountedLaptop, path: string[]): Promise<void> {
  const target = { volume: 'home', path };
  const order = { act: 'cancel', target, withDependents: true } as const;
  await cluster.run(node.daemon.orderQueue(order));
}

describe('a file or folder that was made in an empty mount point', () => {
  it('is synced where it is moved to if it is an empty folder', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.mkdir('team/a');
    await refused(world);
    bob.rename('team/a', 'c');
    await expectSynced(world, { 'c/': '' });
  });

  it('is synced with its contents if it is a file, also over a file that it replaces', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('c', 'old');
    bob.write('team/a', 'new');
    bob.write('team/b', 'other');
    await refused(world);
    bob.rename('team/a', 'c');
    bob.rename('team/b', 'd');
    await expectSynced(world, { c: 'new', d: 'other' });
  });

  it('is synced with all that is in it after a move within the mount point, a kill and a move out of it', async () => {
    const world = await withdrawnFromBob();
    const { cluster, bob } = world;
    bob.mkdir('team/a');
    bob.mkdir('team/a/sub');
    bob.write('team/a/sub/deep', 'deep');
    bob.write('team/a/doc', 'doc');
    await refused(world);
    bob.rename('team/a', 'team/b');
    await refused(world);
    await cluster.restart(bob.node);
    await bob.until(() => bob.errors().length > 0, 'to list what is refused');
    expect(bob.errors()).toContainEqual(['sync-blocked', 'team/b']);
    bob.rename('team/b', 'c');
    await expectSynced(world, { 'c/': '', 'c/doc': 'doc', 'c/sub/': '', 'c/sub/deep': 'deep' });
  });

  it('is synced as it was saved last if it was saved by a rename over it', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('team/doc', 'first');
    await refused(world);
    bob.write('team/doc.new', 'second');
    bob.rename('team/doc.new', 'team/doc');
    await refused(world);
    expect(bob.errors().map(([, path]) => path)).toEqual(['team/doc']);
    bob.write('doc', 'old');
    await refused(world);
    bob.rename('team/doc', 'doc');
    await expectSynced(world, { doc: 'second' });
  });

  it('is synced where it is now if it was moved out before the server could refuse anything', async () => {
    const world = await withdrawnFromBob();
    const { cluster, bob } = world;
    await offline(world);
    bob.mkdir('team/a');
    bob.write('team/a/doc', 'doc');
    await bob.until(() => logged(bob) >= 2, 'to log them');
    bob.rename('team/a', 'c');
    await bob.until(() => logged(bob) >= 3, 'to log the move');
    cluster.heal(bob.node);
    await expectSynced(world, { 'c/': '', 'c/doc': 'doc' });
  });

  it('is synced alone if the folder that it was in stays in the mount point', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.mkdir('team/a');
    bob.write('team/a/doc', 'doc');
    bob.write('team/a/stays', 'stays');
    await refused(world);
    bob.rename('team/a/doc', 'doc');
    await world.ann.until(() => world.ann.tree()['doc'] === 'doc', 'to hear of it');
    expect(bob.errors()).toContainEqual(['sync-blocked', 'team/a']);
    bob.remove('team/a');
    await expectSynced(world, { doc: 'doc' });
  });

  it('is synced by the name that it has outside if it is a file with a name inside, too', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('team/a', 'both');
    await refused(world);
    link(bob, 'team/a', 'c');
    await world.ann.until(() => world.ann.tree()['c'] === 'both', 'to hear of it');
    expect(bob.errors()).toContainEqual(['sync-blocked', 'team/a']);
    bob.unlink('team/a');
    await expectSynced(world, { c: 'both' });
  });
});

describe('a file or folder that was moved into an empty mount point after the server had it', () => {
  it('is at its last name everywhere when it is moved out again', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('own', 'it moves');
    bob.mkdir('dir');
    bob.write('dir/doc', 'doc');
    await bob.flush();
    bob.rename('own', 'team/own');
    bob.rename('dir', 'team/dir');
    await refused(world);
    bob.rename('team/own', 'team/other');
    await refused(world);
    bob.rename('team/other', 'own');
    bob.rename('team/dir', 'renamed');
    await expectSynced(world, { own: 'it moves', 'renamed/': '', 'renamed/doc': 'doc' });
  });

  it('changes names with another file by way of the mount point', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('one', 'first');
    bob.write('two', 'second');
    await bob.flush();
    bob.rename('one', 'team/one');
    await refused(world);
    bob.rename('two', 'one');
    await refused(world);
    bob.rename('team/one', 'two');
    await expectSynced(world, { one: 'second', two: 'first' });
  });

  it('is removed everywhere when it is removed there, and a second name in it is forgotten', async () => {
    const world = await withdrawnFromBob();
    const { bob } = world;
    bob.write('goes', 'goes');
    bob.write('stays', 'stays');
    await bob.flush();
    bob.rename('goes', 'team/goes');
    link(bob, 'stays', 'team/link');
    bob.write('team/new', 'new');
    await refused(world);
    bob.unlink('team/goes');
    bob.unlink('team/link');
    bob.unlink('team/new');
    await expectSynced(world, { stays: 'stays' });
  });
});

describe('a change that is refused for want of a right', () => {
  it('is given up by the name that the status lists, though the file has another one by now', async () => {
    const world = await withdrawnFromBob();
    const { cluster, ann, bob } = world;
    bob.write('one', 'first');
    await bob.flush();
    cluster.server.metaStore.allow('bob', HOME, 'read');
    await bob.until(() => bob.node.status.volumes[0]?.rights === 'read', 'to hear of it');
    bob.write('one', 'second');
    await bob.until(() => bob.errors().length > 0, 'to list it');
    bob.rename('one', 'two');
    await bob.until(() => bob.node.status.queues.metadata.updates > 0, 'to log the move');
    expect(bob.errors()).toContainEqual(['sync-blocked', 'one']);
    await cancel(cluster, bob, ['one']);
    await bob.until(() => bob.node.status.state === 'idle', 'to be done');
    expect([ann.tree()['one'], bob.tree()]).toEqual(['first', { one: 'first', 'team/': '' }]);
  });
});

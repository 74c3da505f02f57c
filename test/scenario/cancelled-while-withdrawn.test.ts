/** A change waits in the queue for a person, and its volume left the folder and is back (rules M4, W5): the disk has the file as the volume has it. */
import { describe, expect, it } from '@jest/globals';
import { seconds } from '../../shared/model/time.ts';
import { mountedLaptops, TEAM, type MountedWorld } from '../support/mounted-laptops.ts';

const PLAN = 'team/plan';

/** bob edited the plan while he was cut off, and lost his right to the volume meanwhile. */
async function withdrawn(): Promise<MountedWorld> {
  const world = await mountedLaptops();
  const { cluster, ann, bob } = world;
  await ann.mount('team');
  await ann.until(() => 'team/' in ann.tree(), 'to show the mount point');
  ann.write(PLAN, 'the plan');
  await ann.flush();
  await bob.until(() => bob.tree()[PLAN] === 'the plan', 'to show the plan');
  cluster.cut(bob.node);
  await bob.until(() => !bob.node.status.connected, 'to be cut off');
  bob.write(PLAN, "bob's plan");
  cluster.server.metaStore.allow('bob', TEAM, null);
  await cluster.pass(seconds(5));
  cluster.heal(bob.node);
  await bob.until(() => !(PLAN in bob.tree()), 'to show nothing in it');
  await bob.until(() => bob.aside().length > 0, 'to put the edit aside');
  return world;
}

async function order({ cluster, bob }: MountedWorld, act: 'cancel' | 'now'): Promise<void> {
  const name = bob.node.status.volumes.find(({ id }) => id === TEAM)?.name ?? '';
  const target = { volume: name, path: ['plan'] };
  await cluster.run(bob.node.daemon.orderQueue({ act, target, withDependents: true }));
}

/** The edit is taken out of the queue, and the right is back. */
async function cancelled(): Promise<MountedWorld> {
  const world = await withdrawn();
  await order(world, 'cancel');
  world.cluster.server.metaStore.allow('bob', TEAM, 'write');
  await world.bob.until(() => world.bob.tree()[PLAN] === 'the plan', 'to show the plan');
  return world;
}

describe('a file of which a change was taken out of the queue while its volume was withdrawn', () => {
  it('is on the disk as the volume has it when the right is back, and the change is kept', async () => {
    const world = await cancelled();
    const { cluster, bob } = world;
    expect(bob.aside()).toEqual(["bob's plan"]);
    await cluster.restart(bob.node);
    await bob.until(() => bob.tree()[PLAN] === 'the plan', 'to show the plan');
    expect([...bob.node.daemon.inside.log.all()].map(({ state }) => state)).toEqual(['blocked']);
  });

  it('follows what others write to it, and the one who took the change back has both', async () => {
    const world = await cancelled();
    const { cluster, ann, bob } = world;
    ann.write(PLAN, 'a later plan');
    await ann.flush();
    await bob.until(() => bob.tree()[PLAN] === 'a later plan', 'to show what others wrote');
    await order(world, 'now');
    await cluster.settled();
    expect(Object.values(bob.tree()).sort()).toEqual(['', 'a later plan', "bob's plan"]);
    expect([ann.tree(), bob.tree()[PLAN]]).toEqual([bob.tree(), 'a later plan']);
  });

  it('has the change when that is taken back, and nobody else wrote to it', async () => {
    const world = await cancelled();
    const { cluster, ann, bob } = world;
    await order(world, 'now');
    await cluster.settled();
    await bob.flush();
    expect([ann.tree(), bob.tree()]).toEqual(Array(2).fill({ 'team/': '', [PLAN]: "bob's plan" }));
  });

  it('takes what a program saves over it there, and the change that was taken out is not lost', async () => {
    const world = await cancelled();
    const { cluster, ann, bob } = world;
    bob.write(PLAN, 'newly saved');
    await bob.flush();
    await cluster.settled();
    expect(ann.tree()).toEqual(bob.tree());
    const all = [...Object.values(bob.tree()), ...bob.aside()];
    expect(all).toEqual(expect.arrayContaining(['newly saved', "bob's plan"]));
  });
});

describe('a file of which a change is refused when its volume is shown again', () => {
  it('is on the disk as the volume has it, for one who may only read by now', async () => {
    const { cluster, ann, bob } = await withdrawn();
    cluster.server.metaStore.allow('bob', TEAM, 'read');
    await bob.until(() => bob.tree()[PLAN] === 'the plan', 'to show the plan');
    ann.write(PLAN, 'a later plan');
    await ann.flush();
    await bob.until(() => bob.tree()[PLAN] === 'a later plan', 'to show what others wrote');
    expect(bob.aside()).toEqual(["bob's plan"]);
  });
});

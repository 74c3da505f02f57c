/** Folders and mounted volumes that one laptop does not keep, with the real daemon and folder (rules X1 to X7). */
import { describe, expect, it } from '@jest/globals';
import {
  mountedLaptops,
  type MountedLaptop,
  type MountedWorld,
} from '../support/mounted-laptops.ts';

const WHOLE = {
  ...{ 'team/': '', 'team/plan': 'the plan' },
  ...{ 'team/dir/': '', 'team/dir/doc': 'text' },
};

/** team is mounted in ann's folder, and both show it. */
async function shared(): Promise<MountedWorld> {
  const world = await mountedLaptops();
  const { ann, bob } = world;
  await ann.mount('team');
  await ann.until(() => 'team/' in ann.tree(), 'to show the mount point');
  ann.write('team/plan', 'the plan');
  ann.mkdir('team/dir');
  ann.write('team/dir/doc', 'text');
  await ann.flush();
  await bob.until(() => isSame(bob.tree(), WHOLE), 'to show all');
  return world;
}

const isSame = (one: object, other: object): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (tree: object): object =>
  Object.fromEntries(Object.entries(tree).toSorted(([a], [b]) => (a < b ? -1 : 1)));

async function exclude({ cluster }: MountedWorld, { node }: MountedLaptop, path: string) {
  const volume = node.status.volumes[0]?.name ?? '';
  return cluster.run(node.daemon.cache.exclude(volume, path.split('/')));
}

async function include({ cluster }: MountedWorld, { node }: MountedLaptop, path: string) {
  const volume = node.status.volumes[0]?.name ?? '';
  return cluster.run(node.daemon.cache.include(volume, path.split('/')));
}

describe('an excluded mount point', () => {
  it('leaves the disk with its volume, stays for all others, and comes back', async () => {
    const world = await shared();
    const { ann, bob, findings } = world;
    await exclude(world, bob, 'team');
    await bob.until(() => isSame(bob.tree(), {}), 'to show nothing of it');
    ann.write('team/plan', 'the next plan');
    await ann.flush();
    await bob.flush();
    expect([bob.tree(), bob.aside(), bob.errors()]).toEqual([{}, [], []]);
    await include(world, bob, 'team');
    const next = { ...WHOLE, 'team/plan': 'the next plan' };
    await bob.until(() => isSame(bob.tree(), next), 'to show it again');
    expect([ann.tree(), findings]).toEqual([next, []]);
  });

  it('keeps on the disk what is not sent, puts nothing aside, and leaves when it is', async () => {
    const world = await shared();
    const { cluster, ann, bob } = world;
    cluster.cut(bob.node);
    bob.write('team/plan', "bob's plan");
    await exclude(world, bob, 'team');
    await bob.until(() => !('team/dir/' in bob.tree()), 'to take away what is sent');
    expect(bob.tree()).toEqual({ 'team/': '', 'team/plan': "bob's plan" });
    cluster.heal(bob.node);
    await bob.until(() => isSame(bob.tree(), {}), 'to show nothing of it');
    expect(bob.aside()).toEqual([]);
    await ann.until(() => ann.tree()['team/plan'] === "bob's plan", 'to show what was sent');
  });

  it('stays away over a restart', async () => {
    const world = await shared();
    const { cluster, ann, bob } = world;
    await exclude(world, bob, 'team');
    await bob.until(() => isSame(bob.tree(), {}), 'to show nothing of it');
    await cluster.restart(bob.node);
    await bob.until(() => bob.machine.folder?.hasBegun === true, 'to begin');
    await bob.flush();
    expect([bob.tree(), ann.tree()]).toEqual([{}, WHOLE]);
  });
});

describe('an excluded thing that others take away', () => {
  it('is not listed any more, be it a mount point or a folder', async () => {
    const world = await shared();
    const { cluster, ann, bob } = world;
    ann.mkdir('films');
    ann.mkdir('films/raw');
    ann.write('films/raw/one', 'the first');
    await ann.flush();
    await bob.flush();
    await exclude(world, bob, 'team');
    await exclude(world, bob, 'films/raw');
    await bob.until(() => isSame(bob.tree(), { 'films/': '' }), 'to show neither');
    await ann.unmount('team');
    ann.remove('films/raw');
    await ann.flush();
    await bob.flush();
    expect(bob.node.daemon.cache.excluded()).toEqual({ folders: [] });
    await cluster.restart(bob.node);
    await bob.until(() => bob.machine.folder?.hasBegun === true, 'to begin');
    expect(bob.node.daemon.cache.excluded()).toEqual({ folders: [] });
    expect([bob.tree(), ann.tree()]).toEqual([{ 'films/': '' }, { 'films/': '' }]);
  });
});

describe('an excluded folder in a mounted volume', () => {
  it('leaves the disk alone, and comes back', async () => {
    const world = await shared();
    const { ann, bob } = world;
    await exclude(world, bob, 'team/dir');
    const left = { 'team/': '', 'team/plan': 'the plan' };
    await bob.until(() => isSame(bob.tree(), left), 'to show all but that');
    expect(bob.node.status.excluded).toEqual([{ path: 'team/dir', left: 0 }]);
    await include(world, bob, 'team/dir');
    await bob.until(() => isSame(bob.tree(), WHOLE), 'to show it again');
    expect(ann.tree()).toEqual(WHOLE);
  });
});

describe('an exclusion that can not be', () => {
  it('is refused with a reason', async () => {
    const world = await shared();
    const { cluster, bob } = world;
    const { cache } = bob.node.daemon;
    const volume = bob.node.status.volumes[0]?.name ?? '';
    const refused = (path: string[]) =>
      cluster.run(cache.exclude(volume, path).catch((error: unknown) => error));
    expect(await refused([])).toMatchObject({ code: 'usage' });
    expect(await refused(['nothing'])).toMatchObject({ code: 'not-found' });
    expect(await refused(['team', 'plan'])).toMatchObject({ code: 'not-a-directory' });
    expect(await refused(['team'])).toMatchObject({ path: ['team'] });
    expect(await refused(['team'])).toMatchObject({ code: 'already-excluded' });
    expect(await refused(['team', 'dir'])).toMatchObject({ code: 'already-excluded' });
    const again = cache.include(volume, ['team', 'dir']).catch((error: unknown) => error);
    expect(await cluster.run(again)).toMatchObject({ code: 'not-excluded' });
  });
});

/** Placeholders that programs carry to where they stand for nothing: into another volume, or out of what is synced. */
import { describe, expect, it } from '@jest/globals';
import { HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import {
  mountedLaptops,
  TEAM,
  type MountedLaptop,
  type MountedWorld,
} from '../support/mounted-laptops.ts';

/** Large enough to have a placeholder. */
const TEXT = 'a'.repeat(5000);
const THIRD = 3 as VolumeId;

/** ann's contents of a file give way to its placeholder. */
async function evict({ cluster, ann }: MountedWorld, name: string, volume = HOME): Promise<void> {
  const { contents } = present(ann);
  const { fid } = await cluster.run(ann.node.daemon.fileSystem.lookup(rootOf(volume), name));
  const done = contents?.evict(fid) ?? Promise.reject(new Error('nothing is kept'));
  expect(await cluster.run(done)).toMatchObject({ kind: 'done' });
}

function present({ machine }: MountedLaptop) {
  if (machine.folder === null) throw new Error('there is no folder');
  return machine.folder;
}

/** Of both: ann has a placeholder of `doc`, and the file `team/plan`. */
async function evicted(): Promise<MountedWorld> {
  const world = await mountedLaptops();
  const { ann, bob } = world;
  await ann.mount('team');
  await ann.until(() => 'team/' in ann.tree(), 'to show the mount point');
  ann.write('doc', TEXT);
  ann.write('team/plan', 'the plan');
  await ann.flush();
  await bob.until(() => bob.tree()['doc'] === TEXT, 'to show the file');
  await bob.until(() => bob.tree()['team/plan'] === 'the plan', 'to show the plan');
  await evict(world, 'doc');
  expect(Object.keys(ann.tree())).toEqual(['doc.godwit', 'team/', 'team/plan']);
  return world;
}

/** ann has the file again, with its contents, and bob has all as it was. */
async function expectBack(world: MountedWorld, noted: string[]): Promise<void> {
  const { ann, bob, findings } = world;
  await ann.until(() => ann.tree()['doc'] === TEXT, 'to have the file again');
  await ann.flush();
  await bob.flush();
  expect(bob.tree()).toEqual({ doc: TEXT, 'team/': '', 'team/plan': 'the plan' });
  expect(ann.errors()).toEqual(noted.map((path) => ['placeholder-copied', path]));
  expect([bob.errors(), ann.aside(), findings]).toEqual([[], [], []]);
}

/** Nothing has changed but what is noted. */
async function expectAsBefore(
  { ann, bob, findings }: MountedWorld,
  noted: string[],
): Promise<void> {
  await ann.flush();
  await bob.flush();
  expect(bob.tree()).toEqual({ doc: TEXT, 'team/': '', 'team/plan': 'the plan' });
  expect(Object.keys(ann.tree())).toContain('doc.godwit');
  expect(ann.errors()).toEqual(noted.map((path) => ['placeholder-copied', path]));
  expect([bob.errors(), findings]).toEqual([[], []]);
}

describe('a placeholder', () => {
  it.each([
    ['without its ending', 'team/doc'],
    ['with its ending', 'team/doc.godwit'],
    ['under another name', 'team/other'],
  ])(
    'comes back if it is moved %s into a mounted volume, and its text is no file',
    async (_how, to) => {
      const world = await evicted();
      world.ann.rename('doc.godwit', to);
      await expectBack(world, [to]);
      world.ann.unlink(to);
      await expectBack(world, []);
    },
  );

  it('comes back if the folder that it is in is moved into a mounted volume', async () => {
    const world = await evicted();
    const { ann, bob } = world;
    ann.mkdir('trip');
    ann.rename('doc.godwit', 'trip/doc.godwit');
    ann.write('trip/day', 'day');
    await ann.flush();
    await bob.until(() => bob.tree()['trip/doc'] === TEXT, 'to show it in the folder');
    ann.rename('trip', 'team/trip');
    await ann.until(() => ann.tree()['trip/doc'] === TEXT, 'to have the file again');
    await ann.flush();
    await bob.until(() => 'team/trip/day' in bob.tree(), 'to show the rest there');
    await bob.flush();
    expect(bob.tree()).toEqual({
      ...{ 'team/': '', 'team/plan': 'the plan', 'team/trip/': '', 'team/trip/day': 'day' },
      ...{ 'trip/': '', 'trip/doc': TEXT },
    });
  });

  it('is removed if it is removed, also when it was carried off and came back before', async () => {
    const world = await evicted();
    const { ann, bob } = world;
    ann.rename('doc.godwit', 'team/doc');
    await expectBack(world, ['team/doc']);
    await evict(world, 'doc');
    ann.unlink('team/doc');
    ann.unlink('doc.godwit');
    await ann.flush();
    await bob.until(() => !('doc' in bob.tree()), 'to show it no more');
    expect(ann.errors()).toEqual([]);
  });

  it('is the file still if it is moved back before or after it has come back', async () => {
    const world = await evicted();
    world.ann.rename('doc.godwit', 'team/doc');
    world.ann.rename('team/doc', 'doc.godwit');
    await expectAsBefore(world, []);
    world.ann.rename('doc.godwit', 'team/doc');
    await expectBack(world, ['team/doc']);
    world.ann.rename('team/doc', 'doc.godwit');
    await expectBack(world, []);
  });

  it('changes no file of another volume over which it is moved', async () => {
    const world = await evicted();
    world.ann.rename('doc.godwit', 'team/plan');
    await expectBack(world, ['team/plan']);
  });

  it('is no file where it is copied to without its ending, in its own volume or another', async () => {
    const world = await evicted();
    const { ann } = world;
    const text = ann.text('doc.godwit');
    ann.write('team/copy', text);
    ann.write('copy', text);
    await ann.until(() => ann.errors().length === 2, 'to note both');
    await expectAsBefore(world, ['copy', 'team/copy']);
  });

  it('comes back if it was moved into a mounted volume while the daemon was not running', async () => {
    const world = await evicted();
    const { cluster, ann } = world;
    await cluster.run(ann.node.close());
    ann.rename('doc.godwit', 'team/doc');
    await cluster.run(ann.node.start());
    await expectBack(world, ['team/doc']);
  });

  it('is no file if it comes back without its ending from a place that is ignored', async () => {
    const world = await evicted();
    const { ann, bob } = world;
    ann.rename('doc.godwit', 'doc.crdownload');
    ann.rename('doc.crdownload', 'doc');
    await expectAsBefore(world, []);
    ann.rename('doc.godwit', 'doc.crdownload');
    await ann.flush();
    await bob.until(() => !('doc' in bob.tree()), 'to show it no more');
    ann.rename('doc.crdownload', 'back');
    await ann.until(() => ann.errors().length > 0, 'to note it');
    await ann.flush();
    await bob.flush();
    expect(ann.errors()).toEqual([['placeholder-copied', 'back']]);
    expect(bob.tree()).toEqual({ 'team/': '', 'team/plan': 'the plan' });
  });

  it('comes back if it is moved from one mounted volume into another, or out of one', async () => {
    const world = await mountedLaptops(3);
    const { ann, bob } = world;
    await ann.mount('team');
    await ann.mount('third', THIRD);
    await ann.until(() => 'third/' in ann.tree() && 'team/' in ann.tree(), 'to show both');
    ann.write('team/doc', TEXT);
    await ann.flush();
    await bob.until(() => bob.tree()['team/doc'] === TEXT, 'to show the file');
    for (const to of ['third/doc', 'doc']) {
      await evict(world, 'doc', TEAM);
      ann.rename('team/doc.godwit', to);
      await ann.until(() => ann.tree()['team/doc'] === TEXT, 'to have the file again');
      await ann.flush();
      await bob.flush();
      expect(bob.tree()).toEqual({ 'team/': '', 'team/doc': TEXT, 'third/': '' });
      expect(ann.errors()).toEqual([['placeholder-copied', to]]);
      ann.unlink(to);
      await ann.until(() => ann.errors().length === 0, 'to note nothing any more');
    }
  });
});

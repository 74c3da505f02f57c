/** A laptop that was away gave another name to what others removed meanwhile (rule C3): its folder keeps that, and so do all others. */
import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import {
  mountedLaptops,
  type MountedLaptop,
  type MountedWorld,
} from '../support/mounted-laptops.ts';

type Tree = Readonly<Record<string, string>>;
type Act = (laptop: MountedLaptop) => void;

const DAYS = { 'desk/days/first': 'one', 'desk/days/second': 'two' };
const BEFORE = {
  ...{ 'desk/': '', 'desk/days/': '', ...DAYS },
  ...{ 'desk/link': '-> days/first', 'desk/plan': 'the plan' },
};

/** ann and bob have all of it, and bob is cut off. */
async function away(): Promise<MountedWorld> {
  const world = await mountedLaptops(1);
  const { cluster, ann, bob } = world;
  ann.mkdir('desk');
  ann.mkdir('desk/days');
  for (const [path, text] of Object.entries(DAYS)) ann.write(path, text);
  ann.write('desk/plan', 'the plan');
  ann.calls.symlink('days/first', ann.path('desk/link'));
  await ann.flush();
  await bob.until(() => same(bob.tree(), BEFORE), 'to show all');
  await bob.flush();
  cluster.cut(bob.node);
  await bob.until(() => !bob.node.status.connected, 'to be cut off');
  return world;
}

/** Both go on until all is the same on both; nobody is told of anything, and nothing is put aside. */
async function settled({ cluster, ann, bob, findings }: MountedWorld): Promise<Tree> {
  cluster.heal(bob.node);
  await bob.until(() => bob.node.status.connected, 'to be back');
  await bob.flush();
  await cluster.settled();
  await ann.until(() => same(ann.tree(), bob.tree()), 'to show the same');
  expect([ann.aside(), bob.aside(), ann.errors(), bob.errors(), findings]).toEqual(nothing(5));
  return bob.tree();
}

const told = ({ node }: MountedLaptop): string[] =>
  node.status.conflicts.map(({ kind, path, copy }) => `${kind} ${path} > ${copy}`).sort();
const nothing = (of: number): unknown[] => Array(of).fill([]);

const removeDesk: Act = (ann) => ann.remove('desk');
const removePlan: Act = (ann) => ann.unlink('desk/plan');
const without = (...gone: string[]): Tree =>
  Object.fromEntries(Object.entries(BEFORE).filter(([path]) => !gone.includes(path)));

const CASES: ReadonlyArray<[what: string, renames: Act, removes: Act, after: Tree]> = [
  [
    'a file that was moved out of the removed folder',
    (bob) => bob.rename('desk/plan', 'kept'),
    removeDesk,
    { kept: 'the plan' },
  ],
  [
    'a file that alone was removed',
    (bob) => bob.rename('desk/plan', 'kept'),
    removePlan,
    { ...without('desk/plan'), kept: 'the plan' },
  ],
  [
    'a file that was renamed within the removed folder',
    (bob) => bob.rename('desk/plan', 'desk/kept'),
    removeDesk,
    { 'desk/': '', 'desk/kept': 'the plan' },
  ],
  [
    'a file that was renamed within its folder, and alone was removed',
    (bob) => bob.rename('desk/plan', 'desk/kept'),
    removePlan,
    { ...without('desk/plan'), 'desk/kept': 'the plan' },
  ],
  [
    'a file that was renamed twice',
    (bob) => {
      bob.rename('desk/plan', 'desk/once');
      bob.rename('desk/once', 'twice');
    },
    removeDesk,
    { twice: 'the plan' },
  ],
  [
    'a file that was moved over another one',
    (bob) => bob.rename('desk/plan', 'desk/days/first'),
    removeDesk,
    { 'desk/': '', 'desk/days/': '', 'desk/days/first': 'the plan' },
  ],
  [
    'a folder that was moved, with what is in it,',
    (bob) => bob.rename('desk/days', 'days'),
    removeDesk,
    { 'days/': '', 'days/first': 'one', 'days/second': 'two' },
  ],
  [
    'the removed folder itself, with all that is in it,',
    (bob) => bob.rename('desk', 'table'),
    removeDesk,
    {
      ...{ 'table/': '', 'table/days/': '', 'table/days/first': 'one', 'table/days/second': 'two' },
      ...{ 'table/link': '-> days/first', 'table/plan': 'the plan' },
    },
  ],
  [
    'a moved folder, but for a file that alone was removed,',
    (bob) => bob.rename('desk/days', 'days'),
    (ann) => ann.unlink('desk/days/first'),
    {
      ...without('desk/days/', 'desk/days/first', 'desk/days/second'),
      ...{ 'days/': '', 'days/second': 'two' },
    },
  ],
  [
    'a symbolic link that was moved',
    (bob) => bob.rename('desk/link', 'link'),
    removeDesk,
    { link: '-> days/first' },
  ],
  [
    'a file that got a second name elsewhere',
    (bob) => bob.calls.link(bob.path('desk/plan'), bob.path('second')),
    removeDesk,
    { second: 'the plan' },
  ],
];

describe('a file that was renamed on a laptop that was away, and removed elsewhere', () => {
  it.each(CASES)(
    'stays under its new name, as does all of its kind: %s',
    async (_, rename, remove, after) => {
      const world = await away();
      rename(world.bob);
      await logged(world.cluster, world.bob);
      remove(world.ann);
      await world.ann.flush();
      expect(await settled(world)).toEqual(after);
      expect([told(world.ann), told(world.bob)]).toEqual(nothing(2));
    },
  );

  it.each(CASES)(
    'stays where the daemon did not run when it was renamed: %s',
    async (_, rename, remove, after) => {
      const world = await away();
      world.bob.node.crash();
      rename(world.bob);
      remove(world.ann);
      await world.ann.flush();
      await world.cluster.restart(world.bob.node);
      expect(await settled(world)).toEqual(after);
    },
  );

  it.each([1, 2, 3, 5, 8, 12, 17, 23, 30, 40])(
    'stays where the daemon dies while it keeps a moved folder (call %i)',
    async (call) => {
      const world = await away();
      const { cluster, ann, bob } = world;
      bob.rename('desk', 'table');
      await logged(cluster, bob);
      removeDesk(ann);
      await ann.flush();
      let isDead = false;
      bob.machine.crashAtCall(call, () => (isDead = true));
      cluster.heal(bob.node);
      await bob.until(() => isDead || same(ann.tree(), bob.tree()), 'to have died or kept it');
      bob.machine.crashAtNoCall();
      if (isDead) await cluster.restart(bob.node);
      const after = await settled(world);
      expect(Object.keys(after)).toEqual(
        expect.arrayContaining(['table/plan', 'table/days/first']),
      );
      expect(Object.keys(after).some((path) => path.startsWith('desk'))).toBe(false);
    },
  );
});

describe('a file that was renamed and changed on a laptop that was away, and removed elsewhere', () => {
  it.each<[string, Act]>([
    [
      'before',
      (bob) => {
        bob.write('desk/plan', 'edited');
        bob.rename('desk/plan', 'kept');
      },
    ],
    [
      'after',
      (bob) => {
        bob.rename('desk/plan', 'kept');
        bob.write('kept', 'edited');
      },
    ],
  ])('has the new name and what was written %s', async (_, act) => {
    const world = await away();
    act(world.bob);
    await logged(world.cluster, world.bob);
    removeDesk(world.ann);
    await world.ann.flush();
    expect(await settled(world)).toEqual({ kept: 'edited' });
    expect([told(world.ann), told(world.bob)]).toEqual([[], ['removed kept > kept']]);
  });

  it('is there, with all that was written in a moved folder', async () => {
    const world = await away();
    const { bob } = world;
    bob.rename('desk/days', 'days');
    bob.write('days/first', 'edited');
    bob.write('days/new', 'new');
    await logged(world.cluster, bob);
    removeDesk(world.ann);
    await world.ann.flush();
    const after = await settled(world);
    expect(Object.values(after).sort()).toEqual(['', 'edited', 'new', 'two']);
    expect(told(bob)).toHaveLength(2);
  });
});

/** All that was changed in the folder is in the log. */
async function logged(cluster: Cluster, { machine }: MountedLaptop): Promise<void> {
  await cluster.run(machine.folder?.scan() ?? Promise.reject(new Error('there is no folder')));
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (tree: unknown): Array<[string, unknown]> =>
  Object.entries(tree as object).sort(([a], [b]) => (a < b ? -1 : 1));

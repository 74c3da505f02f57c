/** A folder with files in it becomes a volume of its own (rule M3), in the folders of several laptops. */
import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { mountedLaptops, TEAM, type MountedLaptop } from '../support/mounted-laptops.ts';

const BESIDE = 'trip (being shared)';
const TRIP = { 'trip/': '', 'trip/days/': '', 'trip/days/first': 'one', 'trip/plan': 'the plan' };

/** ann and bob have a folder with files, and the volume is mounted beside it. */
async function full() {
  const world = await mountedLaptops();
  const { ann, bob } = world;
  ann.mkdir('trip');
  ann.mkdir('trip/days');
  ann.write('trip/days/first', 'one');
  ann.write('trip/plan', 'the plan');
  await ann.flush();
  await bob.until(() => same(bob.tree(), TRIP), 'to show all');
  await bob.flush();
  return world;
}

async function mounted() {
  const world = await full();
  await world.ann.mount(BESIDE);
  await world.ann.until(() => world.ann.machine.folder?.mounted?.().length === 1, 'to keep it');
  return world;
}

/** The folder becomes the volume beside it. */
async function become(ann: MountedLaptop): Promise<void> {
  await ann.handOver('trip');
  await ann.takeName(BESIDE, 'trip');
}

/** All laptops show the same, and list nothing. */
async function all(cluster: Cluster, laptops: readonly MountedLaptop[], tree: object) {
  for (const each of laptops) await each.until(() => same(each.tree(), tree), 'to show it');
  for (const each of laptops) await each.flush();
  await cluster.settled(laptops.map(({ node }) => node));
  for (const each of laptops) {
    expect([each.tree(), each.errors(), each.aside()]).toEqual([tree, [], []]);
  }
}

describe('a folder that becomes the volume beside it', () => {
  it('has its files and its name, on all laptops, and sends no bytes again', async () => {
    const { cluster, ann, bob, findings } = await mounted();
    await become(ann);
    await ann.until(() => same(ann.tree(), TRIP), 'to show it');
    await all(cluster, [ann, bob], TRIP);
    expect(findings).toEqual([]);
    expect(ann.node.status.conflicts).toEqual([]);
    expect(ann.machine.folder?.mounted?.()).toEqual([{ volume: 2, path: ['trip'] }]);
    bob.write('trip/plan', "bob's plan");
    await bob.flush();
    await ann.until(() => ann.text('trip/plan') === "bob's plan", 'to show it');
  });

  it('is the same file for a program that has it open, and for the one that writes to it next', async () => {
    const { cluster, ann, bob } = await mounted();
    const fd = ann.calls.open(ann.path('trip/plan'), 'r+');
    await become(ann);
    ann.calls.pwrite(fd, new TextEncoder().encode('our'), 0);
    ann.calls.close(fd);
    await all(cluster, [ann, bob], { ...TRIP, 'trip/plan': 'our plan' });
  });

  it('loses nothing that a laptop which was away has changed in it', async () => {
    const { cluster, ann, bob, join } = await mounted();
    const carl = await join('bob');
    await carl.until(() => same(carl.tree(), { ...TRIP, [`${BESIDE}/`]: '' }), 'to show all');
    await carl.flush();
    cluster.cut(carl.node);
    await carl.until(() => !carl.node.status.connected, 'to be cut off');
    carl.write('trip/plan', "carl's plan");
    carl.unlink('trip/days/first');
    carl.write('trip/days/second', "carl's day");
    carl.mkdir('trip/new');
    await become(ann);
    await ann.flush();
    await bob.until(() => same(bob.tree(), TRIP), 'to show the volume');
    cluster.heal(carl.node);
    await cluster.settled([ann.node, bob.node, carl.node]);
    const copy = Object.keys(ann.tree()).find((path) => path.startsWith('trip (conflict')) ?? '';
    const kept = {
      ...{ ...TRIP, [copy]: '', [`${copy}days/`]: '', [`${copy}days/second`]: "carl's day" },
      ...{ [`${copy}new/`]: '', [`${copy}plan`]: "carl's plan" },
    };
    await all(cluster, [ann, bob, carl], kept);
    expect(carl.node.status.conflicts.map(({ copy: path }) => `${path}/`)).toContain(copy);
  });

  it('leaves what a laptop which was away has moved under the new names, there and elsewhere', async () => {
    const { cluster, ann, bob, join } = await mounted();
    const carl = await join('bob');
    await carl.until(() => same(carl.tree(), { ...TRIP, [`${BESIDE}/`]: '' }), 'to show all');
    await carl.flush();
    cluster.cut(carl.node);
    await carl.until(() => !carl.node.status.connected, 'to be cut off');
    carl.rename('trip/plan', 'trip/our plan');
    carl.rename('trip/days', 'days');
    await become(ann);
    await ann.flush();
    cluster.heal(carl.node);
    await cluster.settled([ann.node, bob.node, carl.node]);
    const copy = Object.keys(ann.tree()).find((path) => path.startsWith('trip (conflict')) ?? '';
    const moved = { 'days/': '', 'days/first': 'one', [copy]: '', [`${copy}our plan`]: 'the plan' };
    await all(cluster, [ann, bob, carl], { ...TRIP, ...moved });
  });

  it('keeps what others save in it at the same moment', async () => {
    const { cluster, ann, bob } = await mounted();
    bob.write('trip/plan', "bob's plan");
    bob.write('trip/days/second', "bob's day");
    const flushed = bob.flush();
    await become(ann);
    await flushed;
    await cluster.settled([ann.node, bob.node]);
    await ann.until(() => same(ann.tree(), bob.tree()), 'to show the same');
    const texts = Object.values(ann.tree());
    expect(texts).toEqual(expect.arrayContaining(["bob's plan", "bob's day", 'one']));
    expect([ann.errors(), bob.errors(), ann.aside(), bob.aside()]).toEqual([[], [], [], []]);
  });

  it.each([1, 2, 4, 6, 8, 10, 12, 14, 17, 20, 24, 28, 33, 40, 50])(
    'is whole when the order comes again after a death of the daemon (call %i)',
    async (call) => {
      const { cluster, ann, bob } = await mounted();
      let [isDead, isDone] = [false, false];
      ann.machine.crashAtCall(call, () => (isDead = true));
      const handing = ann.machine.folder?.handOver?.(['trip'], TEAM);
      void handing?.catch(() => undefined).finally(() => (isDone = true));
      await ann.until(() => isDead || isDone, 'to have died or done it');
      ann.machine.crashAtNoCall();
      if (isDead) await cluster.restart(ann.node);
      await ann.until(() => ann.machine.folder?.mounted?.().length === 1, 'to keep it again');
      await become(ann);
      await all(cluster, [ann, bob], TRIP);
    },
  );
});

describe('a folder that can not become a volume', () => {
  it.each<[string, (ann: MountedLaptop) => void, string]>([
    [
      'something is kept out of it by a rule from above',
      (ann) => {
        ann.write('.godwitignore', '*.key');
        ann.write('trip/days/my.key', 'secret');
      },
      '/trip/days/my.key',
    ],
    [
      'a rule from above came when something was synced already',
      (ann) => ann.write('.godwitignore', 'plan'),
      '/trip/plan',
    ],
    [
      'a folder in it may not be changed',
      (ann) => ann.calls.chmod(ann.path('trip/days'), 0o555),
      '/trip/days',
    ],
    ['no file syncs a pipe', (ann) => ann.calls.mkfifo(ann.path('trip/pipe')), '/trip/pipe'],
  ])('is refused as a whole where %s', async (_, make, named) => {
    const { ann, bob } = await mounted();
    make(ann);
    await ann.flush();
    for (const volume of [null, TEAM]) {
      await expect(ann.handOver('trip', volume)).rejects.toMatchObject({
        code: 'not-empty',
        message: expect.stringContaining(named),
      });
    }
    await ann.flush();
    expect([ann.text('trip/plan'), bob.text('trip/plan')]).toEqual(['the plan', 'the plan']);
    expect(ann.tree(BESIDE)).toEqual({});
  });

  it('takes along what its own rules keep out of sync, which stays so', async () => {
    const { cluster, ann, bob } = await mounted();
    ann.write('trip/.godwitignore', '*.key');
    ann.write('trip/my.key', 'secret');
    await ann.flush();
    await become(ann);
    await ann.flush();
    await cluster.settled([ann.node, bob.node]);
    expect(ann.text('trip/my.key')).toBe('secret');
    await bob.until(() => same(bob.tree(), TRIP), 'to show the rest');
  });

  it('is refused where another volume is shown in it, or none beside it', async () => {
    const { ann } = await full();
    await expect(ann.handOver('trip')).rejects.toMatchObject({ code: 'not-found' });
    await ann.mount('trip/team');
    await ann.until(() => ann.machine.folder?.mounted?.().length === 1, 'to keep it');
    await expect(ann.handOver('trip')).rejects.toMatchObject({ code: 'not-found' });
    await expect(ann.handOver('trip/days')).resolves.toBeUndefined();
  });
});

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (tree: unknown): Array<[string, unknown]> =>
  Object.entries(tree as object).sort(([a], [b]) => (a < b ? -1 : 1));

/** A folder with files in it becomes a volume of its own (rule M3), in the folders of several laptops. */
import { describe, expect, it } from '@jest/globals';
import { HOME, type Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { acceptShare } from '../../daemon/adapters/control/shares/share-calls.ts';
import { lookAtShare, shareFolder } from '../../daemon/adapters/control/shares/share-folder.ts';
import type { SharingDaemon } from '../../daemon/adapters/control/shares/share-place.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
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

/** carl, bob's other laptop, shows all of it and is cut off. */
async function away() {
  const world = await mounted();
  const { cluster, join } = world;
  const carl = await join('bob');
  await carl.until(() => same(carl.tree(), { ...TRIP, [`${BESIDE}/`]: '' }), 'to show all');
  await carl.flush();
  cluster.cut(carl.node);
  await carl.until(() => !carl.node.status.connected, 'to be cut off');
  return { ...world, carl };
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
    const { cluster, ann, bob, carl } = await away();
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
    const { cluster, ann, bob, carl } = await away();
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

describe('the order that shares a folder', () => {
  const place = { volume: 'home', path: ['trip'] };
  const guests = [{ kind: 'person', name: 'bob', rights: USUAL_SETS.write }] as const;
  const order = { place, guests, makes: false };

  /** ann administers the volume around it. */
  async function administered() {
    const world = await full();
    const row = { kind: 'person', name: 'ann', negative: false, rights: USUAL_SETS.admin } as const;
    world.cluster.server.metaStore.changeAccess({ ask: 'set', volume: HOME, ...row });
    const { status } = world.ann.node;
    await world.ann.until(
      () => world.ann.node.status.revision !== status.revision,
      'to hear of the right',
    );
    return world;
  }

  /** Ends the order where its text comes, as a death of the daemon does. */
  const ends = (daemon: SharingDaemon, at: keyof SharingDaemon['access']): SharingDaemon => ({
    ...{ programs: daemon.programs, scan: () => daemon.scan() },
    changed: (...asked) => daemon.changed(...asked),
    snapshot: () => daemon.snapshot(),
    flush: (ms) => daemon.flush(ms),
    leftOut: (...asked) => daemon.leftOut(...asked),
    acrossMounts: (place) => daemon.acrossMounts(place),
    access: new Proxy(daemon.access, {
      get: (access, name: keyof SharingDaemon['access']) =>
        name === at
          ? (...asked: readonly unknown[]) =>
              asked.at(-1) === null
                ? access.handOver('home', ['trip'], null)
                : Promise.reject(new Error('it ended'))
          : (access[name] as (...asked: unknown[]) => unknown).bind(access),
    }),
  });

  it('takes everything in it along, and offers it when the server has it', async () => {
    const { cluster, ann, bob } = await administered();
    const look = await cluster.run(lookAtShare(ann.node.daemon, place));
    expect(look).toEqual({ volume: null, files: 2, bytes: 11, isBegun: false });
    const volume = await cluster.run(shareFolder(ann.node.daemon, order));
    expect(ann.tree()).toEqual(TRIP);
    expect(ann.machine.folder?.mounted?.()).toMatchObject([{ path: ['trip'] }]);
    const { entries } = await cluster.run(ann.node.daemon.access.list(volume));
    expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['bob']));
    await all(cluster, [ann, bob], TRIP);
    const again = await cluster.run(lookAtShare(ann.node.daemon, place));
    expect(again).toMatchObject({ volume, files: 0 });
    expect(await cluster.run(shareFolder(ann.node.daemon, order))).toBe(volume);
  });

  it.each(['handOver', 'set'] as const)(
    'goes on where it ended, at its %s, and makes no second volume',
    async (at) => {
      const { cluster, ann, bob } = await administered();
      const { daemon } = ann.node;
      await expect(cluster.run(shareFolder(ends(daemon, at), order))).rejects.toThrow('it ended');
      const volumes = await cluster.run(daemon.programs.volumes());
      if (at === 'handOver') {
        expect(await cluster.run(lookAtShare(daemon, place))).toMatchObject({ isBegun: true });
      }
      await cluster.run(shareFolder(daemon, order));
      expect(await cluster.run(daemon.programs.volumes())).toHaveLength(volumes.length);
      await all(cluster, [ann, bob], TRIP);
    },
  );

  it('waits for one before it of the same folder, and makes no second volume', async () => {
    const { cluster, ann, bob, join } = await administered();
    await join('carl');
    const { daemon } = ann.node;
    const volumes = await cluster.run(daemon.programs.volumes());
    const forCarl = { ...order, guests: [{ ...order.guests[0], name: 'carl' }] };
    const made = [order, forCarl].map((each) => shareFolder(daemon, each));
    const [volume = '', other] = await cluster.run(Promise.all(made));
    expect(other).toBe(volume);
    expect(await cluster.run(daemon.programs.volumes())).toHaveLength(volumes.length + 1);
    const { entries } = await cluster.run(daemon.access.list(volume));
    expect(entries.map(({ name }) => name).toSorted()).toEqual(['ann', 'bob', 'carl']);
    await all(cluster, [ann, bob], TRIP);
  });

  it('waits for one before it of the folder around, and shares what is in the volume by then', async () => {
    const { cluster, ann, bob } = await administered();
    const { daemon } = ann.node;
    const days = { ...order, place: { volume: 'home', path: ['trip', 'days'] } };
    await cluster.run(Promise.all([order, days].map((each) => shareFolder(daemon, each))));
    const shown = ann.machine.folder?.mounted?.().map(({ path }) => path.join('/'));
    expect(shown?.toSorted()).toEqual(['trip', 'trip/days']);
    await all(cluster, [ann, bob], TRIP);
  });

  it('goes on where something elsewhere can not be synced, and offers all that is in the folder', async () => {
    const { cluster, ann, bob } = await administered();
    const { daemon } = ann.node;
    cluster.cut(ann.node);
    await ann.until(() => !ann.node.status.connected, 'to be cut off');
    ann.write('own', 'not sent');
    await cluster.run(ann.machine.folder?.scan() ?? Promise.reject(new Error('no folder')));
    const target = { volume: 'home', path: ['own'] };
    await cluster.run(daemon.orderQueue({ act: 'cancel', target, withDependents: true }));
    cluster.heal(ann.node);
    await ann.until(() => ann.node.status.connected, 'to be back');
    await expect(ann.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    await cluster.run(shareFolder(daemon, order));
    expect(ann.tree()).toEqual({ ...TRIP, own: 'not sent' });
    await bob.until(() => same(bob.tree(), TRIP), 'to show the volume');
  });

  it('says before anybody is named that the person may not share it', async () => {
    const { cluster, ann } = await full();
    await expect(cluster.run(lookAtShare(ann.node.daemon, place))).rejects.toMatchObject({
      code: 'not-administrator',
    });
  });

  it('says before anybody is named why a folder can not be shared', async () => {
    const { cluster, ann } = await administered();
    ann.calls.mkfifo(ann.path('trip/pipe'));
    await expect(cluster.run(lookAtShare(ann.node.daemon, place))).rejects.toMatchObject({
      code: 'not-empty',
      message: expect.stringContaining('/trip/pipe'),
    });
  });
});

describe('an offer that is accepted', () => {
  it('is refused at a place that a rule leaves out, and shown nowhere', async () => {
    const { cluster, ann } = await mountedLaptops();
    ann.write('.godwitignore', 'left out');
    await ann.flush();
    const place = { volume: 'home', path: ['left out'] };
    const accepted = cluster.run(acceptShare(ann.node.daemon, 'home 2', place));
    await expect(accepted).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('/left out is not synced: '),
    });
    expect(ann.tree()).toEqual({});
  });
});

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (tree: unknown): Array<[string, unknown]> =>
  Object.entries(tree as object).sort(([a], [b]) => (a < b ? -1 : 1));

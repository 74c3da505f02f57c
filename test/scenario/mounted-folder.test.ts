/** A volume that is mounted in another, in the folders of two laptops (rules M2, M4, M5). */
import { describe, expect, it } from '@jest/globals';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { milliseconds, seconds } from '../../shared/model/time.ts';
import {
  mountedLaptops,
  TEAM,
  teamOfBoth,
  type MountedLaptop,
} from '../support/mounted-laptops.ts';

describe('a mounted volume in a folder', () => {
  it('shows its files below the mount point, and edits there are committed to it, both ways', async () => {
    const { cluster, ann, bob, findings } = await teamOfBoth();
    bob.write('team/plan', 'the other plan');
    bob.mkdir('team/dir');
    bob.write('team/dir/new', "bob's");
    bob.write('own', 'beside it');
    await bob.flush();
    await ann.until(() => ann.tree()['team/dir/new'] === "bob's", 'to show what is new');
    await ann.flush();
    const all = {
      ...{ own: 'beside it', 'team/': '', 'team/plan': 'the other plan' },
      ...{ 'team/dir/': '', 'team/dir/new': "bob's" },
    };
    expect(ann.tree()).toEqual(all);
    expect(bob.tree()).toEqual(all);
    const history = await cluster.run(cluster.server.history(TEAM));
    expect(history.flatMap(({ entries }) => entries.map(({ name }) => name))).toEqual(
      expect.arrayContaining(['plan', 'dir', 'new']),
    );
    expect([ann.errors(), bob.errors(), findings]).toEqual([[], [], []]);
  });
});

describe('a mounted volume that goes from the disk', () => {
  it('is held when its directory is removed with all that is in it, and comes back when that is rejected', async () => {
    const { cluster, ann, bob, findings } = await teamOfBoth();
    bob.remove('team');
    await bob.until(() => bob.machine.folder?.heldRemovals() === 1, 'to hold that');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'removals-held' });
    expect(ann.tree()).toEqual({ 'team/': '', 'team/plan': 'the plan' });
    await cluster.run(bob.node.daemon.rejectRemovals(['team']));
    await bob.until(() => bob.tree()['team/plan'] === 'the plan', 'to show the plan again');
    await bob.flush();
    await ann.flush();
    expect(ann.tree()).toEqual({ 'team/': '', 'team/plan': 'the plan' });
    expect([ann.errors(), bob.errors(), findings.filter(isOther)]).toEqual([[], [], []]);
  });

  it('is unmounted for all when its removal is confirmed, and keeps its files', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    bob.remove('team');
    await bob.until(() => bob.machine.folder?.heldRemovals() === 1, 'to hold that');
    await bob.until(() => {
      const { waiting = [] } = bob.node.status;
      return waiting.some(({ path, unmounts }) => path === 'team' && unmounts === true);
    }, 'to say that a volume would be unmounted');
    await cluster.run(bob.node.daemon.confirmRemovals(['team']));
    await ann.until(() => !('team/' in ann.tree()), 'to unmount it');
    await ann.flush();
    await bob.flush();
    expect([ann.tree(), bob.tree(), ann.aside()]).toEqual([{}, {}, []]);
    await ann.mount('again');
    await bob.until(() => bob.tree()['again/plan'] === 'the plan', 'to show the plan there');
    // The status may be a moment old.
    await bob.until(() => bob.errors().length === 0, 'to hold nothing more');
    expect(ann.errors()).toEqual([]);
  });

  it('comes back with the folder around it, which was removed with it', async () => {
    const { cluster, ann, bob } = await mountedLaptops();
    ann.mkdir('desk');
    await ann.flush();
    await ann.mount('desk/team');
    await bob.until(() => 'desk/team/' in bob.tree(), 'to show the mount point');
    bob.write('desk/team/plan', 'the plan');
    bob.write('desk/other', 'goes');
    await bob.flush();
    await ann.until(() => Object.keys(ann.tree()).length === 4, 'to show all');
    bob.remove('desk');
    await bob.until(() => bob.machine.folder?.heldRemovals() === 1, 'to hold that');
    await cluster.run(bob.node.daemon.rejectRemovals());
    const left = { 'desk/': '', 'desk/team/': '', 'desk/team/plan': 'the plan' };
    await bob.until(() => same(bob.tree(), left), 'to show it again');
    await bob.flush();
    await ann.until(() => same(ann.tree(), left), 'to hear of what was removed');
    expect([ann.errors(), bob.errors()]).toEqual([[], []]);
  });

  it('leaves with its mount point, but for what was not sent, which is put aside and listed', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    cluster.cut(bob.node);
    await bob.until(() => !bob.node.status.connected, 'to be cut off');
    bob.write('team/plan', "bob's plan");
    bob.write('team/.godwitignore', 'local\n');
    bob.mkdir('team/dir');
    bob.write('team/dir/local', "bob's own");
    await ann.unmount('team');
    await ann.flush();
    expect([ann.tree(), ann.aside()]).toEqual([{}, []]);
    await cluster.pass(seconds(5));
    cluster.heal(bob.node);
    await bob.until(() => !('team/' in bob.tree()), 'to unmount it');
    await bob.flush();
    expect([bob.tree(), ann.tree()]).toEqual([{}, {}]);
    // The plan could still be sent.
    expect(bob.aside()).toEqual(["bob's own"]);
    expect(bob.errors()).toEqual([['put-aside', expect.stringContaining('.godwit/lost+found/')]]);
    await ann.mount('team');
    await ann.until(() => ann.tree()['team/plan'] === "bob's plan", 'to show it again');
  });

  it('leaves when it is withdrawn, without a removal, and appears again when the right is back', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    const { metaStore } = cluster.server;
    cluster.cut(bob.node);
    await bob.until(() => !bob.node.status.connected, 'to be cut off');
    bob.write('team/draft', "bob's draft");
    metaStore.allow('bob', TEAM, null);
    await cluster.pass(seconds(5));
    cluster.heal(bob.node);
    await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
    await bob.until(() => bob.aside().length > 0, 'to put the draft aside');
    expect(bob.tree()).toEqual({ 'team/': '' });
    expect(bob.aside()).toEqual(["bob's draft"]);
    expect(ann.tree()).toEqual({ 'team/': '', 'team/plan': 'the plan' });
    metaStore.allow('bob', TEAM, 'write');
    await bob.until(() => bob.tree()['team/plan'] === 'the plan', 'to show the plan again');
    await ann.until(() => ann.tree()['team/draft'] === "bob's draft", 'to hear of the draft');
    await bob.flush();
    expect(bob.tree()).toEqual(ann.tree());
  });

  it('leaves whole when it is withdrawn, with a replaced link to nowhere and a file that nobody may read', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    const has = (name: string): boolean => bob.calls.readdir(bob.path('team')).includes(name);
    ann.calls.symlink('nowhere', ann.path('team/link'));
    ann.write('team/sealed', 'for nobody');
    await ann.flush();
    await bob.until(() => has('link') && has('sealed'), 'to show both');
    const { programs } = ann.node.daemon;
    const { fid } = await cluster.run(programs.lookup(rootOf(TEAM), 'sealed'));
    await cluster.run(programs.setattr(fid, { mode: 0 }));
    ann.unlink('team/link');
    await ann.flush();
    const mode = (): number => bob.calls.lstat(bob.path('team/sealed')).mode;
    await bob.until(() => !has('link') && (mode() & 0o777) === 0, 'to hear of it');
    cluster.server.metaStore.allow('bob', TEAM, null);
    await bob.until(() => bob.calls.readdir(bob.path('team')).length === 0, 'to empty it');
    await cluster.pass(seconds(10));
    expect([bob.tree(), bob.aside(), bob.errors()]).toEqual([{ 'team/': '' }, [], []]);
  });
});

describe('a file that was put into an empty mount point', () => {
  it("is the other volume's when that is shown again, whatever becomes of the refused change", async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    cluster.server.metaStore.allow('bob', TEAM, null);
    await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
    bob.write('team/later', "bob's");
    bob.mkdir('team/dir');
    bob.write('team/dir/deep', 'deep');
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    cluster.server.metaStore.allow('bob', TEAM, 'write');
    const all = {
      ...{ 'team/': '', 'team/dir/': '', 'team/dir/deep': 'deep' },
      ...{ 'team/later': "bob's", 'team/plan': 'the plan' },
    };
    await ann.until(() => same(ann.tree(), all), 'to hear of it');
    await bob.until(() => bob.errors().length === 0, 'to need the refused changes no more');
    await bob.flush();
    await ann.flush();
    expect([ann.tree(), bob.tree()]).toEqual([all, all]);
    expect([ann.aside(), bob.aside(), bob.node.status.state]).toEqual([[], [], 'idle']);
  });

  it('stays when the refused change is given up, where the volume has another file of that name', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    cluster.server.metaStore.allow('bob', TEAM, null);
    await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
    bob.write('team/later', "bob's");
    await expect(bob.flush()).rejects.toMatchObject({ code: 'sync-blocked' });
    ann.write('team/later', "ann's");
    await ann.flush();
    cluster.server.metaStore.allow('bob', TEAM, 'write');
    await ann.until(() => Object.values(ann.tree()).includes("bob's"), 'to hear of it');
    const target = { volume: 'home', path: ['team'] };
    const order = { act: 'cancel', target, withDependents: true } as const;
    await cluster.run(bob.node.daemon.orderQueue(order));
    await bob.flush();
    await ann.flush();
    expect(Object.values(ann.tree()).sort()).toEqual(['', "ann's", "bob's", 'the plan']);
    expect([bob.tree(), ann.aside(), bob.aside(), bob.errors()]).toEqual([ann.tree(), [], [], []]);
  });
});

describe('a change that is refused in a folder with a mounted volume', () => {
  it('is listed with its volume, and with what gives it up', async () => {
    const { cluster, bob } = await teamOfBoth();
    const said = (): Array<readonly [string, string, string | undefined]> =>
      bob.node.status.errors.map(({ message, remedy, volume }) => [message, remedy, volume]);
    cluster.server.metaStore.allow('bob', TEAM, 'read');
    await cluster.pass(seconds(5));
    bob.write('team/plan', "bob's");
    await bob.until(() => said().length > 0, 'to list what is refused');
    const name = bob.node.status.volumes.find(({ id }) => id === TEAM)?.name;
    expect(said()).toEqual([
      ['this device may not write here', expect.stringContaining('restore'), name],
    ]);
    expect(bob.node.status.summary).toBe(`${name}:/plan: this device may not write here`);
    bob.write('team/new', 'new');
    const cancels = '`godwit queue cancel PATH` gives it up';
    await bob.until(() => said().some(([, remedy]) => remedy === cancels), 'to list a new file');
    cluster.server.metaStore.allow('bob', TEAM, null);
    await bob.until(() => !('team/plan' in bob.tree()), 'to show nothing in it');
    bob.write('team/later', "bob's");
    const beneath = 'its folder is a mount point';
    await bob.until(() => said().some(([message]) => message.startsWith(beneath)), 'to list that');
    expect(said().map(([message, , volume]) => [message, volume])).toContainEqual([
      ...['you may not see this volume any more', name],
    ]);
  });
});

describe('a mount point that goes elsewhere', () => {
  it('takes its volume along when it is renamed here or by another laptop that was away', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    cluster.cut(bob.node);
    bob.write('team/plan', "bob's plan");
    ann.mkdir('desk');
    ann.rename('team', 'desk/club');
    ann.write('desk/club/new', "ann's");
    await ann.flush();
    await cluster.pass(seconds(5));
    cluster.heal(bob.node);
    const all = {
      ...{ 'desk/': '', 'desk/club/': '', 'desk/club/new': "ann's" },
      'desk/club/plan': "bob's plan",
    };
    await bob.until(() => same(bob.tree(), all), 'to show it there');
    await bob.flush();
    await ann.until(() => same(ann.tree(), all), "to show bob's plan");
    expect([ann.errors(), bob.errors()]).toEqual([[], []]);
  });

  it('is found where it was moved while the daemon was not running', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    await cluster.run(bob.node.close());
    bob.rename('team', 'club');
    bob.write('club/new', "bob's");
    await cluster.run(bob.node.start());
    const all = { 'club/': '', 'club/new': "bob's", 'club/plan': 'the plan' };
    await ann.until(() => same(ann.tree(), all), 'to show it there');
    await bob.flush();
    expect([bob.tree(), ann.errors(), bob.errors()]).toEqual([all, [], []]);
  });
});

describe('a move across a mount point', () => {
  it('is a new file on one side and a removal on the other', async () => {
    const { ann, bob } = await teamOfBoth();
    bob.write('own', 'it moves');
    await bob.flush();
    bob.rename('own', 'team/own');
    bob.rename('team/plan', 'plan');
    await bob.flush();
    const all = { plan: 'the plan', 'team/': '', 'team/own': 'it moves' };
    await ann.until(() => same(ann.tree(), all), 'to show both where they are');
    await ann.flush();
    expect([ann.tree(), bob.tree(), ann.errors(), bob.errors()]).toEqual([all, all, [], []]);
  });
});

describe('a large file that is moved across a mount point', () => {
  const SIZE = 400_000;
  const BIG = 'b'.repeat(SIZE / 2) + 'c'.repeat(SIZE / 2);

  it('is not sent again, in both directions', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    bob.write('big', BIG);
    await bob.flush();
    const sent = sentBy(cluster, bob);
    bob.rename('big', 'team/big');
    await bob.flush();
    await ann.until(() => ann.tree()['team/big'] === BIG, 'to show it there');
    expect(sent()).toBeLessThan(30_000);
    bob.rename('team/big', 'back');
    await bob.flush();
    await ann.until(() => ann.tree()['back'] === BIG, 'to show it here again');
    expect(sent()).toBeLessThan(30_000);
    expect([bob.tree(), ann.errors(), bob.errors()]).toEqual([ann.tree(), [], []]);
  });

  it('is sent again where the right to the volume that it came from was taken meanwhile', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    bob.write('team/big', BIG);
    await bob.flush();
    cluster.cut(bob.node);
    await bob.until(() => !bob.node.status.connected, 'to be cut off');
    bob.rename('team/big', 'big');
    await cluster.pass(seconds(5));
    cluster.server.metaStore.allow('bob', TEAM, null);
    await cluster.pass(seconds(5));
    const sent = sentBy(cluster, bob);
    cluster.heal(bob.node);
    await ann.until(() => ann.tree()['big'] === BIG, 'to show it');
    expect(sent()).toBeGreaterThan(SIZE);
    expect(ann.tree()['team/big']).toBe(BIG);
  });
});

/** Bytes that the laptop has sent since the last call. */
function sentBy(cluster: Cluster, laptop: MountedLaptop): () => number {
  const pipe = cluster.network.pipe(laptop.node.name, SERVER_HOST);
  let last = pipe.carriedBytes;
  return () => {
    const passed = pipe.carriedBytes - last;
    last += passed;
    return passed;
  };
}

describe('several mount points', () => {
  it('are kept in each other, and a ring of them ends', async () => {
    const { cluster, ann, bob } = await mountedLaptops(3);
    const third = 3 as VolumeId;
    await ann.mount('team');
    await ann.mount('inner', third, TEAM);
    await ann.mount('ring', TEAM, third);
    await ann.until(() => 'team/inner/ring/' in ann.tree(), 'to show all three');
    ann.write('team/inner/doc', "ann's");
    ann.write('team/doc', "ann's other");
    await ann.flush();
    const all = {
      ...{ 'team/': '', 'team/doc': "ann's other", 'team/inner/': '' },
      ...{ 'team/inner/doc': "ann's", 'team/inner/ring/': '' },
    };
    await bob.until(() => same(bob.tree(), all), 'to show all three');
    bob.write('team/inner/doc', "bob's");
    await bob.flush();
    await ann.until(() => ann.text('team/inner/doc') === "bob's", "to show bob's");
    await ann.unmount('team');
    await ann.until(() => same(ann.tree(), {}), 'to take both away');
    await bob.until(() => same(bob.tree(), {}), 'to take both away');
    await cluster.settled([ann.node, bob.node]);
    expect([ann.aside(), bob.aside(), ann.errors(), bob.errors()]).toEqual([[], [], [], []]);
  });
});

describe('a directory that is removed bit by bit', () => {
  it('takes nothing from its volume, however long that lasts', async () => {
    const { cluster, ann, bob } = await teamOfBoth();
    for (let at = 0; at < 12; at++) ann.write(`team/file ${at}`, `${at}`);
    await ann.flush();
    await bob.until(() => Object.keys(bob.tree()).length === 14, 'to show all');
    for (const path of Object.keys(bob.tree('team'))) {
      bob.unlink(path);
      await cluster.pass(milliseconds(400));
    }
    bob.remove('team');
    await bob.until(() => bob.machine.folder?.heldRemovals() === 1, 'to hold that');
    await cluster.pass(seconds(10));
    await ann.flush();
    expect(Object.keys(ann.tree())).toHaveLength(14);
  });

  it('loses what was removed from it, where the directory itself stays', async () => {
    const { ann, bob } = await teamOfBoth();
    ann.write('team/other', 'stays');
    await ann.flush();
    await bob.until(() => 'team/other' in bob.tree(), 'to show both');
    bob.unlink('team/plan');
    await ann.until(() => !('team/plan' in ann.tree()), 'to hear of that');
    await bob.flush();
    expect(ann.tree()).toEqual({ 'team/': '', 'team/other': 'stays' });
  });
});

describe('a daemon that dies while a volume leaves its disk', () => {
  it.each([1, 4, 9, 16, 25, 36, 49, 64, 81])(
    'puts aside what was not sent all the same, and removes nothing (at call %i)',
    async (call) => {
      const { cluster, ann, bob } = await teamOfBoth();
      ann.mkdir('team/dir');
      ann.write('team/dir/deep', 'deep');
      await ann.flush();
      await bob.until(() => 'team/dir/deep' in bob.tree(), 'to show all');
      cluster.cut(bob.node);
      bob.write('team/draft', "bob's draft");
      cluster.server.metaStore.allow('bob', TEAM, null);
      // Else it is sent in the second in which the server has not noticed.
      await cluster.pass(seconds(5));
      let isDead = false;
      bob.machine.crashAtCall(call, () => (isDead = true));
      cluster.heal(bob.node);
      await cluster.pass(seconds(10));
      bob.machine.crashAtNoCall();
      if (isDead) await cluster.restart(bob.node);
      await bob.until(() => same(bob.tree(), { 'team/': '' }), 'to show nothing of it');
      await bob.until(() => bob.aside().includes("bob's draft"), 'to put the draft aside');
      await bob.until(() => bob.errors().some(([code]) => code === 'put-aside'), 'to list it');
      cluster.server.metaStore.allow('bob', TEAM, 'write');
      const all = {
        ...{ 'team/': '', 'team/dir/': '', 'team/dir/deep': 'deep' },
        ...{ 'team/draft': "bob's draft", 'team/plan': 'the plan' },
      };
      await ann.until(() => same(ann.tree(), all), 'to show all, with the draft');
      await bob.until(() => same(bob.tree(), all), 'to show all again');
    },
  );
});

/** The root of a mounted volume that is removed is away for a moment, and that is said. */
const isOther = (finding: string): boolean => !finding.includes('not where it was');

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (tree: unknown): Array<[string, unknown]> =>
  Object.entries(tree as object).sort(([a], [b]) => (a < b ? -1 : 1));

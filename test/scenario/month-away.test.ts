/** A laptop was in a bag for a month, with work in its folder that nobody has seen, while others shared, renamed, withdrew, removed and restored volumes. */
import { describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../shared/model/fid.ts';
import { minutes } from '../../shared/model/time.ts';
import { mountedLaptops, TEAM, type MountedWorld } from '../support/mounted-laptops.ts';

const CLUB = 3 as VolumeId;
const NEW = 4 as VolumeId;
const DAY_MS = 24 * 3600 * 1000;
const RETENTION = { allDays: 7, dailyDays: 10 };

/** ann and bob show the volumes team and club in their folders; of the fourth bob knows nothing. */
async function begun(): Promise<MountedWorld> {
  const world = await mountedLaptops(4);
  const { ann, bob, cluster } = world;
  cluster.server.metaStore.allow('bob', NEW, null);
  await ann.mount('team');
  await ann.mount('club', CLUB);
  await ann.until(() => 'team/' in ann.tree() && 'club/' in ann.tree(), 'to show both');
  for (const path of ['team/plan', 'team/old', 'club/songs', 'club/rules', 'diary']) {
    ann.write(path, `${path} of before`);
  }
  await ann.flush();
  await bob.until(() => same(bob.tree(), ann.tree()), 'to show all');
  await bob.flush();
  return world;
}

const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The directory of a mounted volume was moved by another laptop: the engine of the one that it had finds it gone, and ends. */
const isOther = (finding: string): boolean => !finding.includes('not where it was');

/** No promise and no lease lasts so long; the wall clocks of all go along, and the server keeps what its retention says. */
async function days(count: number, { cluster, ann, bob }: MountedWorld): Promise<void> {
  await cluster.pass(minutes(5));
  for (const clock of [cluster.server.clock, ann.node.clock, bob.node.clock]) {
    clock.jumpWall(count * DAY_MS);
  }
  await cluster.run(cluster.server.collect(RETENTION));
  await cluster.pass(minutes(5));
}

/** Everything that is anywhere on a laptop, by its text. */
const texts = (laptop: MountedWorld['ann']): string[] =>
  [...Object.values(laptop.tree()), ...laptop.aside()].filter((text) => text !== '').sort();

describe('a laptop that was away for a month', () => {
  it('comes back without losing a byte, and removes nothing at others', async () => {
    const world = await begun();
    const { cluster, ann, bob, findings } = world;
    const { metaStore } = cluster.server;
    await cluster.run(bob.node.close());
    bob.write('team/plan', "bob's plan");
    bob.write('team/from the bag', "bob's in the team");
    bob.write('club/songs', "bob's songs");
    bob.write('club/from the bag', "bob's in the club");
    bob.rename('diary', 'diary of may');
    bob.write('diary of may', "bob's diary");
    const bobs = Object.values(bob.tree()).filter((text) => text.startsWith("bob's"));

    // team gets another name and another place, and is removed and restored; club is withdrawn; a new one is shared.
    metaStore.changeVolume(TEAM, { name: 'crew' });
    ann.mkdir('work');
    ann.rename('team', 'work/crew');
    ann.write('work/crew/plan', "ann's plan");
    ann.write('work/crew/later', "ann's in the team");
    await ann.flush();
    metaStore.changeVolume(TEAM, { isRemoved: true });
    metaStore.allow('bob', CLUB, null);
    await days(5, world);
    metaStore.changeVolume(TEAM, { isRemoved: false });
    metaStore.allow('bob', NEW, 'write');
    await ann.until(() => ann.errors().length === 0, 'to have the volume back');
    await ann.mount('new', NEW);
    await ann.until(() => 'new/' in ann.tree(), 'to show the new one');
    ann.write('new/offer', "ann's offer");
    ann.write('club/songs', "ann's songs");
    await ann.flush();
    await days(25, world);
    const before = texts(ann);

    await cluster.run(bob.node.start());
    await bob.until(() => bob.tree()['new/offer'] === "ann's offer", 'to show the new volume');
    await bob.until(() => !('club/rules' in bob.tree()), 'to show nothing of the club');
    await bob.until(() => bob.aside().length === 2, 'to put aside what the club has not');
    await bob.flush();
    await ann.flush();
    await bob.flush();

    const of = (laptop: MountedWorld['ann']): Record<string, string> =>
      Object.fromEntries(Object.entries(laptop.tree()).filter(([path]) => !/^club\/./.test(path)));
    expect(of(bob)).toEqual(of(ann));
    expect(bob.tree()).not.toHaveProperty('team/');
    // Only the diary that bob has written over is another one.
    expect(texts(ann)).toEqual(
      expect.arrayContaining(before.filter((text) => !/^diary/.test(text))),
    );
    expect(texts(bob)).toEqual(expect.arrayContaining(bobs));
    expect(bob.aside()).toEqual(["bob's in the club", "bob's songs"]);
    expect(texts(ann)).toEqual(
      expect.arrayContaining(bobs.filter((text) => !bob.aside().includes(text))),
    );
    expect(bob.errors()).toEqual([['put-aside', expect.stringContaining('.godwit/lost+found/')]]);

    metaStore.allow('bob', CLUB, 'write');
    await bob.until(() => bob.tree()['club/songs'] === "ann's songs", 'to show the club again');
    await bob.flush();
    expect(bob.tree()).toEqual(ann.tree());
    expect([ann.errors(), findings.filter(isOther)]).toEqual([[], []]);
  });
});

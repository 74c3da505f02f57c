/** A folder is shared by one person, accepted by another, withdrawn and given again, with real daemons on a simulated network: also while the line is cut. */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';

const FOLDER = { mode: 0o755 };
const BOBS = 2 as VolumeId;
const NONCE = '7'.repeat(32);

/** ada administers the volume home; bob has the second volume for his own. */
async function world() {
  const cluster = await Cluster.start({ volumes: 2, clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const bob = await cluster.join('write', 'bob', { volume: BOBS, frontEnd: 'none' });
  return { cluster, ada, bob };
}

const guests = (name: string, rights: number) =>
  ({ kind: 'person', name, negative: false, rights }) as const;

const namesSeen = ({ status }: ClientNode): string[] =>
  status.volumes.flatMap(({ name, shut }) => (shut === true ? [] : [name])).sort();

const numberOf = async (cluster: Cluster, { daemon }: ClientNode, name: string) => {
  const found = (await cluster.run(daemon.programs.volumes())).find((each) => each.name === name);
  return present(found, 'it is seen').id;
};

const codesOf = ({ status }: ClientNode): string[] => status.errors.map(({ code }) => code);

/** What is told of a volume to this person. */
const toldOf = async (cluster: Cluster, { daemon }: ClientNode, name: string) =>
  (await cluster.run(daemon.access.shares())).shares.find(({ volume }) => volume === name);

describe('a folder that people share', () => {
  it('is offered within a second, shown where it is accepted, and gone when its person leaves', async () => {
    const { cluster, ada, bob } = await world();
    const name = await cluster.run(ada.daemon.access.makeVolume('home', 'trip', NONCE));
    expect(namesSeen(ada)).toContain(name);
    expect(namesSeen(bob)).not.toContain(name);
    await cluster.run(ada.daemon.access.set(name, guests('bob', USUAL_SETS.write)));
    const begun = cluster.world.time.now();
    await cluster.until(() => namesSeen(bob).includes(name), 'bob to hear of it');
    expect(cluster.world.time.now() - begun).toBeLessThanOrEqual(seconds(1));
    const offer = { volume: name, own: USUAL_SETS.write, by: 'owner', path: null, isFolder: false };
    expect(await toldOf(cluster, bob, name)).toEqual(offer);

    const shared = await numberOf(cluster, ada, name);
    for (const [node, volume] of [[ada, HOME] as const, [bob, BOBS] as const]) {
      const { programs } = node.daemon;
      await cluster.run(programs.mkdir(rootOf(volume), 'trip', { ...FOLDER, mounts: shared }));
    }
    await cluster.run(ada.daemon.programs.mkdir(rootOf(shared), 'plans', FOLDER));
    await cluster.settled();
    const found = await cluster.run(bob.daemon.programs.lookup(rootOf(BOBS), 'trip'));
    expect(found).toMatchObject({ fid: rootOf(shared), mounted: { volume: name } });
    const listed = await cluster.run(bob.daemon.programs.readdir(found.fid));
    expect(listed.map((each) => each.name)).toEqual(['plans']);

    await cluster.run(bob.daemon.access.leave(name));
    await cluster.until(() => !namesSeen(bob).includes(name), 'bob to see it no more');
    expect(namesSeen(ada)).toContain(name);
  });

  it('is one volume, though the line is cut while it is made', async () => {
    const { cluster, ada } = await world();
    const made = ada.daemon.access.makeVolume('home', 'trip', NONCE);
    await cluster.pass(seconds(0.001));
    cluster.cut(ada);
    await cluster.pass(seconds(5));
    cluster.heal(ada);
    const name = await cluster.run(made);
    expect(await cluster.run(ada.daemon.access.makeVolume('home', 'trip', NONCE))).toBe(name);
    expect(namesSeen(ada)).toEqual(['home', name]);
  });

  it('keeps what a person has written there when it is withdrawn while they are away', async () => {
    const { cluster, ada, bob } = await world();
    const name = await cluster.run(ada.daemon.access.makeVolume('home', 'trip', NONCE));
    const give = (rights: number) => ada.daemon.access.set(name, guests('bob', rights));
    await cluster.run(give(USUAL_SETS.write));
    await cluster.until(() => namesSeen(bob).includes(name), 'bob to hear of it');
    await cluster.settled();
    const shared = await numberOf(cluster, bob, name);
    await cluster.run(bob.daemon.programs.readdir(rootOf(shared)));
    cluster.cut(bob);
    await cluster.run(bob.daemon.programs.mkdir(rootOf(shared), 'away', FOLDER));
    await cluster.run(give(0));
    cluster.heal(bob);
    await cluster.until(() => codesOf(bob).includes('sync-blocked'), 'bob to hear of that');
    expect(await toldOf(cluster, bob, name)).toBeUndefined();
    await cluster.run(give(USUAL_SETS.write));
    await cluster.settled();
    const listed = await cluster.run(ada.daemon.programs.readdir(rootOf(shared)));
    expect(listed.map((each) => each.name)).toEqual(['away']);
  });
});

describe('a name that no server reads', () => {
  it('is refused as that of a folder with what is wrong with it', async () => {
    const { cluster, ada } = await world();
    const share = (label: string) => ada.daemon.access.makeVolume('home', label, NONCE);
    await expect(cluster.run(share('odd\u0001'))).rejects.toMatchObject({
      code: 'usage',
      message:
        'it can not be shared under its name: it has a slash, a backslash or a control character',
      remedy: expect.stringContaining('rename'),
    });
    await expect(cluster.run(share('x'.repeat(65)))).rejects.toMatchObject({ code: 'usage' });
  });

  it.each(['odd\u0001', 'x'.repeat(65), 'a/b', ''])(
    'is refused as that of a person who is not there (%j)',
    async (name) => {
      const { cluster, ada } = await world();
      const set = ada.daemon.access.set('home', guests(name, USUAL_SETS.read));
      await expect(cluster.run(set)).rejects.toMatchObject({
        ...{ code: 'not-found', message: `there is no user ${name}` },
        remedy: expect.stringContaining('godwit server user ls'),
      });
    },
  );

  it('is refused as that of a team that is not there', async () => {
    const { cluster, ada } = await world();
    const change = { ask: 'switch-team', team: 'a/b', isOff: true } as const;
    await expect(cluster.run(ada.daemon.access.changeTeam(change))).rejects.toMatchObject({
      ...{ code: 'not-found', message: 'there is no team @a/b' },
    });
  });
});

it.each([
  ['person', 'there is no user eve'],
  ['team', 'there is no team @eve'],
] as const)(
  'a right for a %s whom nobody knows is refused with where to look',
  async (kind, message) => {
    const { cluster, ada } = await world();
    const set = ada.daemon.access.set('home', { ...guests('eve', USUAL_SETS.read), kind });
    await expect(cluster.run(set)).rejects.toMatchObject({
      ...{ code: 'not-found', message, remedy: expect.stringContaining('godwit server user ls') },
    });
  },
);

/**
 * Access lists and teams, as devices look at them and change them: a change is in force when it is answered, and nobody learns of what they may not see
 * (rules A1 to A5).
 */
import { describe, expect, it } from '@jest/globals';
import { rightSet, USUAL_SETS } from '../../shared/model/access-list.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';
import { CoreServer, type TestDevice } from '../support/core-server.ts';
import { chmod, create, mkdir, remove, rename, VOLUME } from '../support/core-updates.ts';

const NOBODYS = 77 as VolumeId;

interface World {
  readonly server: CoreServer;
  /** Administers the volume. */
  readonly ada: TestDevice;
  readonly bob: TestDevice;
}

async function world(rights: 'read' | 'write' = 'write'): Promise<World> {
  const server = await CoreServer.start();
  const ada = await server.join();
  const bob = await server.join(rights, 'bob');
  return { server, ada, bob };
}

const row = (name: string, rights: number, negative = false, volume = VOLUME) => {
  const kind: 'team' | 'person' = name.startsWith('@') ? 'team' : 'person';
  return { volume, kind, name: name.replace('@', ''), negative, rights };
};

const isConnected = ({ state }: CoreServer, { id }: TestDevice): boolean =>
  (state.devices.get(id)?.connection ?? null) !== null;

const team = (change: RequestOf<'ChangeTeam'>['change']) => ({ change });

describe('a change of access', () => {
  it('is answered when whom it touches has lost the connection, and no sooner', async () => {
    const { server, ada, bob } = await world();
    server.hold.loads = true;
    const call = ada.send('SetAccess', row('bob', USUAL_SETS.read));
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    expect(isConnected(server, bob)).toBe(true);
    await server.release('loads');
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: {} });
    expect(isConnected(server, bob)).toBe(false);
    expect(isConnected(server, ada)).toBe(true);
    expect(await bob.hello()).toMatchObject({ body: { volumes: [{ rights: 'read' }] } });
  });

  it('leaves those connected whom it does not touch', async () => {
    const { server, ada, bob } = await world();
    const eve = await server.join('read', 'eve');
    await ada.ask('SetAccess', row('eve', 0));
    expect([ada, bob, eve].map((each) => isConnected(server, each))).toEqual([true, true, false]);
    expect(await eve.hello()).toMatchObject({ body: { volumes: [] } });
  });

  it('reaches all who are in a team, also by way of another team', async () => {
    const { server, ada, bob } = await world('read');
    for (const name of ['crew', 'all'])
      await ada.ask('ChangeTeam', team({ ask: 'make-team', team: name }));
    const member = { ask: 'member', isIn: true } as const;
    await ada.ask('ChangeTeam', team({ ...member, team: 'crew', kind: 'person', name: 'bob' }));
    await ada.ask('ChangeTeam', team({ ...member, team: 'all', kind: 'team', name: 'crew' }));
    expect(isConnected(server, bob)).toBe(true);
    await ada.ask('SetAccess', row('@all', USUAL_SETS.write));
    expect(isConnected(server, bob)).toBe(false);
    expect(await bob.hello()).toMatchObject({ body: { volumes: [{ rights: 'write' }] } });
    await ada.ask('ChangeTeam', team({ ask: 'switch-team', team: 'crew', isOff: true }));
    expect(isConnected(server, bob)).toBe(false);
    expect(await bob.hello()).toMatchObject({ body: { volumes: [{ rights: 'read' }] } });
  });

  it('is refused to who does not administer the volume, and to the last who does', async () => {
    const { server, ada, bob } = await world();
    expect(await bob.try('SetAccess', row('bob', USUAL_SETS.admin))).toEqual({
      code: 'not-administrator',
    });
    expect(await ada.try('SetAccess', row('owner', USUAL_SETS.write))).toEqual({
      code: 'last-administrator',
    });
    await ada.ask('SetAccess', row('bob', USUAL_SETS.admin));
    await bob.hello();
    const call = ada.send('SetAccess', row('owner', 127, true));
    await server.settle();
    // Her connection has ended with her right.
    expect(server.outcome(call)).toBeUndefined();
    await ada.hello();
    expect(await bob.ask('AccessList', { volume: VOLUME })).toMatchObject({
      own: USUAL_SETS.admin,
      entries: [
        { name: 'bob' },
        { name: 'owner', negative: false },
        { name: 'owner', negative: true },
      ],
    });
  });
});

describe('the seven rights', () => {
  const fids = async ({ ada }: World) => {
    const [file, folder] = [ada.fid(0), ada.fid(1)];
    await ada.apply(create(file, 'file'), mkdir(folder, 'folder'));
    return { file, folder };
  };

  it.each([
    ['insert', { create: true, remove: false, rename: false, chmod: false }],
    ['delete', { create: false, remove: true, rename: false, chmod: false }],
    ['write', { create: false, remove: false, rename: false, chmod: true }],
    ['lock', { create: false, remove: false, rename: false, chmod: false }],
  ] as const)('the right to %s allows that and nothing else', async (right, expected) => {
    const here = await world();
    const { ada, bob } = here;
    const { file, folder } = await fids(here);
    const made = bob.fid(0);
    await ada.ask('SetAccess', row('bob', rightSet(['lookup', 'read', right])));
    await bob.hello();
    const did = async (update: Parameters<TestDevice['apply']>[0]): Promise<boolean> =>
      (await bob.apply(update))[0]?.ok === true;
    expect({
      create: await did(create(made, 'new')),
      rename: await did(rename(file, 'file', 'moved')),
      chmod: await did(chmod(file, 0o600)),
      remove: await did({
        ...remove(file, 'file'),
        op: 'rmdir',
        fid: folder,
        name: 'folder',
      } as never),
    }).toEqual(expected);
    const locked = await bob.try('SetLock', { fid: file, mode: 'exclusive' });
    expect('body' in locked).toBe(right === 'lock');
  });

  it('a device without lookup or without read sees nothing of the volume', async () => {
    const { ada, bob } = await world();
    for (const right of ['lookup', 'read'] as const) {
      await ada.ask('SetAccess', row('bob', USUAL_SETS.admin & ~rightSet([right])));
      expect(await bob.hello()).toMatchObject({ body: { volumes: [] } });
    }
  });

  it('a lock ends with the right to lock', async () => {
    const here = await world();
    const { ada, bob } = here;
    const { file } = await fids(here);
    await bob.ask('SetLock', { fid: file, mode: 'exclusive' });
    await ada.ask('SetAccess', row('bob', USUAL_SETS.write & ~rightSet(['lock'])));
    await bob.hello();
    expect(await ada.ask('Locks', { volume: VOLUME })).toMatchObject({ locks: [] });
  });
});

describe('a device that may not see a volume', () => {
  /** All that there is to ask about access to a volume, and all else that names one. */
  async function everything(mallory: TestDevice, volume: VolumeId) {
    const root = rootOf(volume);
    return [
      await mallory.try('AccessList', { volume }),
      await mallory.try('SetAccess', row('mallory', USUAL_SETS.admin, false, volume)),
      await mallory.try('SetAccess', row('bob', 0, false, volume)),
      await mallory.try('SetAccess', row('nobody', 1, true, volume)),
      await mallory.try('SetAccess', row('@crew', 1, false, volume)),
      await mallory.try('Locks', { volume }),
      await mallory.try('SharingOrders', { volume }),
      await mallory.try('NamedSnapshots', { volume }),
      await mallory.try('AllocateVnodes', { volume, blocks: 1 }),
      await mallory
        .try('FetchStatus', { fids: [root] })
        .then((outcome) => JSON.stringify(outcome).replaceAll(root, 'ROOT')),
    ];
  }

  async function shutOut(): Promise<World & { mallory: TestDevice }> {
    const here = await world();
    const { server, ada } = here;
    const mallory = await server.join('write', 'mallory');
    await ada.ask('ChangeTeam', team({ ask: 'make-team', team: 'crew' }));
    await ada.ask('SetAccess', row('@crew', USUAL_SETS.write));
    await ada.ask('SetAccess', row('mallory', 0));
    await mallory.hello();
    return { ...here, mallory };
  }

  it('gets the same answers about its access as about a volume that never was', async () => {
    const { mallory } = await shutOut();
    const told = await everything(mallory, VOLUME);
    expect(told).toEqual(await everything(mallory, NOBODYS));
    expect(JSON.stringify(told)).not.toMatch(/bob|owner|crew/);
  });

  it('hears nothing with the time, and no break of what others do there', async () => {
    const { server, ada, mallory } = await shutOut();
    server.breaks.length = 0;
    await ada.apply(create(ada.fid(5), 'secret'));
    const told = await mallory.ask('GetTime', {});
    expect(told.heads).toEqual([]);
    expect(JSON.stringify(told)).not.toMatch(/secret|"rooms"|"locks"|"orders"/);
    expect(server.state.volumes.of(VOLUME).promises.ofHolder(mallory.id)).toEqual([]);
  });

  it('sees no team of others, and gets the answer of one that never was', async () => {
    const { mallory } = await shutOut();
    expect(await mallory.ask('Teams', { team: null })).toEqual({ teams: [] });
    expect(await mallory.try('Teams', { team: 'crew' })).toEqual(
      await mallory.try('Teams', { team: 'never' }),
    );
  });

  it('gets no answer to what it had asked for before its right was withdrawn', async () => {
    const { server, ada, mallory } = await shutOut();
    await ada.ask('SetAccess', row('mallory', USUAL_SETS.read));
    await mallory.hello();
    server.hold.loads = true;
    const call = mallory.send('AccessList', { volume: VOLUME });
    await server.settle();
    server.meta.allow('mallory', VOLUME, null);
    server.lookAtRights();
    await server.settle();
    await server.release('loads');
    await server.settle();
    const outcome = server.outcome(call);
    expect(outcome === undefined || !('body' in outcome)).toBe(true);
  });
});

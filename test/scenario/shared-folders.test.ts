/**
 * Folders that people share: who makes a volume for one, who hears of it, and what nobody learns by asking (rules A1 to A5). The requests are those that pass the product's own codec, sent to the core.
 */
import { describe, expect, it } from '@jest/globals';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { wallTime } from '../../shared/model/time.ts';
import { CoreServer, type TestDevice } from '../support/core-server.ts';
import { VOLUME } from '../support/core-updates.ts';

const NONCE = '7'.repeat(32);
const HIDDEN = 5 as VolumeId;
const asked = (label = 'trip', nonce = NONCE, volume = VOLUME) => ({ volume, label, nonce });
const row = (volume: VolumeId, name: string, rights: number) => {
  return { volume, kind: 'person', name, negative: false, rights } as const;
};

async function world() {
  const server = await CoreServer.start();
  const ada = await server.join();
  const bob = await server.join('write', 'bob');
  const eve = await server.join('read', 'eve');
  return { server, ada, bob, eve };
}

/** Its connection ends with the news, and it asks again. */
async function make(server: CoreServer, ada: TestDevice, body = asked()) {
  const call = ada.send('MakeVolume', body);
  await server.settle();
  expect(server.outcome(call)).toBeUndefined();
  await ada.hello();
  return ada.ask('MakeVolume', body);
}

const seenBy = async (device: TestDevice): Promise<number[]> => {
  const heard = await device.hello();
  if (!('body' in heard)) throw new Error(heard.code);
  return (heard.body as { volumes: Array<{ id: number }> }).volumes.map(({ id }) => id);
};

describe('a volume for a shared folder', () => {
  it('is made once, however often it is asked for, and is seen by its maker alone', async () => {
    const { server, ada, bob, eve } = await world();
    const made = await make(server, ada);
    expect(made.name).toMatch(/^trip-[0-9a-f]{4}$/);
    expect(await ada.ask('MakeVolume', asked())).toEqual(made);
    expect(await seenBy(ada)).toEqual([VOLUME, made.volume]);
    expect(await seenBy(bob)).toEqual([VOLUME]);
    expect(await seenBy(eve)).toEqual([VOLUME]);
    expect(await ada.ask('Shares', {})).toEqual({
      person: 'owner',
      shares: [
        { volume: VOLUME, own: USUAL_SETS.admin, by: null },
        { volume: made.volume, own: USUAL_SETS.admin, by: null },
      ],
    });
  });

  it('is refused to who does not administer the volume around the folder', async () => {
    const { bob, eve } = await world();
    for (const device of [bob, eve]) {
      expect(await device.try('MakeVolume', asked())).toEqual({ code: 'not-administrator' });
    }
  });

  it('is another one for another person with the same drawn number of the order', async () => {
    const { server, ada, bob } = await world();
    await ada.ask('SetAccess', row(VOLUME, 'bob', USUAL_SETS.admin));
    await bob.hello();
    const made = await make(server, ada);
    const other = await make(server, bob);
    expect(other.volume).not.toBe(made.volume);
    expect(await seenBy(bob)).toEqual([VOLUME, other.volume]);
  });

  it.each(['.', '..', '-trip', 'a:b', 'a/b', 'a\u0001b'])('can not be called %j', async (label) => {
    const { ada } = await world();
    expect(await ada.try('MakeVolume', asked(label))).toEqual({ code: 'usage' });
  });

  it('counts for its maker, who can not make any number of them', async () => {
    const { server, ada } = await world();
    const codes = new Set<string>();
    for (let n = 0; n < 70; n++) {
      ada.send('MakeVolume', asked('trip', String(n).padStart(32, '0')));
      await server.settle();
      await ada.hello();
    }
    const last = await ada.try('MakeVolume', asked());
    if ('code' in last) codes.add(last.code);
    expect([...codes]).toEqual(['usage']);
    expect(await seenBy(ada)).toHaveLength(65);
  });

  it('has the quota of the volume around the folder', async () => {
    const { server, ada } = await world();
    await server.limit(12_345);
    const { volume } = await make(server, ada);
    expect(server.state.volumes.of(volume).quota.limit).toBe(12_345);
  });
});

describe('a shared folder', () => {
  it('says who gave it, reaches a connected person with the next Hello, and goes when they leave', async () => {
    const { server, ada, bob, eve } = await world();
    const { volume } = await make(server, ada);
    await ada.ask('SetAccess', row(volume, 'bob', USUAL_SETS.write));
    expect(await seenBy(bob)).toEqual([VOLUME, volume]);
    const { shares } = await bob.ask('Shares', {});
    expect(shares).toContainEqual({ volume, own: USUAL_SETS.write, by: 'owner' });
    expect(await seenBy(eve)).toEqual([VOLUME]);
    bob.send('LeaveVolume', { volume });
    await server.settle();
    expect(await seenBy(bob)).toEqual([VOLUME]);
    expect(await ada.ask('AccessList', { volume })).toMatchObject({ entries: [{ name: 'owner' }] });
  });

  it('says who gave it to a team', async () => {
    const { server, ada, bob } = await world();
    const { volume } = await make(server, ada);
    await ada.ask('ChangeTeam', { change: { ask: 'make-team', team: 'crew' } });
    const member = { ask: 'member', kind: 'person', name: 'bob', isIn: true } as const;
    await ada.ask('ChangeTeam', { change: { ...member, team: 'crew' } });
    await ada.ask('SetAccess', { ...row(volume, 'crew', USUAL_SETS.read), kind: 'team' });
    await bob.hello();
    const offered = { volume, own: USUAL_SETS.read, by: 'owner' };
    expect((await bob.ask('Shares', {})).shares).toContainEqual(offered);
    // It was the team that let him in: he has no row of his own to give up.
    expect(await bob.ask('LeaveVolume', { volume })).toEqual({});
    expect((await bob.ask('Shares', {})).shares).toContainEqual(offered);
  });

  it('is not left by the last who may say who uses it', async () => {
    const { server, ada } = await world();
    const { volume } = await make(server, ada);
    expect(await ada.try('LeaveVolume', { volume })).toEqual({ code: 'last-administrator' });
  });
});

describe('a person who may not see a volume', () => {
  /** All that eve may ask about volumes, with what came of it. */
  async function answers(withHidden: boolean): Promise<unknown[]> {
    const { server, ada, bob, eve } = await world();
    if (withHidden) {
      server.meta.makeVolume(HIDDEN, 'trip', wallTime(0));
      server.meta.allow('bob', HIDDEN, 'write');
      await bob.hello();
      await ada.hello();
    }
    return Promise.all([
      eve.try('Shares', {}),
      eve.try('LeaveVolume', { volume: HIDDEN }),
      eve.try('MakeVolume', asked('trip', NONCE, HIDDEN)),
      eve.try('MakeVolume', asked()),
      eve.try('AccessList', { volume: HIDDEN }),
      eve.try('SetAccess', row(HIDDEN, 'eve', USUAL_SETS.admin)),
    ]);
  }

  it('is answered as if it were not there, whatever they ask', async () => {
    const told = await answers(true);
    expect(told).toEqual(await answers(false));
    expect(told.slice(1, 3)).toEqual([{ code: 'no-such-volume' }, { code: 'no-such-volume' }]);
  });

  it('makes a volume that is called like a hidden one, as if that were not there', async () => {
    const { server, ada } = await world();
    server.meta.makeVolume(HIDDEN, 'trip', wallTime(0));
    expect((await make(server, ada)).name).toMatch(/^trip-[0-9a-f]{4}$/);
  });

  it('hears nothing of one that was withdrawn while the store was asked', async () => {
    const { server, ada, bob } = await world();
    const { volume } = await make(server, ada);
    await ada.ask('SetAccess', row(volume, 'bob', USUAL_SETS.write));
    await bob.hello();
    server.hold.loads = true;
    const call = bob.send('Shares', {});
    await server.settle();
    server.meta.allow('bob', volume, null);
    server.lookAtRights();
    await server.settle();
    await server.release('loads');
    await server.settle();
    const outcome = server.outcome(call);
    const told = outcome !== undefined && 'body' in outcome ? JSON.stringify(outcome.body) : '';
    expect(told).not.toContain(String(volume));
  });
});

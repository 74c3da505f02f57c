import { describe, expect, it } from '@jest/globals';
import { CoreServer, TestDevice } from '../../../test/support/core-server.ts';
import { create, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { PROTOCOL, type RequestOf } from '../../../shared/wire/rpcs.ts';
import { HELLO_WAIT } from '../../limits.ts';

const ID = '1'.repeat(32);
const SECRET = '2'.repeat(32);
const invitation = { id: ID, secret: SECRET };

async function invited(change: { expires?: number; rights?: 'read' | 'write' } = {}) {
  const server = await CoreServer.start();
  const expires = (change.expires ?? 1e9) as WallTime;
  server.meta.invite({ ...invitation, user: 'guest', rights: change.rights ?? 'read', expires });
  return server;
}

describe('the RPC Hello', () => {
  it('must come first on a connection', async () => {
    const device = new TestDevice(await CoreServer.start(), '1');
    device.connect();
    expect(await device.try('GetTime', {})).toEqual({ code: 'hello-first' });
  });

  it('must come soon after the connection', async () => {
    const server = await CoreServer.start();
    const device = new TestDevice(server, '1');
    device.connect();
    await server.pass(HELLO_WAIT);
    expect(server.closedConnections).toEqual([device.connection]);
  });

  it.each<[string, Partial<RequestOf<'Hello'>>, string]>([
    [
      'another protocol',
      { protocol: { min: PROTOCOL.max + 1, max: PROTOCOL.max + 2 } },
      'protocol-version',
    ],
    ['another epoch', { epoch: 'a'.repeat(32) }, 'epoch-changed'],
    ['no invitation', {}, 'not-paired'],
    ['an unknown invitation', { invitation: { id: SECRET, secret: SECRET } }, 'invitation-unknown'],
    ['an altered invitation', { invitation: { id: ID, secret: ID } }, 'invitation-unknown'],
  ])('is refused for an unknown device with %s', async (_, change, code) => {
    expect(await new TestDevice(await invited(), '1').hello(change)).toEqual({ code });
  });

  it('pairs a device that has an invitation, with its rights', async () => {
    const outcome = await new TestDevice(await invited(), '1').hello({ invitation });
    expect(outcome).toMatchObject({
      body: {
        device: 1,
        user: 'guest',
        epoch: 'e'.repeat(32),
        volumes: [{ id: 1, name: 'home', root: ROOT, rights: 'read', head: 1 }],
      },
    });
  });

  it('is refused with an expired invitation', async () => {
    const server = await invited({ expires: 1000 });
    expect(await new TestDevice(server, '1').hello({ invitation })).toEqual({
      code: 'invitation-expired',
    });
  });

  it('accepts a used invitation from the device that used it and from no other', async () => {
    const server = await invited();
    const first = new TestDevice(server, '1');
    await first.hello({ invitation });
    expect(await first.hello({ invitation })).toMatchObject({ body: { device: 1 } });
    expect(await new TestDevice(server, '2').hello({ invitation })).toEqual({
      code: 'invitation-used',
    });
  });

  it('accepts only the first of two devices with one invitation', async () => {
    const server = await invited();
    server.hold.commits = true;
    const [first, second] = [new TestDevice(server, '1'), new TestDevice(server, '2')];
    const one = first.hello({ invitation });
    const two = second.hello({ invitation });
    expect(await two).toEqual({ code: 'invitation-used' });
    await server.release('commits');
    await expect(one).rejects.toThrow('the call is answered');
    expect(server.sessions()).toEqual([1]);
  });

  it('gives a device whose name another one of its user has a number behind it', async () => {
    const server = await invited();
    const again = { id: '3'.repeat(32), secret: SECRET };
    const third = { id: '4'.repeat(32), secret: SECRET };
    const more = { rights: 'read', expires: 1e9 as WallTime } as const;
    for (const each of [again, third]) server.meta.invite({ ...each, user: 'guest', ...more });
    const asked = { deviceName: 'laptop', protocol: { min: 1, max: 4 } };
    server.hold.commits = true;
    const calls = [invitation, again, third].map((each, index) =>
      new TestDevice(server, String(index + 1)).sendHello({ ...asked, invitation: each }),
    );
    await server.settle();
    await server.release('commits');
    const told = calls.map((call) => {
      const outcome = server.outcome(call);
      return (outcome as { body: { deviceName?: string } }).body.deviceName;
    });
    expect(told).toEqual([undefined, 'laptop 2', 'laptop 3']);
    expect([1, 2, 3].map((id) => server.meta.nameOf(id))).toEqual([
      ...['laptop', 'laptop 2', 'laptop 3'],
    ]);
    // It is told again, should it not have heard.
    const back = new TestDevice(server, '2');
    back.incarnation = 1;
    expect(await back.hello(asked)).toMatchObject({ body: { deviceName: 'laptop 2' } });
  });

  it('takes no name from a device of somebody else, and none from one that was revoked', async () => {
    const server = await invited();
    const [of, two] = ['5', '6'].map((digit) => ({ id: digit.repeat(32), secret: SECRET }));
    const more = { rights: 'read', expires: 1e9 as WallTime } as const;
    server.meta.invite({ ...of!, user: 'bob', ...more });
    server.meta.invite({ ...two!, user: 'guest', ...more });
    const asked = { deviceName: 'laptop', protocol: { min: 1, max: 4 } };
    for (const [name, each] of [
      ['1', invitation],
      ['2', of!],
    ] as const) {
      await new TestDevice(server, name).hello({ ...asked, invitation: each });
    }
    expect(server.meta.nameOf(2)).toBe('laptop');
    server.meta.revoke(1);
    await new TestDevice(server, '3').hello({ ...asked, invitation: two! });
    expect(server.meta.nameOf(3)).toBe('laptop');
  });

  it.each([
    ['the next one', { previous: 1, next: 2 }, true],
    ['the same one again (its answer was lost)', { previous: null, next: 1 }, true],
    ['an unknown one', { previous: 7, next: 8 }, false],
    ['a first one again', { previous: null, next: 2 }, false],
  ])('accepts or refuses %s as incarnation', async (_, { previous, next }, fine) => {
    const device = new TestDevice(await invited(), '1');
    const token = (n: number): string => n.toString(16).padStart(32, '0');
    await device.hello({ invitation, incarnation: { previous: null, next: token(1) } });
    const chain = { previous: previous === null ? null : token(previous), next: token(next) };
    const outcome = await device.hello({ incarnation: chain });
    expect(outcome).toMatchObject(fine ? { body: {} } : { code: 'incarnation-reused' });
  });

  it('refuses a copied data folder once the other copy has gone on', async () => {
    const server = await invited();
    const device = new TestDevice(server, '1');
    await device.hello({ invitation });
    const copy = new TestDevice(server, '1');
    copy.incarnation = device.incarnation;
    await device.hello();
    expect(
      await copy.hello({ incarnation: { previous: '0'.repeat(31) + '1', next: 'c'.repeat(32) } }),
    ).toEqual({
      code: 'incarnation-reused',
    });
  });

  it('is accepted once for each connection', async () => {
    const device = await (await CoreServer.start()).join();
    const again = device.send('Hello', {
      protocol: { min: 1, max: 1 },
      software: 't',
      deviceName: 'd',
      incarnation: { previous: null, next: ID },
      epoch: null,
      lowWater: 0 as UpdateSeq,
      invitation: null,
    });
    await device.server.settle();
    expect(device.server.outcome(again)).toEqual({ code: 'bad-message' });
  });
});

describe('the rights of a device', () => {
  const other = 2 as VolumeId;

  it.each([
    ['Changes', { volume: other, since: 0, limit: 1, wait: false, promise: false }],
    ['Snapshot', { volume: other, at: null, after: null, limit: 1 }],
    ['AllocateVnodes', { volume: other, blocks: 1 }],
    ['FetchDir', { fid: '2.1.1', at: null, after: null, limit: 1 }],
    ['Fetch', { fid: '2.1.1', version: null }],
    [
      'Apply',
      {
        volume: other,
        lowWater: 0,
        updates: [{ seq: 1, after: [], update: create('2.1.1' as never, 'x') }],
      },
    ],
  ] as const)('hide a volume from %s as if it did not exist', async (rpc, body) => {
    const device = await (await CoreServer.start()).join();
    expect(await device.try(rpc, body as never)).toEqual({ code: 'no-such-volume' });
  });

  it('hide vnodes of a volume without access', async () => {
    const device = await (await CoreServer.start()).join();
    const { items } = await device.ask('FetchStatus', { fids: ['2.1.1' as never, ROOT] });
    expect(items).toMatchObject([{ status: null, grant: null }, { status: { fid: ROOT } }]);
    const answer = await device.ask('Validate', {
      items: [{ fid: '2.1.1' as never, commit: 1 as never }],
    });
    expect(answer.items[0]).toMatchObject({ current: false, status: null, grant: null });
  });

  it('allow no writes when they are for reading', async () => {
    const server = await CoreServer.start();
    const device = await server.join('read', 'guest');
    expect(await device.try('AllocateVnodes', { volume: VOLUME, blocks: 1 })).toEqual({
      code: 'no-right',
    });
    const call = device.sendUpdates([{ update: create('1.65536.2' as never, 'x') }]);
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { results: [{ refusal: 'no-right' }] } });
    const store = device.sendStore('1.65536.2' as never, 0);
    await server.settle();
    expect(server.outcome(store)).toMatchObject({ body: { result: { refusal: 'no-right' } } });
  });

  it('end at once with their promises when they are withdrawn', async () => {
    const server = await CoreServer.start();
    const device = await server.join('read', 'guest');
    await device.ask('FetchStatus', { fids: [ROOT] });
    server.meta.allow('guest', VOLUME, null);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([device.id]) });
    expect(server.closedConnections).toEqual([device.connection]);
    await device.hello();
    expect(await device.ask('FetchStatus', { fids: [ROOT] })).toMatchObject({
      items: [{ status: null }],
    });
    expect(server.state.volumes.promisesOf(device.id)).toEqual([]);
  });

  it('stay revoked when the device was revoked before the row of its Hello was committed', async () => {
    const server = await CoreServer.start();
    const device = await server.join();
    server.hold.commits = true;
    const hello = device.hello();
    await server.settle();
    server.meta.revoke(device.id);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([device.id]) });
    const again = device.hello();
    await server.settle();
    await server.release('commits');
    await hello.catch(() => null);
    expect(await again).toEqual({ code: 'device-revoked' });
  });

  it('stay withdrawn when they ended before the row of its Hello was committed', async () => {
    const server = await CoreServer.start();
    const device = await server.join('write', 'guest');
    server.hold.commits = true;
    device.sendHello();
    await server.settle();
    server.meta.allow('guest', VOLUME, null);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([device.id]) });
    const again = device.sendHello();
    await server.settle();
    await server.release('commits');
    expect(server.outcome(again)).toMatchObject({ body: { volumes: [] } });
  });

  it('end with the next Hello of a revoked device, whatever comes of that', async () => {
    const server = await CoreServer.start();
    const device = await server.join();
    const before = device.connection;
    server.meta.revoke(device.id);
    server.hold.loads = true;
    device.sendHello();
    await server.settle();
    device.disconnect();
    await server.release('loads');
    expect(server.closedConnections).toEqual([before]);
    expect(server.sessions()).toEqual([]);
  });

  it('end with any other message whose answer takes the row of the device', async () => {
    const server = await CoreServer.start();
    const [guest, gone] = [await server.join('write', 'guest'), await server.join()];
    server.hold.loads = true;
    const late = guest.sendUpdates([{ update: create(guest.fid(0), 'late') }]);
    await server.settle();
    server.meta.allow('guest', VOLUME, null);
    server.meta.revoke(gone.id);
    server.hold.loads = false;
    const calls = [guest, gone].map((each) => each.send('RenameDevice', { name: 'another' }));
    await server.settle();
    await server.release('loads');
    expect(server.closedConnections).toEqual([guest.connection, gone.connection]);
    for (const call of [late, ...calls]) expect(server.outcome(call)).toBeUndefined();
    expect(server.state.volumes.of(VOLUME).head.staged).toBe(1);
    expect(await gone.hello()).toEqual({ code: 'device-revoked' });
  });

  it('stay revoked when older rows of the device arrive', async () => {
    const server = await CoreServer.start();
    const device = await server.join();
    server.hold.loads = true;
    const hello = device.sendHello();
    await server.settle();
    server.meta.revoke(device.id);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([device.id]) });
    await server.release('loads');
    expect(server.outcome(hello)).toEqual({ code: 'device-revoked' });
  });

  it('end with its connection and marks when it is revoked, and nobody waits for it', async () => {
    const server = await CoreServer.start();
    const [a, b] = [await server.join(), await server.join()];
    await a.apply(create(a.fid(0), 'x'));
    await b.ask('FetchStatus', { fids: [a.fid(0)] });
    b.sendStore(a.fid(0), 0);
    server.hold.breaks = true;
    await b.ask('FetchStatus', { fids: [ROOT] });
    const call = a.sendUpdates([{ update: create(a.fid(1), 'y') }]);
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    server.meta.revoke(b.id);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([a.id, b.id]) });
    await server.settle();
    expect(server.outcome(call)).toBeDefined();
    expect(server.closedConnections).toEqual([b.connection]);
    expect(server.state.volumes.limits.marks.owners()).toEqual([]);
    expect(await b.hello()).toEqual({ code: 'device-revoked' });
  });

  it('end for two revoked devices at once, and neither gets breaks for the other', async () => {
    const server = await CoreServer.start();
    const [a, b, c] = [await server.join(), await server.join(), await server.join()];
    await a.apply(create(a.fid(0), 'x'));
    await b.ask('FetchStatus', { fids: [ROOT] });
    server.hold.breaks = true;
    const call = c.sendUpdates([{ update: create(c.fid(1), 'y') }]);
    await server.settle();
    for (const { id } of [b, c]) server.meta.revoke(id);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([b.id, c.id]) });
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    expect(server.closedConnections).toEqual([b.connection, c.connection]);
  });
});

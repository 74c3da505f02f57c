/**
 * Daemons with a server from before shared folders, and such daemons with a server of today: each goes on in the volume that it has. An older
 * server can not read a request or a field that it does not know; an older daemon says in its Hello what it speaks.
 */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { replaceMethod } from '../../app/lab/simulator/mutant/replace-method.ts';
import { Client } from '../../daemon/core/client.ts';
import { RpcServer } from '../../server/runtime/rpc-server.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { decodeRequest } from '../../shared/wire/codec.ts';
import { PROTOCOL, SOURCES_FROM } from '../../shared/wire/rpcs.ts';
import { mountedLaptops } from '../support/mounted-laptops.ts';
import { agreed } from './agreed.ts';

const SECOND = 2 as VolumeId;
const NONCE = '7'.repeat(32);
const DEEP = '/a/b/c/file';
const BIG = 'b'.repeat(200_000) + 'c'.repeat(200_000);
/** That such a server does not know: lookups of a whole path, and all that shares folders. */
const LATER = ['Lookup', 'Shares', 'MakeVolume', 'LeaveVolume'];

const mends: Array<() => void> = [];
afterEach(() => {
  for (const mend of mends.splice(0)) mend();
});

/** From now on servers speak so much, and read nothing that came later. Gives what they could not read. */
function olderServers(max: number): string[] {
  const unread: string[] = [];
  const { max: usual } = PROTOCOL;
  Object.assign(PROTOCOL, { max });
  const incoming = Reflect.get<RpcServer, 'incoming'>(RpcServer.prototype, 'incoming');
  const spy = jest.spyOn(RpcServer.prototype, 'incoming');
  spy.mockImplementation(function (this: RpcServer, connection, call, message) {
    const { rpc, body } = decodeRequest(message.header, 'client');
    const isLater = LATER.includes(rpc) || (rpc === 'Store' && body.stream?.from !== undefined);
    if (isLater) unread.push(rpc);
    const header = isLater ? Uint8Array.from([0x92, 0xcd, 0x27, 0x0f, 0x80]) : message.header;
    incoming.call(this, connection, call, { ...message, header });
  });
  mends.push(() => {
    Object.assign(PROTOCOL, { max: usual });
    spy.mockRestore();
  });
  return unread;
}

/** From now on these laptops say in their Hello that they speak no more than this. */
function olderDaemons(max: number, ...names: string[]): void {
  const mend = replaceMethod(Client.prototype, 'step', (step) => {
    return function (this: Client, event, now) {
      const done = step.call(this, event, now);
      if (!names.includes(this.inside.deviceName)) return done;
      const effects = done.effects.map((effect) => {
        if (effect.kind !== 'request' || effect.message.rpc !== 'Hello') return effect;
        const body = { ...effect.message.body, protocol: { min: 1, max } };
        return { ...effect, message: { rpc: 'Hello' as const, body } };
      });
      return { ...done, effects };
    };
  });
  mends.push(mend);
}

const refusal = (cluster: Cluster, asked: Promise<unknown>): Promise<unknown> =>
  cluster.run(asked).then(
    () => null,
    (error: { code?: string }) => error.code,
  );

describe.each([1, 7, 9])('an older server of version %i', (max) => {
  it('is asked name by name for a path, and its daemons go on in their volume', async () => {
    const unread = olderServers(max);
    const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', clients: 2 });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    for (const path of ['/a', '/a/b', '/a/b/c']) {
      await cluster.at(ada, (files) => files.mkdir(path));
    }
    await cluster.at(ada, (files) => files.write(DEEP, 'deep'));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.look(DEEP))).toMatchObject({ size: 4 });
    await cluster.at(bob, (files) => files.write(DEEP, "bob's"));
    await cluster.settled();
    expect(await cluster.at(ada, (files) => files.read(DEEP))).toEqual("bob's");
    // A daemon asks for a whole path from 8 on, and hears then that it can not be read.
    expect([...new Set(unread)]).toEqual(max < 8 ? [] : ['Lookup']);
    expect([ada, bob].map(({ status }) => [status.state, status.errors])).toEqual([
      ['idle', []],
      ['idle', []],
    ]);
  });

  it('refuses to share as too old, and syncs what is written meanwhile', async () => {
    olderServers(max);
    const cluster = await Cluster.start({ seed: 1, clients: 2 });
    const [ada] = cluster.clients as [ClientNode];
    const { access } = ada.daemon;
    const asked = [
      () => access.shares(),
      () => access.makeVolume('home', 'trip', NONCE),
      () => access.leave('home'),
    ];
    for (const ask of asked) expect(await refusal(cluster, ask())).toBe('server-too-old');
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    expect(await agreed(cluster)).toEqual({ '/doc': 'text' });
  });
});

it('a server that knows no source of a store is sent a file that moves into another volume whole', async () => {
  const unread = olderServers(SOURCES_FROM - 1);
  const { ann, bob } = await mountedLaptops();
  await ann.mount('team');
  await bob.until(() => 'team/' in bob.tree(), 'to show the mount point');
  bob.write('big', BIG);
  await bob.flush();
  bob.rename('big', 'team/big');
  await bob.flush();
  await ann.until(() => ann.tree()['team/big'] === BIG, 'to show it there');
  expect(unread.filter((rpc) => rpc === 'Store')).toEqual([]);
  expect([ann.errors(), bob.errors()]).toEqual([[], []]);
});

describe.each([1, 7, 9])('an older daemon of version %i', (max) => {
  it('goes on in its volume while others share, withdraw and give up volumes', async () => {
    olderDaemons(max, 'bob');
    const cluster = await Cluster.start({ volumes: 2, clients: 1 });
    const [ada] = cluster.clients as [ClientNode];
    const bob = await cluster.join('write', 'bob');
    const { access, programs } = ada.daemon;
    const name = await cluster.run(access.makeVolume('home', 'trip', NONCE));
    const guest = (rights: number) =>
      access.set(name, { kind: 'person', name: 'bob', negative: false, rights });
    for (const rights of [USUAL_SETS.write, 0, USUAL_SETS.read]) {
      await cluster.run(guest(rights));
      await cluster.at(ada, (files) => files.write('/doc', `ada, ${rights}`));
      await cluster.at(bob, (files) => files.write('/other', `bob, ${rights}`));
      await cluster.settled();
    }
    const shared = (await cluster.run(programs.volumes())).find((each) => each.name === name);
    await cluster.run(programs.mkdir(rootOf(shared?.id ?? SECOND), 'plans', { mode: 0o755 }));
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/away', 'written away'));
    await cluster.run(guest(0));
    cluster.heal(bob);
    await cluster.settled();
    const all = { '/doc': 'ada, 3', '/other': 'bob, 3', '/away': 'written away' };
    expect(cluster.shown(ada)).toEqual(all);
    expect(cluster.shown(bob)).toEqual(all);
    expect(bob.status.errors).toEqual([]);
  });
});

it('an older daemon is sent a file that a newer one has moved into another volume, and gives it back', async () => {
  olderDaemons(SOURCES_FROM - 1, 'bob');
  const { ann, bob } = await mountedLaptops();
  await ann.mount('team');
  ann.write('big', BIG);
  await ann.flush();
  await bob.until(() => bob.tree()['big'] === BIG, 'to show it outside');
  ann.rename('big', 'team/big');
  await ann.flush();
  await bob.until(() => bob.tree()['team/big'] === BIG, 'to show it there');
  bob.rename('team/big', 'back');
  await bob.flush();
  await ann.until(() => ann.tree()['back'] === BIG, 'to show it outside again');
  expect([ann.tree(), ann.errors(), bob.errors()]).toEqual([bob.tree(), [], []]);
});

/** SetLock, ReleaseLock and Locks in the core of the server (rules K1 to K5). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, digestOf, type TestDevice } from '../../../test/support/core-server.ts';
import { create, mkdir, remove, rename, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import type { LockMode } from '../../../shared/model/file-lock.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { MAX_DEVICE_LOCKS } from '../../../shared/wire/limits.ts';
import { LOCKS_FROM } from '../../../shared/wire/locks.ts';
import { FETCH_WAIT, LEASE } from '../../limits.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let x: Fid;

beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join()];
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  await a.store(x, 0);
});

const set = (device: TestDevice, mode: LockMode = 'exclusive', fid = x) =>
  device.try('SetLock', { fid, mode });
const granted = (revision: number) => ({ body: { commit: expect.any(Number), revision } });
const heldBy = (...devices: readonly TestDevice[]) => ({
  body: { heldBy: devices.map(({ id }) => expect.objectContaining({ device: id, fid: x })) },
});
const list = async (device = b) =>
  (await device.ask('Locks', { volume: VOLUME })).locks.map((lock) => [lock.device, lock.mode]);

describe('a lock that is asked for', () => {
  it('is granted to one device, or to several that share it', async () => {
    expect(await set(a)).toMatchObject(granted(1));
    expect(await set(b)).toMatchObject(heldBy(a));
    expect(await set(b, 'shared')).toMatchObject(heldBy(a));
    expect(await set(a, 'shared')).toMatchObject(granted(2));
    expect(await set(b, 'shared')).toMatchObject(granted(3));
    expect(await set(a)).toMatchObject(heldBy(b));
    expect(await list()).toEqual([
      [a.id, 'shared'],
      [b.id, 'shared'],
    ]);
  });

  it('keeps its revision if the device has it already', async () => {
    await set(a);
    expect(await set(a)).toMatchObject(granted(1));
  });

  it('waits for a store of another that is on its way (rule K2)', async () => {
    const store = a.sendStore(x, 1, { digest: digestOf('d') });
    const call = b.send('SetLock', { fid: x, mode: 'exclusive' });
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    a.sendContent(store, { digest: digestOf('d') });
    await server.settle();
    expect(server.outcome(call)).toMatchObject(granted(1));
  });

  it('does not wait for ever', async () => {
    a.sendStore(x, 1, { digest: digestOf('d') });
    const call = b.send('SetLock', { fid: x, mode: 'exclusive' });
    await server.pass(FETCH_WAIT);
    expect(server.outcome(call)).toMatchObject(granted(1));
    expect(server.outcome(call)).toMatchObject({ body: { behind: true } });
  });

  it('is granted without a word of hidden updates where there are none', async () => {
    expect(await set(a)).not.toHaveProperty('body.behind');
  });

  it('has the time that its device says, as far as that can be', async () => {
    const since = async (said?: number) => {
      const about = said === undefined ? {} : { since: wallTime(said) };
      const reply = await a.ask('SetLock', { fid: x, mode: 'exclusive', ...about });
      const told = (await b.ask('Locks', { volume: VOLUME })).locks[0]?.since;
      expect(reply.since).toBe(told);
      await a.ask('ReleaseLock', { fid: x });
      return told;
    };
    const now = await since();
    expect(now).toBeGreaterThan(0);
    expect(await since(5)).toBe(5);
    expect(await since(0.5)).toBe(0.5);
    expect(await since(-8.64e15)).toBe(0);
    expect(await since(8.64e15)).toBe(now);
  });

  it('is refused for folders, for what is not there, and to who may only read', async () => {
    await a.apply(mkdir(a.fid(1), 'folder'));
    expect(await set(b, 'exclusive', a.fid(1))).toEqual({ code: 'no-such-vnode' });
    expect(await set(b, 'exclusive', a.fid(2))).toEqual({ code: 'no-such-vnode' });
    expect(await set(b, 'exclusive', ROOT)).toEqual({ code: 'no-such-vnode' });
    const reader = await server.join('read', 'reader');
    expect(await set(reader)).toEqual({ code: 'no-right' });
    expect(await reader.try('ReleaseLock', { fid: x, broken: true })).toEqual({ code: 'no-right' });
    expect(await list(reader)).toEqual([]);
  });

  it('is refused to a device that has too many', async () => {
    for (let n = 1; n <= MAX_DEVICE_LOCKS; n++) {
      await a.apply(create(a.fid(n), `f${n}`));
      expect(await set(a, 'shared', a.fid(n))).toMatchObject({ body: { revision: n } });
    }
    expect(await set(a)).toEqual({ code: 'too-many-locks' });
    expect(await set(b)).toMatchObject({ body: {} });
  });
});

describe('a lock', () => {
  it('ends with the word of its holder, and of nobody else', async () => {
    await set(a);
    expect(await b.ask('ReleaseLock', { fid: x })).toEqual({ left: 0 });
    expect(await list()).toEqual([[a.id, 'exclusive']]);
    await a.ask('ReleaseLock', { fid: x });
    expect(await list()).toEqual([]);
  });

  it('ends with the lease of a device that is cut off, and not before (rule K1)', async () => {
    await set(a);
    a.disconnect();
    await server.pass(LEASE - 1);
    expect(await list()).toHaveLength(1);
    await server.pass(1);
    expect(await list()).toEqual([]);
  });

  it('ends at once if its device leaves in good order', async () => {
    await set(a);
    a.disconnect(true);
    expect(await list()).toEqual([]);
  });

  it('ends with its file, and goes on with what is renamed over that (rule W3)', async () => {
    const y = a.fid(1);
    await a.apply(create(y, 'y'));
    await set(b);
    await a.applyOne(rename(y, 'y', 'x', { over: x, base: 1 }));
    expect((await b.ask('Locks', { volume: VOLUME })).locks).toMatchObject([{ fid: y }]);
    await a.applyOne(remove(y, 'x'));
    expect(await list()).toEqual([]);
  });
});

describe('a broken lock (rule K5)', () => {
  it('is given to another when its holder has let go of it', async () => {
    await set(a);
    expect(await b.ask('ReleaseLock', { fid: x, broken: true })).toEqual({ left: 1 });
    const { name: brokenBy } = server.state.devices.get(b.id) ?? {};
    const broken = { device: a.id, broken: true, brokenBy };
    expect(await set(b)).toMatchObject({ body: { heldBy: [broken] } });
    expect((await a.ask('Locks', { volume: VOLUME })).locks).toMatchObject([broken]);
    await a.ask('ReleaseLock', { fid: x });
    expect(await set(b)).toMatchObject({ body: {} });
    expect(await list()).toEqual([[b.id, 'exclusive']]);
  });

  it('is refused to its holder once, so that its person hears of it', async () => {
    await set(a);
    await b.ask('ReleaseLock', { fid: x, broken: true });
    expect(await set(a)).toMatchObject({ body: { heldBy: [{ device: a.id, broken: true }] } });
    expect(await list()).toEqual([]);
    expect(await set(a)).not.toMatchObject(heldBy(a));
  });

  it('is no other lock that the device has itself', async () => {
    await set(a);
    expect(await a.ask('ReleaseLock', { fid: x, broken: true })).toEqual({ left: 0 });
    expect(await list()).toEqual([[a.id, 'exclusive']]);
  });
});

it('a restarted server grants in its grace only what was held before it (rule K4)', async () => {
  const next = await CoreServer.start(server.meta);
  for (const device of [a, b]) Object.assign(device, { server: next });
  await a.hello();
  expect(await set(a)).toEqual({ code: 'try-again' });
  expect(await a.try('SetLock', { fid: x, mode: 'exclusive', again: true })).toMatchObject(
    granted(1),
  );
  await next.pass(LEASE);
  await b.hello();
  expect(await set(b)).toMatchObject(heldBy(a));
});

describe('a device without a promise', () => {
  const poll = { volume: VOLUME, limit: 100, wait: true, promise: true };
  /** At the head, where a hidden update of the other keeps it from a promise. */
  const begin = async (max = LOCKS_FROM) => {
    await b.hello({ protocol: { min: 1, max } });
    a.sendStore(x, 1, { digest: digestOf('d') });
    await server.settle();
    const since = server.state.volumes.of(VOLUME).head.committed;
    return { ...poll, since };
  };

  it('hears of a lock, and of its end, by the answer to the poll that waits', async () => {
    const request = await begin();
    const first = b.send('Changes', request);
    await server.settle();
    expect(server.outcome(first)).toBeUndefined();
    await set(a);
    expect(server.outcome(first)).toMatchObject({ body: { locks: 1, commits: [], grant: null } });
    const second = b.send('Changes', request);
    await server.settle();
    expect(server.outcome(second)).toBeUndefined();
    await a.ask('ReleaseLock', { fid: x });
    expect(server.outcome(second)).toMatchObject({ body: { locks: 2 } });
  });

  it('hears at once of what has changed between two polls', async () => {
    const request = await begin();
    await set(a);
    const call = b.send('Changes', request);
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { locks: 1 } });
  });

  it('waits on where it does not understand locks', async () => {
    const call = b.send('Changes', await begin(LOCKS_FROM - 1));
    await set(a);
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
  });
});

it('devices hear of locks by the break of their promise, if they understand them', async () => {
  const [old, young] = [1, LOCKS_FROM].map((max) => ({ protocol: { min: 1, max } }));
  await a.hello(old);
  await b.hello(young);
  const poll = { volume: VOLUME, since: 0 as never, limit: 100, wait: false, promise: true };
  for (const device of [a, b]) await device.ask('Changes', poll);
  await set(a);
  const { promises } = server.state.volumes.of(VOLUME);
  expect([promises.has(VOLUME, a.id), promises.has(VOLUME, b.id)]).toEqual([true, false]);
  expect(await a.ask('Changes', poll)).not.toHaveProperty('locks');
  expect(await b.ask('Changes', poll)).toHaveProperty('locks', 1);
  expect(await a.ask('GetTime', {})).not.toHaveProperty('locks');
  expect((await b.ask('GetTime', {})).locks).toEqual([{ volume: VOLUME, revision: 1 }]);
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  CoreServer,
  digestOf,
  type TestDevice,
} from '../../../test/support/core-server.ts';
import {
  chmod,
  create,
  link,
  remove,
  rename,
  ROOT,
  VOLUME,
} from '../../../test/support/core-updates.ts';
import { seconds } from '../../../shared/model/time.ts';
import { LARGEST_GRANT, LEASE, LEAST_GRANT } from '../../limits.ts';

const GIB = 2 ** 30;

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;

beforeEach(async () => {
  server = await CoreServer.start();
  a = await server.join();
  b = await server.join('write', 'other');
});

const limit = (bytes: number | null): Promise<void> => server.limit(bytes);

/** A file of that many bytes; what becomes of its store. */
async function file(device: TestDevice, n: number, length: number) {
  await device.apply(create(device.fid(n), `file ${n} of ${device.id}`));
  return store(device, n, 0, length);
}

async function store(device: TestDevice, n: number, base: number, length: number) {
  const options = { length, digest: digestOf('c') };
  const call = device.sendStore(device.fid(n), base, options);
  device.sendContent(call, options);
  await server.settle();
  const outcome = server.outcome(call);
  if (outcome !== undefined && 'code' in outcome) return outcome.code;
  return bodyOf<'Store'>(outcome).result.ok ? 'stored' : 'refused';
}

const used = () => server.meta.usedBy(VOLUME);
const told = async (device: TestDevice) => (await device.ask('GetTime', {})).rooms;

describe('the used bytes of a volume', () => {
  it('are the sizes of present contents, each file once', async () => {
    await file(a, 1, 30);
    await file(b, 1, 20);
    await a.apply(link(a.fid(1), 'again'), chmod(a.fid(1), 0o600));
    expect(used()).toBe(50);
    await store(a, 1, 1, 10);
    expect(used()).toBe(30);
    await a.apply(remove(a.fid(1), 'again', 2));
    expect(used()).toBe(30);
    await a.apply(rename(a.fid(1), `file 1 of ${a.id}`, 'moved'));
    await a.apply(rename(a.fid(1), 'moved', `file 1 of ${b.id}`, { over: b.fid(1), base: 1 }));
    expect(used()).toBe(10);
    await a.apply(remove(a.fid(1), `file 1 of ${b.id}`, 2));
    expect(used()).toBe(0);
  });

  it('are unchanged after a commit that failed', async () => {
    await file(a, 1, 30);
    await limit(50);
    server.meta.failNextCommit('server-full');
    const call = a.sendUpdates([{ update: remove(a.fid(1), `file 1 of ${a.id}`, 1) }]);
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'server-full' });
    expect(await file(a, 2, 21)).toBe('over-quota');
    expect(await store(a, 2, 0, 20)).toBe('stored');
    expect(used()).toBe(50);
  });
});

describe('a quota of the server', () => {
  it('accepts what fits, to the byte', async () => {
    await limit(100);
    expect(await file(a, 1, 60)).toBe('stored');
    expect(await file(b, 1, 41)).toBe('over-quota');
    expect(await store(b, 1, 0, 40)).toBe('stored');
    expect(used()).toBe(100);
  });

  it('is never exceeded by two concurrent stores', async () => {
    await a.apply(create(a.fid(1), 'a'));
    await b.apply(create(b.fid(1), 'b'));
    await limit(100);
    server.hold.commits = true;
    const calls = [a, b].map((device) => {
      const call = device.sendStore(device.fid(1), 0, { length: 60 });
      device.sendContent(call, { length: 60 });
      return call;
    });
    await server.settle();
    await server.release('commits');
    const codes = calls.map((call) => JSON.stringify(server.outcome(call)));
    expect(codes.filter((text) => text.includes('over-quota'))).toHaveLength(1);
    expect(used()).toBe(60);
  });

  it('never refuses an update that takes no more space', async () => {
    await file(a, 1, 60);
    await file(a, 2, 60);
    await limit(10);
    expect(await store(a, 1, 1, 60)).toBe('stored');
    expect(await store(a, 1, 2, 61)).toBe('over-quota');
    expect(await store(a, 1, 2, 50)).toBe('stored');
    const [renamed, removed, made] = await a.apply(
      rename(a.fid(2), `file 2 of ${a.id}`, 'moved'),
      remove(a.fid(2), 'moved', 1),
      create(a.fid(3), 'empty'),
    );
    expect([renamed?.ok, removed?.ok, made?.ok]).toEqual([true, true, true]);
    expect(used()).toBe(50);
  });

  it('records nothing about a refused update, which is accepted when there is space', async () => {
    await limit(10);
    await a.apply(create(a.fid(1), 'a'));
    const options = { length: 11, seq: a.seq() };
    const send = async () => {
      const call = a.sendStore(a.fid(1), 0, options);
      a.sendContent(call, options);
      await server.settle();
      return server.outcome(call);
    };
    expect(await send()).toEqual({ code: 'over-quota' });
    expect(server.state.volumes.marksOf(a.id)).toEqual([]);
    await limit(null);
    expect(bodyOf<'Store'>(await send()).result.ok).toBe(true);
    const read = await b.ask('Fetch', { fid: a.fid(1), version: null });
    expect(read.status.size).toBe(11);
  });

  it('is checked before the contents arrive', async () => {
    await limit(10);
    await a.apply(create(a.fid(1), 'a'), create(a.fid(2), 'b'));
    const tooLarge = a.sendStore(a.fid(1), 0, { length: 11 });
    const fitting = a.sendStore(a.fid(2), 0, { length: 10 });
    await server.settle();
    expect(server.outcome(tooLarge)).toEqual({ code: 'over-quota' });
    expect(server.outcome(fitting)).toBeUndefined();
    expect(server.state.receiving.size).toBe(1);
    // What was on its way all the same is put away.
    server.discarded.length = 0;
    a.sendContent(tooLarge, { length: 11 });
    await server.settle();
    expect(server.discarded).toEqual(['/spool/1']);
  });

  it('is not checked for an update that is refused anyway', async () => {
    await file(a, 1, 5);
    await limit(5);
    expect(await store(b, 1, 0, 9)).toBe('refused');
    expect(await store(a, 1, 0, 9)).toBe('refused');
  });
});

describe('the quota in an answer to a device', () => {
  it('is absent without a quota, and otherwise the same in all answers', async () => {
    expect(await told(a)).toBeUndefined();
    await limit(1000);
    const room = { volume: VOLUME, limit: 1000, used: 0, free: 1000 };
    expect(await told(a)).toEqual([room]);
    const call = a.sendUpdates([{ update: create(a.fid(1), 'a') }]);
    await server.settle();
    expect(bodyOf<'Apply'>(server.outcome(call)).rooms).toEqual([room]);
    const options = { length: 300, seq: a.seq() };
    const storing = a.sendStore(a.fid(1), 0, options);
    a.sendContent(storing, options);
    await server.settle();
    const after = [{ ...room, used: 300, free: 700 }];
    expect(bodyOf<'Store'>(server.outcome(storing)).rooms).toEqual(after);
    expect(bodyOf<'Hello'>(await b.hello()).rooms).toEqual(after);
    await limit(null);
    expect(await told(a)).toBeUndefined();
  });

  it('excludes what others were granted until their lease is over', async () => {
    await limit(6.4 * GIB);
    const block = Math.floor((6.4 * GIB) / 64);
    expect(await told(a)).toMatchObject([{ free: 6.4 * GIB }]);
    expect(await told(b)).toMatchObject([{ free: 6.4 * GIB - block }]);
    expect(await told(a)).toMatchObject([{ free: 6.4 * GIB - block }]);
    a.disconnect();
    await server.pass(seconds(1));
    expect(await told(b)).toMatchObject([{ free: 6.4 * GIB - block }]);
    await server.pass(LEASE);
    expect(await told(b)).toMatchObject([{ free: 6.4 * GIB }]);
  });

  it.each([
    [1000 * GIB, LARGEST_GRANT],
    [3 * LEAST_GRANT, LEAST_GRANT],
    [2 * LEAST_GRANT - 2, 0],
  ])('is %d bytes of free space, of which %d are granted to others', async (bytes, granted) => {
    await limit(bytes);
    await told(a);
    expect(await told(b)).toMatchObject([{ free: bytes - granted }]);
  });

  it('shows at least half of the free space, however many devices are idle', async () => {
    await limit(4 * LEAST_GRANT);
    for (let i = 0; i < 8; i++) await told(await server.join());
    expect(await told(a)).toMatchObject([{ free: 2 * LEAST_GRANT }]);
  });
});

it('a full volume can still be read, and a device with the right can free space in it', async () => {
  await file(a, 1, 5);
  await limit(0);
  expect(await told(b)).toEqual([{ volume: VOLUME, limit: 0, used: 5, free: 0 }]);
  const listed = await b.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 9 });
  expect(listed.entries).toHaveLength(1);
  expect((await b.apply(remove(a.fid(1), `file 1 of ${a.id}`, 1)))[0]?.ok).toBe(true);
  expect(used()).toBe(0);
});

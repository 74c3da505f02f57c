import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  CoreServer,
  digestOf,
  type TestDevice,
} from '../../../test/support/core-server.ts';
import { create, remove, VOLUME } from '../../../test/support/core-updates.ts';
import { LEASE } from '../../limits.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;

beforeEach(async () => {
  server = await CoreServer.start();
  a = await server.join();
  b = await server.join('write', 'other');
});

const limit = (bytes: number | null): Promise<void> => server.limit(bytes);

const reserved = (): number => server.state.volumes.find(VOLUME)?.quota.uploads.total ?? NaN;
const used = (): number => server.meta.usedBy(VOLUME);
const told = async (device: TestDevice) => (await device.ask('GetTime', {})).rooms?.[0]?.free;

/** Empty files 1, 2 ... of a. */
async function files(count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  await a.apply(...numbers.map((n) => create(a.fid(n), `file ${n}`)));
}

/** Its header: the contents are on their way. */
async function begin(n: number, length: number, base = 0): Promise<number> {
  const call = a.sendStore(a.fid(n), base, { length });
  await server.settle();
  return call;
}

async function end(call: number, length: number): Promise<void> {
  a.sendContent(call, { length });
  await server.settle();
}

describe('uploads under way', () => {
  it('count before their contents arrive, and what does not fit beside them is refused', async () => {
    await limit(100);
    await files(10);
    const calls: number[] = [];
    for (let n = 1; n <= 10; n++) calls.push(await begin(n, 30));
    const refused = calls.filter((call) => server.outcome(call) !== undefined);
    expect(refused).toEqual(calls.slice(3));
    expect(refused.map((call) => server.outcome(call))).toEqual(
      Array<object>(7).fill({ code: 'over-quota' }),
    );
    expect([reserved(), used(), server.state.receiving.size]).toEqual([90, 0, 3]);
    for (const call of calls.slice(0, 3)) await end(call, 30);
    expect([reserved(), used()]).toEqual([0, 90]);
  });

  it('count by the growth of the volume, and once when they are sent again', async () => {
    await limit(100);
    await files(2);
    await end(await begin(1, 40), 40);
    const seq = a.seq();
    const send = () => a.sendStore(a.fid(1), 1, { length: 70, seq });
    send();
    await server.settle();
    expect(reserved()).toBe(30);
    const again = send();
    await server.settle();
    expect(reserved()).toBe(30);
    const smaller = await begin(1, 20, 1);
    expect([server.outcome(smaller), reserved()]).toEqual([undefined, 30]);
    expect(server.outcome(await begin(2, 31))).toEqual({ code: 'over-quota' });
    await end(again, 70);
    expect([reserved(), used()]).toEqual([0, 70]);
  });

  it('count while the creation of their file is on its way', async () => {
    await limit(100);
    server.hold.commits = true;
    const first = a.seq();
    a.sendUpdates([{ seq: first, update: create(a.fid(1), 'a') }]);
    a.sendStore(a.fid(1), 0, { length: 60, after: [first] });
    // Of this one nothing is here yet.
    const second = a.seq();
    const parked = a.sendStore(a.fid(2), 0, { length: 41, after: [second] });
    await server.settle();
    expect(reserved()).toBe(60);
    expect(server.outcome(parked)).toEqual({ code: 'over-quota' });
    await server.release('commits');
  });

  it.each<[string, (call: number) => void | Promise<void>]>([
    ['its call was taken back', (call) => server.feed({ kind: 'aborted', call, withdrawn: true })],
    ['its call was aborted', (call) => server.feed({ kind: 'aborted', call, withdrawn: false })],
    ['its connection ended', () => a.disconnect()],
    ['its contents differ', (call) => end(call, 59)],
    ['its device is revoked', () => revoked()],
    [
      'its contents could not be kept',
      (call) => server.feed({ kind: 'not-kept', call, code: 'server-full' }),
    ],
  ])('release their reservation when %s', async (_, happens) => {
    await limit(100);
    await files(1);
    const call = await begin(1, 60);
    expect(reserved()).toBe(60);
    await happens(call);
    await server.settle();
    expect([reserved(), used()]).toEqual([0, 0]);
    expect([...(server.state.volumes.find(VOLUME)?.quota.uploads.holders ?? [])]).toEqual([]);
  });

  it('release their reservation when their commit fails or they are refused at the end', async () => {
    await limit(100);
    await files(2);
    const call = await begin(1, 60);
    server.meta.failNextCommit('server-full');
    await end(call, 60);
    expect([server.outcome(call), reserved()]).toEqual([{ code: 'server-full' }, 0]);
    const gone = await begin(2, 60);
    await b.apply(remove(a.fid(2), 'file 2', 0));
    await end(gone, 60);
    expect(bodyOf<'Store'>(server.outcome(gone)).result.ok).toBe(false);
    expect([reserved(), used()]).toEqual([0, 0]);
  });

  it('are not counted when there was no quota at their start: the commit decides', async () => {
    await files(2);
    const [one, other] = [await begin(1, 60), await begin(2, 60)];
    expect(reserved()).toBe(0);
    await limit(100);
    await end(one, 60);
    await end(other, 60);
    expect(server.outcome(other)).toEqual({ code: 'over-quota' });
    expect(used()).toBe(60);
  });

  it('are not refused at the end because of one without a reservation', async () => {
    await files(2);
    const late = await begin(2, 60);
    await limit(100);
    const call = await begin(1, 60);
    await end(late, 60);
    expect(server.outcome(late)).toEqual({ code: 'over-quota' });
    await end(call, 60);
    expect(bodyOf<'Store'>(server.outcome(call)).result.ok).toBe(true);
    expect([reserved(), used()]).toEqual([0, 60]);
  });

  it('leave less free for others and as much as before for their own device', async () => {
    await limit(100);
    await files(1);
    const call = await begin(1, 60);
    expect([await told(a), await told(b)]).toEqual([100, 40]);
    await end(call, 60);
    expect([await told(a), await told(b)]).toEqual([40, 40]);
  });

  it('are not subtracted twice when they are within the grant of their device', async () => {
    await limit(1000 * 2 ** 30);
    const granted = 256 * 2 ** 20;
    await told(a);
    await files(1);
    await begin(1, 2 * 2 ** 20);
    expect(await told(b)).toBe(1000 * 2 ** 30 - granted);
  });
});

describe('uploads in the grace period after a restart', () => {
  async function restarted(): Promise<void> {
    server = await CoreServer.start(server.meta);
    for (const device of [a, b]) Object.assign(device, { server });
    await a.hello();
  }

  it('count for the quota, and what does not fit beside them is refused', async () => {
    await limit(100);
    await files(2);
    await begin(1, 60);
    await restarted();
    expect(reserved()).toBe(0);
    const call = await begin(1, 60);
    expect(server.outcome(await begin(2, 41))).toEqual({ code: 'over-quota' });
    await end(call, 60);
    expect([reserved(), used()]).toEqual([60, 0]);
    await server.pass(LEASE);
    expect([reserved(), used()]).toEqual([0, 60]);
  });

  it('are answered after the grace period and not refused when they were applied before', async () => {
    await limit(100);
    await files(1);
    const options = { length: 60, seq: a.seq() };
    const send = async () => {
      const call = a.sendStore(a.fid(1), 0, options);
      await end(call, 60);
      return call;
    };
    await send();
    // Its file is gone, and there is less room than it took.
    await b.apply(remove(a.fid(1), 'file 1', 1));
    await limit(10);
    await restarted();
    const call = await send();
    expect(server.outcome(call)).toBeUndefined();
    await server.pass(LEASE);
    expect(bodyOf<'Store'>(server.outcome(call)).result.ok).toBe(true);
    expect(reserved()).toBe(0);
  });
});

async function revoked(): Promise<void> {
  server.meta.revoke(a.id);
  const devices = await server.meta.accessOf([a.id, b.id]);
  server.feed({ kind: 'access', devices });
}

it('two uploads of the same digest are counted twice', async () => {
  await limit(100);
  await files(2);
  const options = { length: 60, digest: digestOf('d') };
  a.sendStore(a.fid(1), 0, options);
  const second = a.sendStore(a.fid(2), 0, options);
  await server.settle();
  expect(server.outcome(second)).toEqual({ code: 'over-quota' });
});

describe('parts of uploads that were cut off', () => {
  const begun = (bytes: number): void => {
    server.feed({ kind: 'begun-parts', begun: [{ volume: VOLUME, bytes }] });
  };

  it('give way to certain uploads as far as needed', async () => {
    await limit(100);
    await files(2);
    begun(50);
    const call = await begin(1, 45);
    expect([reserved(), server.gaveWay]).toEqual([45, []]);
    await begin(2, 20);
    expect([reserved(), server.gaveWay]).toEqual([65, [15]]);
    begun(35);
    await end(call, 45);
    expect(server.gaveWay).toEqual([15]);
    begun(0);
    await begin(2, 25);
    expect(server.gaveWay).toEqual([15]);
  });

  it('give way to a commit without a reservation', async () => {
    await files(1);
    const call = await begin(1, 60);
    await limit(100);
    begun(50);
    await end(call, 60);
    expect([used(), server.gaveWay]).toEqual([60, [10]]);
  });

  it('are never removed without a quota', async () => {
    await files(1);
    begun(50);
    await end(await begin(1, 60), 60);
    expect(server.gaveWay).toEqual([]);
  });
});

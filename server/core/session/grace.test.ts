import { describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, ROOT } from '../../../test/support/core-updates.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';
import { LEASE, MAX_SENT_AGAIN_BYTES } from '../../limits.ts';

/** A server is killed while a and b have leases; a says Hello to the next one. */
async function restarted(): Promise<{ server: CoreServer; a: TestDevice; b: TestDevice }> {
  const before = await CoreServer.start();
  const [a, b] = [await before.join(), await before.join()];
  await a.apply(create(a.fid(0), 'x'));
  const server = await CoreServer.start(before.meta);
  for (const device of [a, b]) Object.assign(device, { server });
  await a.hello();
  return { server, a, b };
}

const answered = (server: CoreServer, call: number): boolean => server.outcome(call) !== undefined;

describe('the row of a lease', () => {
  it('is durable before the answer to Hello, also to a repeated one', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    a.disconnect();
    await server.pass(2 * LEASE);
    expect(server.state.leases.inOrder()).toEqual([]);
    server.hold.commits = true;
    // Its answer was lost: the same step of incarnations again, of which the server keeps no new row.
    const next = a.incarnation.toString(16).padStart(32, '0');
    const again = { incarnation: { previous: null, next } };
    const calls: number[] = [];
    server.watch = (what) => {
      if (what.kind === 'reply') calls.push(what.call);
    };
    a.sendHello(again);
    await server.settle();
    a.disconnect();
    a.sendHello(again);
    await server.settle();
    expect(calls).toEqual([]);
    await server.release('commits');
    expect(calls).toHaveLength(1);
  });
});

describe('a restarted server (rule P1)', () => {
  it('decides nothing for one lease while reads go on', async () => {
    const { server, a } = await restarted();
    const call = a.sendUpdates([{ update: chmod(a.fid(0), 0) }]);
    await server.pass(LEASE - 1);
    expect(answered(server, call)).toBe(false);
    expect(await a.ask('FetchStatus', { fids: [a.fid(0)] })).toMatchObject({
      items: [{ status: { mode: 0o644 } }],
    });
    await server.pass(1);
    expect(answered(server, call)).toBe(true);
    expect(server.state.leases.inOrder()).toEqual([{ device: a.id, run: '' }]);
  });

  it('confirms no earlier update during that lease, since breaks may be missing', async () => {
    const { server, a } = await restarted();
    const call = a.sendUpdates([{ seq: 1, update: create(a.fid(0), 'x') }]);
    await server.settle();
    expect(answered(server, call)).toBe(false);
    await server.pass(LEASE);
    expect(server.outcome(call)).toMatchObject({ body: { results: [{ ok: true, commit: 2 }] } });
  });

  it.each([
    ['with contents', 3],
    ['without', 0],
  ])('confirms no earlier store during that lease, %s', async (_, length) => {
    const before = await CoreServer.start();
    const [a, b] = [await before.join(), await before.join()];
    await a.apply(create(a.fid(0), 'x'));
    const options = { seq: 5, length, ...(length === 0 ? { digest: EMPTY_DIGEST } : {}) };
    if (length > 0) await a.store(a.fid(0), 0, options);
    else a.sendStore(a.fid(0), 0, options);
    await before.settle();
    const server = await CoreServer.start(before.meta);
    for (const device of [a, b]) Object.assign(device, { server });
    await a.hello();
    const call = a.sendStore(a.fid(0), 0, options);
    if (length > 0) a.sendContent(call, options);
    await server.settle();
    expect(answered(server, call)).toBe(false);
    await b.hello();
    expect(server.outcome(call)).toMatchObject({ body: { result: { ok: true, commit: 3 } } });
  });

  it('postpones a repeated store with many contents until the leases are over', async () => {
    const before = await CoreServer.start();
    const [a, b] = [await before.join(), await before.join()];
    await a.apply(create(a.fid(0), 'x'));
    const large = { seq: 5, length: MAX_SENT_AGAIN_BYTES + 1 };
    await a.store(a.fid(0), 0, large);
    const server = await CoreServer.start(before.meta);
    for (const device of [a, b]) Object.assign(device, { server });
    await a.hello();
    const again = a.sendStore(a.fid(0), 0, large);
    await server.settle();
    expect(server.outcome(again)).toEqual({ code: 'try-again' });
    const other = a.sendStore(a.fid(0), 1, { ...large, seq: 6 });
    await server.settle();
    expect(answered(server, other)).toBe(false);
    await b.hello();
    const last = a.sendStore(a.fid(0), 0, large);
    await server.settle();
    expect(server.outcome(last)).toMatchObject({ body: { result: { ok: true, commit: 3 } } });
  });

  it('waits the whole lease in a new epoch, whoever says Hello (rule I1)', async () => {
    const before = await CoreServer.start();
    const [a, b] = [await before.join(), await before.join()];
    await a.apply(create(a.fid(0), 'x'));
    before.meta.beginEpoch('d'.repeat(32), wallTime(5_000));
    const server = await CoreServer.start(before.meta);
    for (const device of [a, b]) {
      Object.assign(device, { server });
      // Incarnations of the backup are forgotten: this one is any.
      device.incarnation += 7;
      expect(await device.hello()).toMatchObject({ body: { device: device.id } });
    }
    const call = a.sendUpdates([{ update: chmod(a.fid(0), 0) }]);
    await server.pass(LEASE - 1);
    expect(answered(server, call)).toBe(false);
    await server.pass(1);
    expect(answered(server, call)).toBe(true);
  });

  it('continues as soon as all possible lease holders have said Hello', async () => {
    const { server, a, b } = await restarted();
    const call = a.sendUpdates([{ update: chmod(a.fid(0), 0) }]);
    const store = a.sendStore(a.fid(0), 0);
    a.sendContent(store);
    await server.settle();
    expect([answered(server, call), answered(server, store)]).toEqual([false, false]);
    await b.hello();
    expect([answered(server, call), answered(server, store)]).toEqual([true, true]);
  });

  it('keeps the marks of stores under way', async () => {
    const before = await CoreServer.start();
    const a = await before.join();
    await a.apply(create(a.fid(0), 'x'));
    a.sendStore(a.fid(0), 0);
    await before.settle();
    const server = await CoreServer.start(before.meta);
    expect(server.state.volumes.limits.marks.owners()).toEqual([a.id]);
  });

  it('need not wait after an orderly close, or when nobody held a lease', async () => {
    const before = await CoreServer.start();
    expect(before.state.leases.isGrace).toBe(false);
    const [a, b] = [await before.join(), await before.join()];
    await b.ask('FetchStatus', { fids: [ROOT] });
    const call = a.send('Changes', {
      volume: 1 as never,
      since: 1 as never,
      limit: 1,
      wait: true,
      promise: false,
    });
    before.feed({ kind: 'close' });
    expect(before.breaks).toMatchObject([{ connection: b.connection }]);
    await before.settle();
    expect(before.outcome(call)).toEqual({ code: 'server-closing' });
    expect(await a.try('GetTime', {})).toEqual({ code: 'server-closing' });
    expect(before.closed).toBe(true);
    expect((await CoreServer.start(before.meta)).state.leases.isGrace).toBe(false);
  });

  it('waits for a holder that did not acknowledge the close', async () => {
    const before = await CoreServer.start();
    const [a, b] = [await before.join(), await before.join()];
    await b.ask('FetchStatus', { fids: [ROOT] });
    before.hold.breaks = true;
    before.feed({ kind: 'close' });
    await before.settle();
    expect(before.closed).toBe(false);
    await before.pass(10_000);
    expect(before.closed).toBe(true);
    const { leases } = (await CoreServer.start(before.meta)).state;
    expect(leases.awaited).toEqual([`${b.id} `]);
    expect(a.id).not.toBe(b.id);
  });

  it('finishes what was decided before it closes', async () => {
    const server = await CoreServer.start();
    const a = await server.join();
    server.hold.commits = true;
    const call = a.sendUpdates([{ update: create(a.fid(0), 'x') }]);
    await server.settle();
    server.feed({ kind: 'close' });
    await server.settle();
    expect(server.closed).toBe(false);
    await server.release('commits');
    expect(server.outcome(call)).toMatchObject({ body: { results: [{ ok: true }] } });
    expect(server.closed).toBe(true);
  });

  it('drops an update of a disconnected device that depends on one that never came', async () => {
    const { server, a, b } = await restarted();
    server.hold.loads = true;
    a.sendUpdates([{ seq: 9, after: [8], update: chmod(a.fid(0), 0) }]);
    a.disconnect();
    await server.pass(2 * LEASE);
    expect(server.state.devices.get(a.id)?.updates.size).toBe(1);
    await server.release('loads');
    expect(server.state.devices.get(a.id)).toMatchObject({ updates: new Map(), waiting: 0 });
    expect(server.state.waitingUpdates).toBe(0);
    await b.hello();
    await a.hello();
    const call = a.sendUpdates([
      { seq: 8, update: chmod(a.fid(0), 0o600) },
      { seq: 9, after: [8], update: chmod(a.fid(0), 0) },
    ]);
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { results: [{ ok: true }, { ok: true }] } });
  });
});

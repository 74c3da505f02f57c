import { beforeEach, describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, link, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { ANSWERED_BESIDE_BREAK, PROMISE_PAUSE } from '../../limits.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let c: TestDevice;
let x: Fid;

/** a made x; b holds a promise for it; breaks are not acknowledged before they are released. */
beforeEach(async () => {
  server = await CoreServer.start();
  [a, b, c] = [await server.join(), await server.join(), await server.join()];
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  await promise(b);
  server.hold.breaks = true;
});

const promise = async (device: TestDevice): Promise<number | null> =>
  (await device.ask('FetchStatus', { fids: [x] })).items[0]?.grant ?? null;
const follow = (device: TestDevice, wait = false) =>
  device.ask('Changes', {
    volume: VOLUME,
    since: server.state.volumes.find(VOLUME)?.head.committed ?? (0 as CommitNumber),
    limit: 9,
    wait,
    promise: true,
  });
const change = (device: TestDevice) => device.sendUpdates([{ update: chmod(x, 0o600) }]);
const answered = (call: number): boolean => server.outcome(call) !== undefined;
const told = () => server.breaks.map(({ connection, items }) => [connection, items]);

describe('the order number of an answer (rule P2)', () => {
  const heard: Array<string | number> = [];
  beforeEach(() => {
    heard.length = 0;
    server.watch = (what) => {
      if (what.kind === 'break') heard.push(`break ${what.number ?? 'without a number'}`);
      if (what.kind === 'reply' && what.call === asked) heard.push(what.afterBreak ?? 0);
    };
  });
  let asked = 0;
  const ask = async (): Promise<void> => {
    asked = server.id() + 1;
    await b.ask('FetchStatus', { fids: [x] });
  };

  it('names the last break that was sent before it on its connection', async () => {
    await b.hello({ ordersAnswers: true });
    await ask();
    change(a);
    await server.settle();
    await ask();
    await a.ask('FetchStatus', { fids: [x] });
    change(a);
    await server.settle();
    await ask();
    expect(heard).toEqual([0, 'break 1', 1, 'break 2', 2]);
    await b.hello({ ordersAnswers: true });
    await ask();
    expect(heard.at(-1)).toBe(0);
  });

  it('is sent only to devices that heed it', async () => {
    change(a);
    await server.settle();
    await ask();
    expect(heard).toEqual(['break without a number', 0]);
  });
});

describe('a change of a promised vnode', () => {
  it('is answered when the holder has acknowledged the break and not before', async () => {
    const call = change(a);
    await server.settle();
    expect(told()).toEqual([[b.connection, [{ subject: { fid: x }, upTo: 1 }]]]);
    expect(answered(call)).toBe(false);
    await server.release('breaks');
    expect(answered(call)).toBe(true);
  });

  it('is durable before it is answered, and its breaks are sent earlier', async () => {
    server.hold.commits = true;
    const call = change(a);
    await server.settle();
    expect(told()).toHaveLength(1);
    await server.release('breaks');
    expect(answered(call)).toBe(false);
    await server.release('commits');
    expect(answered(call)).toBe(true);
  });

  it('breaks no promise of its own writer or of other vnodes', async () => {
    await promise(a);
    await c.ask('FetchStatus', { fids: [ROOT] });
    change(a);
    await server.settle();
    expect(told().map(([connection]) => connection)).toEqual([b.connection]);
  });

  it('breaks promises for file, directory and volume, once per holder', async () => {
    await c.ask('FetchStatus', { fids: [ROOT, x] });
    await follow(c);
    const call = a.sendUpdates([{ update: link(x, 'y') }, { update: link(x, 'z') }]);
    await server.settle();
    expect(told()).toEqual([
      [b.connection, [{ subject: { fid: x }, upTo: 1 }]],
      [
        c.connection,
        [
          { subject: { fid: x }, upTo: 2 },
          { subject: { fid: ROOT }, upTo: 2 },
          { subject: { volume: VOLUME }, upTo: 2 },
        ],
      ],
    ]);
    await server.releaseOne('breaks');
    expect(answered(call)).toBe(false);
    await server.release('breaks');
    expect(answered(call)).toBe(true);
  });

  it('waits also for the unacknowledged break of an earlier writer', async () => {
    const [first, second] = [change(a), change(c)];
    await server.settle();
    expect(told()).toHaveLength(1);
    expect([answered(first), answered(second)]).toEqual([false, false]);
    await server.release('breaks');
    expect([answered(first), answered(second)]).toEqual([true, true]);
  });

  it('breaks a grant whose reply is still on its way (rule P2)', async () => {
    server.hold.commits = true;
    server.hold.loads = true;
    const reads = c.send('FetchStatus', { fids: [x] });
    change(a);
    await server.settle();
    await server.releaseOne('loads');
    await server.release('loads');
    expect(told().find(([connection]) => connection === c.connection)).toEqual([
      c.connection,
      [{ subject: { fid: x }, upTo: 1 }],
    ]);
    expect(bodyOf<'FetchStatus'>(server.outcome(reads)).items[0]).toMatchObject({ grant: 1 });
  });
});

describe('a holder that does not acknowledge', () => {
  it('is waited for as long as its lease, counted from our last reply', async () => {
    await server.pass(20_000);
    await b.ask('GetTime', {});
    const call = change(a);
    await server.pass(29_999);
    expect(answered(call)).toBe(false);
    expect(server.state.lapsedLeases).toBe(0);
    await server.pass(1);
    expect(answered(call)).toBe(true);
    expect(server.state.lapsedLeases).toBe(1);
  });

  it('is waited for no longer and gets no second break when it is disconnected', async () => {
    b.disconnect();
    const call = change(a);
    await server.settle();
    expect(told()).toEqual([]);
    await server.pass(29_999);
    expect(answered(call)).toBe(false);
    await server.pass(1);
    expect(answered(call)).toBe(true);
    expect(server.state.leases.has({ device: b.id, run: '' })).toBe(false);
    expect(server.state.lapsedLeases).toBe(1);
  });

  it('is waited for no longer, now or later, when it closes its connection', async () => {
    const call = change(a);
    await server.settle();
    b.disconnect(true);
    expect(answered(call)).toBe(true);
    const next = change(a);
    await server.settle();
    expect(answered(next)).toBe(true);
    expect(server.state.leases.has({ device: b.id, run: '' })).toBe(false);
    await server.pass(31_000);
    expect(server.state.lapsedLeases).toBe(0);
  });

  it('keeps its promises when it closes a connection that it no longer uses', async () => {
    const old = b.connection;
    await b.hello();
    await promise(b);
    server.feed({ kind: 'disconnected', connection: old, byPeer: true });
    const call = change(a);
    await server.settle();
    expect(answered(call)).toBe(false);
    expect(told()).toHaveLength(1);
  });

  it('holds no promise after another Hello', async () => {
    const call = change(a);
    await server.settle();
    const old = b.connection;
    await b.hello();
    expect(answered(call)).toBe(true);
    expect(server.closedConnections).toEqual([old]);
    change(a);
    await server.settle();
    expect(told()).toHaveLength(1);
  });

  it('gets no reply after its lease before it acknowledges, so that the lease stays over', async () => {
    const call = change(a);
    await server.pass(30_000);
    expect(answered(call)).toBe(true);
    const asked = b.send('GetTime', {});
    await server.settle();
    expect(answered(asked)).toBe(false);
    await server.release('breaks');
    expect(answered(asked)).toBe(true);
  });

  it('is waited for no longer when it keeps asking other things', async () => {
    const call = change(a);
    for (let waited = 0; waited < 30_000; waited += 500) {
      expect(answered(call)).toBe(false);
      b.send('GetTime', {});
      await server.pass(500);
    }
    await server.pass(ANSWERED_BESIDE_BREAK);
    expect(answered(call)).toBe(true);
    await server.pass(30_000);
    expect(server.closedConnections).toEqual([b.connection]);
  });

  it('is answered otherwise for a moment, and then with its acknowledgement', async () => {
    change(a);
    await server.pass(ANSWERED_BESIDE_BREAK - 1);
    await b.ask('GetTime', {});
    await server.pass(1);
    const asked = b.send('GetTime', {});
    await server.settle();
    expect(answered(asked)).toBe(false);
    await server.release('breaks');
    expect(answered(asked)).toBe(true);
  });

  it('gets no promise for a while and then again', async () => {
    change(a);
    await server.pass(30_000 + ANSWERED_BESIDE_BREAK);
    await b.hello();
    expect(await promise(b)).toBeNull();
    const next = change(a);
    await server.settle();
    expect(answered(next)).toBe(true);
    await a.ask('GetTime', {});
    await server.pass(PROMISE_PAUSE);
    await a.hello();
    expect(await promise(b)).not.toBeNull();
    // The second time in a row is twice as long.
    change(a);
    await server.pass(30_000 + ANSWERED_BESIDE_BREAK);
    await b.hello();
    await server.pass(PROMISE_PAUSE);
    expect(await promise(b)).toBeNull();
    await server.pass(PROMISE_PAUSE);
    expect(await promise(b)).not.toBeNull();
  });

  it('gets promises as before when its link was cut, unless that keeps happening', async () => {
    const cutOff = async (): Promise<number | null> => {
      change(a);
      await server.settle();
      b.disconnect();
      await server.pass(30_000);
      await Promise.all([a.hello(), b.hello()]);
      return promise(b);
    };
    expect(await cutOff()).not.toBeNull();
    expect(await cutOff()).not.toBeNull();
    change(a);
    await server.release('breaks');
    expect(await promise(b)).not.toBeNull();
    server.hold.breaks = true;
    const grants = [await cutOff(), await cutOff(), await cutOff()];
    expect(grants.map((grant) => grant !== null)).toEqual([true, true, false]);
  });

  it('is disconnected at once when it refuses', async () => {
    change(a);
    await server.settle();
    server.feed({ kind: 'unacknowledged', message: server.breaks[0]?.message ?? 0 });
    await server.settle();
    expect(server.closedConnections).toEqual([b.connection]);
  });

  it('gets the break but delays nobody when its lease was over before the change', async () => {
    await server.pass(31_000);
    const call = change(a);
    await server.settle();
    expect(told()).toHaveLength(1);
    expect(answered(call)).toBe(true);
    expect(server.state.lapsedLeases).toBe(0);
    const asked = b.send('GetTime', {});
    expect(answered(asked)).toBe(false);
    await server.release('breaks');
    expect(answered(asked)).toBe(true);
  });
});

describe('promises of the server', () => {
  it('are not broken when the device has returned them', async () => {
    await b.ask('GiveUpCallbacks', { fids: [x] });
    const call = change(a);
    await server.settle();
    expect([told(), answered(call)]).toEqual([[], true]);
  });

  it('have increasing numbers', async () => {
    expect([await promise(b), await promise(b), await promise(c)]).toEqual([2, 3, 1]);
  });

  it('are given for a volume only at the head, and held by a device that waits for changes', async () => {
    expect((await follow(c)).grant).toBe(1);
    const waiting = c.send('Changes', {
      volume: VOLUME,
      since: 2 as CommitNumber,
      limit: 9,
      wait: true,
      promise: true,
    });
    await server.settle();
    expect(answered(waiting)).toBe(false);
    await server.release('breaks');
    change(a);
    await server.settle();
    expect(bodyOf<'Changes'>(server.outcome(waiting))).toMatchObject({
      upTo: 3,
      head: 3,
      grant: 2,
      commits: [{ commit: 3 }],
    });
  });
});

describe('a store under way', () => {
  it('marks its vnode and breaks promises when its header arrives', async () => {
    a.sendStore(x, 0);
    await server.settle();
    expect(told()).toHaveLength(1);
    expect(server.state.volumes.isDirtyFor(x, b.id)).toBe(true);
    expect(await promise(b)).toBeNull();
    expect((await follow(c)).grant).toBeNull();
    expect((await follow(a)).grant).not.toBeNull();
    const page = await b.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 9 });
    // The directory is promised, and the promise for the file that came with it is broken at once.
    expect(page.grant).toBe(2);
    expect(told().at(-1)).toEqual([b.connection, [{ subject: { fid: x }, upTo: 2 }]]);
  });

  it('waits for the breaks of its header, and promises are given again after it', async () => {
    const call = a.sendStore(x, 0);
    a.sendContent(call);
    await server.settle();
    expect(answered(call)).toBe(false);
    expect(await promise(b)).toBe(2);
    await server.release('breaks');
    expect(answered(call)).toBe(true);
  });

  it.each([
    [
      'taken back',
      (call: number) => server.feed({ kind: 'aborted', call, withdrawn: true }),
      false,
    ],
    ['cut off', (call: number) => server.feed({ kind: 'aborted', call, withdrawn: false }), true],
    ['left by its device', () => a.disconnect(), true],
  ])('keeps or loses its mark when it is %s', async (_, end, marked) => {
    const call = a.sendStore(x, 0);
    await server.settle();
    end(call);
    await server.settle();
    expect(server.state.volumes.isDirtyFor(x, b.id)).toBe(marked);
  });

  it('is no longer awaited once its device reports that it has the answer', async () => {
    a.sendStore(x, 0, { seq: 5 });
    a.disconnect();
    a.lowWater = 6;
    await a.hello();
    expect(server.state.volumes.limits.marks.owners()).toEqual([]);
  });
});

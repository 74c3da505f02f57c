import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  CoreServer,
  digestOf,
  type TestDevice,
} from '../../../test/support/core-server.ts';
import { chmod, create, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { unsharedIn, type Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { present } from '../../../shared/util/assert.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';

type PartialMarks = Partial<RequestOf<'ForwardInvalidate'>>;

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let x: Fid;

/** a made x; b holds promises for it and for the folder. */
beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join()];
  await a.hello({ announces: true });
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  await promise();
});

const seq = (n: number): UpdateSeq => n as UpdateSeq;
const promise = async (fid = x): Promise<number | null> =>
  (await b.ask('FetchStatus', { fids: [fid] })).items[0]?.grant ?? null;
const sendTold = (told: PartialMarks): number =>
  a.send('ForwardInvalidate', { number: 1, marks: [], ends: [], complete: false, ...told });
const tell = async (told: PartialMarks): Promise<void> => {
  const call = sendTold(told);
  await server.settle();
  bodyOf<'ForwardInvalidate'>(server.outcome(call));
};
const store = async (n: number, base: number, length: number) => {
  const options = { seq: n, length, digest: digestOf('c') };
  const call = a.sendStore(x, base, options);
  a.sendContent(call, options);
  await server.settle();
  return server.outcome(call);
};
const marks = () => server.state.volumes.marksOf(a.id).map((mark) => [mark.fid, mark.seq]);

describe('a hidden update', () => {
  it('breaks promises and is marked durably before the answer, without waiting for the breaks', async () => {
    server.hold.breaks = true;
    await tell({ marks: [{ fid: x, seq: seq(90) }] });
    expect(server.breaks).toMatchObject([
      { connection: b.connection, items: [{ subject: { fid: x } }] },
    ]);
    expect(await promise()).toBeNull();
    const again = await CoreServer.start(server.meta);
    expect(again.state.volumes.marksOf(a.id)).toEqual([{ fid: x, device: a.id, seq: 90 }]);
  });

  it('is marked before another message that overtakes it is committed (rule S5)', async () => {
    const broken: unknown[] = [];
    server.watch = (what) => {
      if (what.kind === 'break') broken.push(...what.items.map(({ subject }) => subject.fid));
    };
    server.hold.commits = true;
    a.send('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(81), after: [], update: chmod(ROOT, 0o700) }],
      overtaken: [{ fid: x, seq: seq(80) }],
    });
    await server.settle();
    expect(marks()).toEqual([[x, 80]]);
    expect(broken).toContain(x);
    await server.release('commits');
    expect(await promise()).toBeNull();
    await a.ask('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(80), after: [], update: chmod(x, 0o600) }],
    });
    expect(marks()).toEqual([]);
    // The same list again, too late.
    await a.ask('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(82), after: [], update: chmod(ROOT, 0o750) }],
      overtaken: [{ fid: x, seq: seq(80) }],
    });
    await server.settle();
    expect(marks()).toEqual([]);
  });

  it('keeps its mark when an earlier one is named as overtaken', async () => {
    await tell({ marks: [{ fid: x, seq: seq(90) }] });
    await a.ask('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(81), after: [], update: chmod(ROOT, 0o700) }],
      overtaken: [{ fid: x, seq: seq(80) }],
    });
    expect(marks()).toEqual([[x, 90]]);
  });

  it('loses its mark when it is decided and not before', async () => {
    const items = [seq(80), seq(81)].map((n) => ({ fid: x, seq: n }));
    await tell({ marks: items.slice(1) });
    await a.ask('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(80), after: [], update: chmod(x, 0o600) }],
    });
    expect(marks()).toEqual([[x, 81]]);
    await a.ask('Apply', {
      volume: 1 as never,
      lowWater: seq(1),
      updates: [{ seq: seq(81), after: [], update: chmod(x, 0o640) }],
    });
    expect(marks()).toEqual([]);
    expect(await promise()).not.toBeNull();
  });

  it('leaves no mark when it was applied before the announcement', async () => {
    const applied = await a.applyOne(chmod(x, 0o600));
    await tell({ marks: [{ fid: x, seq: applied.seq }] });
    expect(marks()).toEqual([]);
  });

  it('keeps the mark of its directory until the device ends it', async () => {
    await tell({ marks: [{ fid: ROOT, seq: null }] });
    await a.apply(create(a.fid(1), 'y'));
    expect(await promise(ROOT)).toBeNull();
    await tell({ number: 2, ends: [ROOT] });
    expect(await promise(ROOT)).not.toBeNull();
  });

  it('leaves no mark when its announcement and its end arrive in reverse order', async () => {
    await tell({ number: 2, ends: [ROOT] });
    await tell({ number: 1, marks: [{ fid: ROOT, seq: null }] });
    expect(marks()).toEqual([]);
  });

  it('keeps its mark while it is a store under way, whatever the device ends', async () => {
    a.sendStore(x, 0, { seq: 70 });
    await tell({ marks: [{ fid: x, seq: seq(75) }] });
    await tell({ number: 2, ends: [x] });
    expect(marks()).toEqual([[x, 70]]);
  });
});

describe('an unshared volume on the server', () => {
  it('is promised to nobody before its hidden updates are announced, when its end arrives first', async () => {
    await a.hello({ announces: true, takesUnshared: true });
    const y = a.fid(1);
    await a.apply(create(y, 'y'));
    const alone = await a.ask('FetchStatus', { fids: [y] });
    expect(alone.items[0]?.unshared).toBe(true);
    const own = unsharedIn(VOLUME);
    await tell({ marks: [{ fid: own, seq: null }] });
    server.hold.breaks = true;
    const reading = b.send('FetchStatus', { fids: [y] });
    await server.settle();
    const { message } = present(server.breaks[0], 'its promise is broken');
    // Its acknowledgement says what is hidden; that nothing of its own is any more, is on another stream.
    await tell({ number: 3, ends: [own] });
    expect(server.outcome(reading)).toBeUndefined();
    const hidden = { number: 2, marks: [{ fid: y, seq: seq(90) }], more: false };
    server.feed({ kind: 'acknowledged', message, hidden });
    await server.settle();
    expect(bodyOf<'FetchStatus'>(server.outcome(reading)).items[0]?.grant).toBeNull();
    expect(marks()).toEqual([[y, 90]]);
  });
});

describe('a device after its Hello', () => {
  it('has marks for a store over quota, and its waiting readers are answered', async () => {
    await store(70, 0, 10);
    await tell({ marks: [{ fid: x, seq: seq(71) }] });
    const reading = b.send('Fetch', { fid: x, version: null });
    await server.settle();
    expect(server.outcome(reading)).toBeUndefined();
    await server.limit(10);
    expect(await store(71, 1, 11)).toMatchObject({ code: 'over-quota' });
    expect(marks()).toEqual([[x, 71]]);
    expect(bodyOf<'Fetch'>(server.outcome(reading))).toMatchObject({ behind: true, grant: null });
    await server.limit(null);
    await store(71, 1, 11);
    expect(marks()).toEqual([]);
    expect(await promise()).not.toBeNull();
  });

  it('loses marks that are not repeated once its announcements are complete', async () => {
    await tell({
      marks: [
        { fid: ROOT, seq: null },
        { fid: x, seq: null },
      ],
    });
    const { marks: had } = bodyOf<'Hello'>(await a.hello({ announces: true }));
    expect(had).toBe(2);
    await tell({ number: 2, complete: true });
    expect(marks()).toHaveLength(2);
    await tell({ number: 1, marks: [{ fid: x, seq: null }] });
    expect(marks()).toEqual([[x, null]]);
  });

  it('cannot announce updates when it did not say so in Hello', async () => {
    await a.hello();
    const call = sendTold({ marks: [{ fid: x, seq: seq(90) }] });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });
});

it('a forward invalidation of a read-only device is ignored', async () => {
  const reader = await server.join('read', 'reader');
  await reader.hello({ announces: true });
  await reader.ask('ForwardInvalidate', {
    number: 1,
    marks: [{ fid: x, seq: seq(9) }],
    ends: [],
    complete: true,
  });
  expect(server.state.volumes.limits.marks.owners()).toEqual([]);
  expect(await promise()).not.toBeNull();
});

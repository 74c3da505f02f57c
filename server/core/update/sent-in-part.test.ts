import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import {
  bodyOf,
  CoreServer,
  digestOf,
  type TestDevice,
} from '../../../test/support/core-server.ts';
import { create } from '../../../test/support/core-updates.ts';
import type { Effect } from '../events.ts';

const OLD = digestOf('a');
const NEW = digestOf('b');
const DELTA = digestOf('d');
const KNOWN = { digest: OLD, length: 100 };

let server: CoreServer;
let writer: TestDevice;
let file: Fid;
let effects: Effect[];

beforeEach(async () => {
  server = await CoreServer.start();
  writer = await server.join();
  file = writer.fid(0);
  await writer.applyOne(create(file, 'f'));
  await writer.store(file, 0, KNOWN);
  effects = [];
  server.watch = (what) => effects.push(what as Effect);
});

const delta = (change: Partial<{ digest: Digest; length: number; offset: number }> = {}) => ({
  digest: DELTA,
  length: 10,
  offset: 0,
  delta: true,
  ...change,
});

const rebuildsTo = (digest: Digest, length: number): void => {
  server.rebuild = ({ call }) => ({ kind: 'rebuilt', call, path: '/made', length, digest });
};

/** A store of `NEW` over the first version, told by a delta. */
async function storeDelta(
  change: { base?: number; of?: Fid; size?: number; arrives?: Digest } = {},
): Promise<ReturnType<CoreServer['outcome']>> {
  const { base = 1, of = file, size = 120, arrives = DELTA } = change;
  const call = writer.sendStore(of, base, { digest: NEW, length: size, stream: delta() });
  writer.sendContent(call, { digest: arrives, length: 10 });
  await server.settle();
  return server.outcome(call);
}

const rebuilds = () => effects.filter(({ kind }) => kind === 'rebuild');

describe('a store told by a delta', () => {
  it('is applied to the version that it is over, and kept', async () => {
    rebuildsTo(NEW, 120);
    expect(bodyOf<'Store'>(await storeDelta()).result).toMatchObject({ ok: true });
    expect(rebuilds()).toMatchObject([
      { path: '/spool/1', base: KNOWN, wanted: { digest: NEW, length: 120 } },
    ]);
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'keep', path: '/made', digest: NEW }),
    );
    expect(server.state.receiving.size).toBe(0);
  });

  it.each([
    ['before its delta comes', true],
    ['after that', false],
  ])(
    'has its base looked up again only where its row is not here yet: it is here %s',
    async (_, first) => {
      rebuildsTo(NEW, 120);
      const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
      if (first) await server.settle();
      writer.sendContent(call, { digest: DELTA, length: 10 });
      await server.settle();
      expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ ok: true });
      const asked = effects.flatMap((each) => (each.kind === 'load' ? each.keys : []));
      expect(asked.filter(({ kind }) => kind === 'version')).toHaveLength(first ? 1 : 2);
      expect(rebuilds()).toMatchObject([{ base: KNOWN, wanted: { digest: NEW, length: 120 } }]);
    },
  );

  it('is announced at its header, as any store', async () => {
    const reader = await server.join('read');
    await reader.ask('Fetch', { fid: file, version: null });
    writer.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
    expect(server.breaks).toHaveLength(1);
  });

  it.each([
    ['another digest', OLD, 120],
    ['another length', NEW, 119],
  ])('that makes %s is refused, and what it made is gone', async (_, digest, length) => {
    rebuildsTo(digest, length);
    expect(await storeDelta()).toEqual({ code: 'damaged-delta' });
    expect(server.discarded).toEqual(['/made']);
    expect(writer.server.state.receiving.size).toBe(0);
  });

  it('that arrives as another one is refused and not applied', async () => {
    expect(await storeDelta({ arrives: OLD })).toEqual({ code: 'damaged-delta' });
    expect(rebuilds()).toEqual([]);
    expect(server.discarded).toEqual(['/spool/1']);
  });

  it('over a version that is not here is refused, and may come whole under its number', async () => {
    expect(await storeDelta({ base: 7 })).toEqual({ code: 'unknown-base' });
    expect(server.discarded).toEqual(['/spool/1']);
    const again = await writer.store(file, 1, { seq: 3, digest: NEW, length: 120 });
    expect(again).toMatchObject({ ok: true, seq: 3 });
  });

  it('over a file without contents is refused', async () => {
    const empty = writer.fid(1);
    await writer.applyOne(create(empty, 'g'));
    expect(await storeDelta({ of: empty })).toEqual({ code: 'unknown-base' });
  });

  it('that would make far more than it is made of is not applied', async () => {
    expect(await storeDelta({ size: 110 * 8 + 1 })).toEqual({ code: 'damaged-delta' });
    expect(rebuilds()).toEqual([]);
  });

  it('whose base can not be read is told why', async () => {
    const end = server.meta.troubles.add((method) => (method === 'load' ? new Error('no') : null));
    expect(await storeDelta()).toEqual({ code: 'internal' });
    end();
    expect(server.discarded).toEqual(['/spool/1']);
  });

  it('of a device that may only read is refused as ever, and nothing is made', async () => {
    const reader = await server.join('read', 'guest');
    const call = reader.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
    await server.settle();
    expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ refusal: 'no-right' });
    reader.sendContent(call, { digest: DELTA, length: 10 });
    expect(rebuilds()).toEqual([]);
  });

  it('of a file in another volume is refused, and nothing is looked up there', async () => {
    const elsewhere = makeFid(2, 1, 1);
    const result = { ok: false, refusal: 'no-such-vnode', existing: null };
    expect(await storeDelta({ of: elsewhere })).toMatchObject({ body: { result } });
    const keys = effects.flatMap((each) => (each.kind === 'load' ? each.keys : []));
    expect(keys).toEqual([]);
  });

  it('goes on where its connection ends once it has arrived', async () => {
    rebuildsTo(NEW, 120);
    server.hold.loads = true;
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
    writer.sendContent(call, { digest: DELTA, length: 10 });
    writer.disconnect();
    await server.release('loads');
    await writer.hello();
    const { status } = await writer.ask('Fetch', { fid: file, version: null });
    expect(status).toMatchObject({ version: 2, digest: NEW });
  });
});

describe('the announcement of a stream', () => {
  const whole = { digest: NEW, length: 120, offset: 0, delta: false };

  it.each([
    ['the contents have another digest', { ...whole, digest: OLD }],
    ['the contents have another length', { ...whole, length: 119 }],
    ['it begins behind its end', { ...whole, offset: 121 }],
    ['it is a delta of no bytes', { ...delta(), length: 0 }],
  ])('where %s is refused', async (_, stream) => {
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });

  it('that is a delta over nothing is refused', async () => {
    const call = writer.sendStore(file, 0, { digest: NEW, length: 120, stream: delta() });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });

  it('of a rest whose beginning is not here is refused before it comes', async () => {
    const stream = { ...whole, offset: 60 };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: false });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'unknown-base' });
  });

  it.each([60, 120])('of what is left from %d on is taken as contents are', async (offset) => {
    const stream = { ...whole, offset };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: true });
    writer.sendContent(call, { digest: NEW, length: 120 });
    await server.settle();
    expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ ok: true });
  });

  it('of what is left: joined it is something else, and comes whole the next time', async () => {
    const stream = { ...whole, offset: 60 };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: true });
    writer.sendContent(call, { digest: OLD, length: 120 });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'damaged-delta' });
  });

  it('is not answered by a server that closes: what came of it is kept', async () => {
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream: whole });
    server.feed({ kind: 'close' });
    await server.pass(3000);
    expect(server.closed).toBe(true);
    expect(server.outcome(call)).toBeUndefined();
  });
});

describe('what was begun', () => {
  it('is told to its device alone', async () => {
    const other = await server.join();
    server.parts.set(`${writer.fingerprint} ${NEW}`, 60);
    const streams = [NEW, DELTA];
    expect(await writer.ask('Begun', { streams })).toEqual({ lengths: [60, 0] });
    expect(await other.ask('Begun', { streams })).toEqual({ lengths: [0, 0] });
  });

  it('is told to nobody before its Hello', async () => {
    writer.connect();
    expect(await writer.try('Begun', { streams: [NEW] })).toEqual({ code: 'hello-first' });
    expect(effects.filter(({ kind }) => kind === 'begun')).toEqual([]);
  });
});

describe('a fetch', () => {
  const ask = ({ version = null, base }: { version?: number | null; base?: number }) =>
    writer.try('Fetch', {
      fid: file,
      version: version as DataVersion | null,
      ...(base === undefined ? {} : { base: base as DataVersion }),
    });

  beforeEach(async () => {
    await writer.store(file, 1, { digest: NEW, length: 120 });
  });

  it('that names no base is answered with the contents alone', async () => {
    expect(await ask({})).toMatchObject({ digest: NEW, told: null });
  });

  it.each([{}, { version: 2 }])('that names a base is told against it: %j', async (body) => {
    const told = { base: { ...KNOWN, version: 1 }, begun: [] };
    expect(await ask({ ...body, base: 1 })).toMatchObject({ digest: NEW, told });
  });

  it('that names a base nobody knows gets the contents', async () => {
    const told = { base: null, begun: [] };
    expect(await ask({ base: 9 })).toMatchObject({ digest: NEW, told });
  });
});

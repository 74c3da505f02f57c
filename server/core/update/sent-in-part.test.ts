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

describe('a store sent as a delta', () => {
  it('is applied to its base version and kept', async () => {
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
    ['before the delta arrives', true],
    ['after the delta arrived', false],
  ])(
    'looks up its base again only if the row is not loaded yet: it is loaded %s',
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

  it('is announced at its header like any store', async () => {
    const reader = await server.join('read');
    await reader.ask('Fetch', { fid: file, version: null });
    writer.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
    expect(server.breaks).toHaveLength(1);
  });

  it.each([
    ['another digest', OLD, 120],
    ['another length', NEW, 119],
  ])('is refused when it makes %s, and the result is removed', async (_, digest, length) => {
    rebuildsTo(digest, length);
    expect(await storeDelta()).toEqual({ code: 'damaged-delta' });
    expect(server.discarded).toEqual(['/made']);
    expect(writer.server.state.receiving.size).toBe(0);
  });

  it('is refused and not applied when it arrives damaged', async () => {
    expect(await storeDelta({ arrives: OLD })).toEqual({ code: 'damaged-delta' });
    expect(rebuilds()).toEqual([]);
    expect(server.discarded).toEqual(['/spool/1']);
  });

  it('is refused without its base, and the contents may come whole under the same number', async () => {
    expect(await storeDelta({ base: 7 })).toEqual({ code: 'unknown-base' });
    expect(server.discarded).toEqual(['/spool/1']);
    const again = await writer.store(file, 1, { seq: 3, digest: NEW, length: 120 });
    expect(again).toMatchObject({ ok: true, seq: 3 });
  });

  it('is refused when its base is a file without contents', async () => {
    const empty = writer.fid(1);
    await writer.applyOne(create(empty, 'g'));
    expect(await storeDelta({ of: empty })).toEqual({ code: 'unknown-base' });
  });

  it('is not applied when it would make far more than it consists of', async () => {
    expect(await storeDelta({ size: 110 * 8 + 1 })).toEqual({ code: 'damaged-delta' });
    expect(rebuilds()).toEqual([]);
  });

  it('gets an error when its base cannot be read', async () => {
    const end = server.meta.troubles.add((method) => (method === 'load' ? new Error('no') : null));
    expect(await storeDelta()).toEqual({ code: 'internal' });
    end();
    expect(server.discarded).toEqual(['/spool/1']);
  });

  it('is refused as usual from a read-only device, and nothing is made', async () => {
    const reader = await server.join('read', 'guest');
    const call = reader.sendStore(file, 1, { digest: NEW, length: 120, stream: delta() });
    await server.settle();
    expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ refusal: 'no-right' });
    reader.sendContent(call, { digest: DELTA, length: 10 });
    expect(rebuilds()).toEqual([]);
  });

  it('is refused without a lookup for a file in another volume', async () => {
    const elsewhere = makeFid(2, 1, 1);
    const result = { ok: false, refusal: 'no-such-vnode', existing: null };
    expect(await storeDelta({ of: elsewhere })).toMatchObject({ body: { result } });
    const keys = effects.flatMap((each) => (each.kind === 'load' ? each.keys : []));
    expect(keys).toEqual([]);
  });

  it('completes when its connection ends after it has arrived', async () => {
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
    ['it begins after its end', { ...whole, offset: 121 }],
    ['it is a delta of no bytes', { ...delta(), length: 0 }],
  ])('is refused when %s', async (_, stream) => {
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });

  it('is refused when it is a delta without a base', async () => {
    const call = writer.sendStore(file, 0, { digest: NEW, length: 120, stream: delta() });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });

  it('is refused before the rest of a transfer comes whose beginning is missing', async () => {
    const stream = { ...whole, offset: 60 };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: false });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'unknown-base' });
  });

  it.each([60, 120])('is accepted for the rest from %d on, like other contents', async (offset) => {
    const stream = { ...whole, offset };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: true });
    writer.sendContent(call, { digest: NEW, length: 120 });
    await server.settle();
    expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ ok: true });
  });

  it('leads to a whole transfer when the joined contents are wrong', async () => {
    const stream = { ...whole, offset: 60 };
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream, isBegun: true });
    writer.sendContent(call, { digest: OLD, length: 120 });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'damaged-delta' });
  });

  it('is not answered by a closing server, which keeps the part', async () => {
    const call = writer.sendStore(file, 1, { digest: NEW, length: 120, stream: whole });
    server.feed({ kind: 'close' });
    await server.pass(3000);
    expect(server.closed).toBe(true);
    expect(server.outcome(call)).toBeUndefined();
  });
});

describe('the length of a received part', () => {
  it('is sent to its own device only', async () => {
    const other = await server.join();
    server.parts.set(`${writer.fingerprint} ${NEW}`, 60);
    const streams = [NEW, DELTA];
    expect(await writer.ask('Begun', { streams })).toEqual({ lengths: [60, 0] });
    expect(await other.ask('Begun', { streams })).toEqual({ lengths: [0, 0] });
  });

  it('is sent to nobody before Hello', async () => {
    writer.connect();
    expect(await writer.try('Begun', { streams: [NEW] })).toEqual({ code: 'hello-first' });
    expect(effects.filter(({ kind }) => kind === 'begun')).toEqual([]);
  });
});

describe('a fetch of contents in part', () => {
  const ask = ({ version = null, base }: { version?: number | null; base?: number }) =>
    writer.try('Fetch', {
      fid: file,
      version: version as DataVersion | null,
      ...(base === undefined ? {} : { base: base as DataVersion }),
    });

  beforeEach(async () => {
    await writer.store(file, 1, { digest: NEW, length: 120 });
  });

  it('gets whole contents when it names no base', async () => {
    expect(await ask({})).toMatchObject({ digest: NEW, told: null });
  });

  it.each([{}, { version: 2 }])('gets a delta against the base that it names: %j', async (body) => {
    const told = { base: { ...KNOWN, version: 1 }, begun: [] };
    expect(await ask({ ...body, base: 1 })).toMatchObject({ digest: NEW, told });
  });

  it('gets whole contents when its base is unknown', async () => {
    const told = { base: null, begun: [] };
    expect(await ask({ base: 9 })).toMatchObject({ digest: NEW, told });
  });
});

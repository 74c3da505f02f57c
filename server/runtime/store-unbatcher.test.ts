import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { MemoryStreamFiles } from '../../app/lab/simulator/store/memory-stream-files.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { UpdateSeq } from '../../shared/model/update.ts';
import { milliseconds, seconds, type WallTime } from '../../shared/model/time.ts';
import type { DataVersion, Mtime } from '../../shared/model/vnode.ts';
import type { CallId } from '../../shared/ports/transport.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import { MAX_STORE_TOGETHER } from '../../shared/wire/limits.ts';
import type { ReplyOf, RequestOf } from '../../shared/wire/rpcs.ts';
import { LARGE_XATTRS } from '../../test/support/large-xattrs.ts';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';
import type { AnyReply } from '../core/events.ts';
import { StoreUnbatcher, type Answered } from './store-unbatcher.ts';

const HOME = 1 as VolumeId;
const TEXTS = ['the first', 'the second of them', 'the third'];
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

let server: RuntimeServer;
let client: WireClient;
let files: Fid[];

type Stores = RequestOf<'StoreMany'>['stores'];

/** Stores 10, 11 ... of the files, of these texts. */
const storesOf = (texts: readonly string[]): Stores =>
  texts.map((text, index) => ({
    seq: (10 + index) as UpdateSeq,
    after: [],
    update: {
      op: 'store',
      fid: files[index] as Fid,
      base: 0 as DataVersion,
      size: bytesOf(text).length,
      digest: digestOf(bytesOf(text)),
      mtime: '1' as Mtime,
    },
  }));

const bodyOf = (stores: Stores): RequestOf<'StoreMany'> => ({
  volume: HOME,
  lowWater: 0 as UpdateSeq,
  stores,
});
const together = (stores: Stores, texts: readonly string[] = TEXTS) =>
  client.ask('StoreMany', bodyOf(stores), bytesOf(texts.join('')));
const textOf = async (fid: Fid | undefined): Promise<string> => {
  const { content } = await client.ask('Fetch', { fid: fid as Fid, version: null });
  return Buffer.from(content ?? []).toString();
};
const fine = (seq: number) => ({ result: { seq, ok: true } });

beforeEach(async () => {
  server = new RuntimeServer({ streams: {} });
  const meta = new MemoryMetaStore();
  await server.start(meta);
  client = new WireClient(server, 'laptop');
  const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
  meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  await client.connect();
  await client.hello(null, 1, invitation);
  files = [await client.makeFile(1), await client.makeFile(2), await client.makeFile(3)];
});

describe('stores in one message', () => {
  it('get no answer when large statuses of refused ones do not fit', async () => {
    for (const [index, fid] of files.entries()) {
      const seq = (5 + index) as UpdateSeq;
      const update = { op: 'setattr', fid, mode: null, mtime: null, xattrs: [...LARGE_XATTRS] };
      const updates = [{ seq, after: [], update }] as RequestOf<'Apply'>['updates'];
      await client.ask('Apply', { volume: HOME, lowWater: 0 as UpdateSeq, updates });
    }
    const stale = storesOf(TEXTS).map(({ update, ...rest }) => {
      return { ...rest, update: { ...update, base: 7 as DataVersion } };
    });
    const refused = (seq: number) => ({ result: { seq, ok: false, refusal: 'stale-base' } });
    const { reply } = await together(stale);
    expect(reply).toMatchObject({ ok: true, body: { results: [refused(10), null, null] } });
    const again = await together(stale.slice(1), TEXTS.slice(1));
    expect(again.reply).toMatchObject({ ok: true, body: { results: [refused(11), null] } });
  });

  it('are committed in their order, and no file of them is left', async () => {
    const { reply } = await together(storesOf(TEXTS));
    expect(reply).toMatchObject({ ok: true, body: { results: [fine(10), fine(11), fine(12)] } });
    expect(await Promise.all(files.map(textOf))).toEqual(TEXTS);
    expect(server.streamFiles).toEqual([]);
  });

  it('are applied once, however often they are sent', async () => {
    const first = await together(storesOf(TEXTS));
    const again = await together(storesOf(TEXTS));
    expect(again.reply).toEqual(first.reply);
    expect(await Promise.all(files.map(textOf))).toEqual(TEXTS);
    expect(server.streamFiles).toEqual([]);
  });

  it('succeed or fail separately: damaged contents, a stale base', async () => {
    const [first, second, third] = storesOf(TEXTS) as [Stores[0], Stores[0], Stores[0]];
    const spoilt = { ...second, update: { ...second.update, digest: digestOf(bytesOf('other')) } };
    const stale = { ...third, update: { ...third.update, base: 7 as DataVersion } };
    const { reply } = await together([first, spoilt, stale]);
    expect(reply).toMatchObject({
      body: {
        results: [
          fine(10),
          { code: 'length-mismatch' },
          { result: { seq: 12, ok: false, refusal: 'stale-base' } },
        ],
      },
    });
    expect(await textOf(files[0])).toBe(TEXTS[0]);
    expect(server.streamFiles).toEqual([]);
  });

  it('may be of empty files', async () => {
    const texts = ['', 'text', ''];
    const { reply } = await together(storesOf(texts), texts);
    expect(reply).toMatchObject({ body: { results: [fine(10), fine(11), fine(12)] } });
    expect(await Promise.all(files.map(textOf))).toEqual(texts);
  });

  it('do not wait for one that waits, which is sent again', async () => {
    const [first, second, third] = storesOf(TEXTS) as [Stores[0], Stores[0], Stores[0]];
    const began = server.world.time.now();
    const waits = { ...third, after: [9 as UpdateSeq] };
    const { reply } = await together([first, second, waits]);
    expect(reply).toMatchObject({ body: { results: [fine(10), fine(11), null] } });
    expect(server.world.time.now() - began).toBeGreaterThanOrEqual(100);
    const again = client.ask(
      'Store',
      { volume: HOME, lowWater: 0 as UpdateSeq, ...waits },
      bytesOf(TEXTS[2] ?? ''),
    );
    await server.world.pass(milliseconds(200));
    const setattr = {
      op: 'setattr',
      fid: files[0] as Fid,
      mode: 0o600,
      mtime: null,
      xattrs: null,
    } as const;
    const updates = [{ seq: 9 as UpdateSeq, after: [], update: setattr }];
    await client.ask('Apply', { volume: HOME, lowWater: 0 as UpdateSeq, updates });
    expect((await again).reply).toMatchObject({ body: fine(12) });
    expect(await textOf(files[2])).toBe(TEXTS[2]);
    expect(server.streamFiles).toEqual([]);
  });

  it.each<[string, (stores: Stores) => Stores, string]>([
    ['a byte more than announced', (stores) => stores, 'x'],
    [
      'a store too long for it',
      ([first, ...others]) => [
        {
          ...first,
          update: { ...(first as Stores[0]).update, size: MAX_STORE_TOGETHER + 1 },
        } as Stores[0],
        ...others,
      ],
      '',
    ],
  ])('are all refused when they have %s', async (_, change, more) => {
    const stores = change(storesOf(TEXTS));
    const { reply } = await together(stores, [...TEXTS, more]);
    expect(reply).toMatchObject({ ok: false, code: 'bad-message' });
    await server.world.settle();
    expect(await textOf(files[0])).toBe('');
    expect(server.streamFiles).toEqual([]);
  });

  it.each<[string, (call: number) => void]>([
    ['taken back', (call) => client.abort(call)],
    ['cut off with their connection', () => void client.connect()],
  ])('may be sent again when they are %s', async (_, end) => {
    const call = client.send(
      encodeRequest('StoreMany', bodyOf(storesOf(TEXTS))),
      bytesOf(TEXTS.join('')),
      'StoreMany',
    );
    end(call);
    await server.world.pass(seconds(1));
    await client.connect();
    await client.hello(1, 2);
    const { reply } = await together(storesOf(TEXTS));
    expect(reply).toMatchObject({ body: { results: [fine(10), fine(11), fine(12)] } });
    expect(server.streamFiles).toEqual([]);
  });

  it('get the error of the disk as their answer', async () => {
    server.contents.failNextPut('server-full');
    const { reply } = await together(storesOf(TEXTS));
    expect(reply).toMatchObject({ ok: true });
    const results = reply !== 'aborted' && reply.ok ? reply.body.results : [];
    const codes = results.map((result) =>
      result !== null && 'code' in result ? result.code : null,
    );
    expect(codes.filter((code) => code !== null)).toEqual(['server-full']);
    expect(server.streamFiles).toEqual([]);
  });

  it('fail when the disk cannot read them back, and no file of them is left', async () => {
    let reads = 0;
    server.disk.troubles.add((call, path) => {
      // The first is that of the link, which hashes what came.
      if (call !== 'read' || !path.includes('spool')) return null;
      reads += 1;
      return reads > 1 ? 'EIO' : null;
    });
    const { reply } = await together(storesOf(TEXTS));
    const failed = { code: 'disk-failing' };
    expect(reply).toMatchObject({ body: { results: [failed, failed, failed] } });
    expect(server.streamFiles).toEqual([]);
  });
});

describe('the quota in an answer to stores in one message', () => {
  const room = (used: number) => ({ volume: HOME, limit: 100, used, free: 100 - used });
  const orders = (revision: number) => [{ volume: HOME, revision }];
  type About = Partial<Pick<ReplyOf<'Store'>, 'rooms' | 'orders'>>;

  it.each<[string, About[], About]>([
    ['the newest one counts', [{ rooms: [room(1)] }, { rooms: [room(2)] }], { rooms: [room(2)] }],
    [
      'an earlier one stays when a later answer has none',
      [{ rooms: [room(1)] }, {}],
      { rooms: [room(1)] },
    ],
    [
      'each kind has its newest',
      [{ rooms: [room(1)], orders: orders(3) }, { orders: orders(4) }],
      { rooms: [room(1)], orders: orders(4) },
    ],
    ['there is none when no answer has one', [{}, {}], {}],
  ])('is merged from all answers: %s', (_, answers, told) => {
    const asked: CallId[] = [];
    const replies: Answered[] = [];
    const stores = new StoreUnbatcher({
      files: new MemoryStreamFiles(server.disk, '/data/streams'),
      timers: new VirtualTimers(server.world.time, 'server'),
      log: new MemoryLog(server.world, 'server'),
      feed: (event) => void (event.kind === 'request' && asked.push(event.call)),
      reply: (answered) => void replies.push(answered),
    });
    const body = bodyOf(storesOf(['', '']));
    expect(stores.begins(1, 7, body, 0)).toBe(true);
    for (const [index, about] of answers.entries()) {
      const result = { seq: (10 + index) as UpdateSeq, ok: true, commit: 1, touched: [] } as const;
      const reply = { rpc: 'Store', body: { result, ...about } } as unknown as AnyReply;
      stores.answered({ kind: 'reply', call: asked[index] as CallId, reply, content: null });
    }
    const [{ body: answer }] = replies as [Answered];
    const { results, ...about } = answer;
    expect(results).toHaveLength(2);
    expect(about).toEqual(told);
  });
});

describe('a server without a folder for streams', () => {
  it('refuses stores in one message with the reason', async () => {
    const bare = new RuntimeServer();
    const meta = new MemoryMetaStore();
    await bare.start(meta);
    const other = new WireClient(bare, 'laptop');
    const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
    meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
    await other.connect();
    await other.hello(null, 1, invitation);
    const { reply } = await other.ask(
      'StoreMany',
      bodyOf(storesOf(TEXTS)),
      bytesOf(TEXTS.join('')),
    );
    expect(reply).toMatchObject({ ok: false, code: 'bad-message' });
    expect(new GodwitError('bad-message').severity).toBe('permanent');
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { milliseconds, seconds, type WallTime } from '../../shared/model/time.ts';
import type { StoreUpdate, UpdateSeq } from '../../shared/model/update.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import { chmod, create } from '../../test/support/core-updates.ts';
import { DECODED_AT_ONCE, MOST_COMMIT_REST } from '../limits.ts';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';

const BYTES = new TextEncoder().encode('the contents');

let server: RuntimeServer;
let meta: MemoryMetaStore;
let client: WireClient;
let file: Fid;

const store = (seq: number, base: number, change: Partial<StoreUpdate> = {}, bytes = BYTES) =>
  client.store(file, seq, base, bytes, change);
const fetch = () => client.ask('Fetch', { fid: file, version: null });

/** A server with one laptop that has made a file. */
async function begin(inTurns = false): Promise<void> {
  server = new RuntimeServer({ inTurns });
  meta = new MemoryMetaStore();
  await server.start(meta);
  client = new WireClient(server, 'laptop');
  const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
  meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  await client.connect();
  await client.hello(null, 1, invitation);
  file = await client.makeFile(1);
}

beforeEach(() => begin());

describe('the contents of a file', () => {
  it('are stored on the server and fetched again', async () => {
    expect(await store(2, 0)).toMatchObject({
      reply: { body: { result: { ok: true, commit: 3 } } },
    });
    const { reply, content } = await fetch();
    expect(reply).toMatchObject({ body: { status: { digest: digestOf(BYTES), version: 1 } } });
    expect(content).toEqual(BYTES);
    expect(server.disk.list('/data/spool')).toEqual([]);
  });

  it('need no file when they are empty', async () => {
    const empty = new Uint8Array();
    await store(2, 0, { digest: digestOf(empty), size: 0 }, empty);
    expect(await fetch()).toMatchObject({ reply: { ok: true }, content: null });
  });

  it.each([
    ['another digest', { digest: digestOf(new Uint8Array(1)) }],
    ['another length', { size: 5 }],
  ])('are not committed when they have %s than announced', async (_, change) => {
    expect(await store(2, 0, change)).toMatchObject({ reply: { code: 'length-mismatch' } });
    await server.world.settle();
    expect(server.disk.list('/data')).toEqual([]);
    expect(await store(2, 0)).toMatchObject({ reply: { ok: true } });
  });

  it('are served at most once when they rotted, and then reported as damaged', async () => {
    await store(2, 0);
    const [path] = server.disk.list('/data/contents') as [string];
    server.disk.write(
      path,
      BYTES.map((byte) => byte ^ 1),
    );
    await fetch();
    await server.world.pass(seconds(1));
    expect(await fetch()).toMatchObject({ reply: { code: 'damaged-contents' } });
    expect(server.log.lines.some(({ message }) => message === 'contents are damaged')).toBe(true);
  });

  it.each([
    ['cut', (path: string) => server.disk.write(path, new Uint8Array(3))],
    ['lost', (path: string) => server.disk.remove(path)],
  ])('are reported as damaged when they are %s', async (_, harm) => {
    await store(2, 0);
    harm(server.disk.list('/data/contents')[0] ?? '');
    expect(await fetch()).toMatchObject({ reply: { code: 'damaged-contents' } });
  });

  it('are refused when there is no space, and may be sent again', async () => {
    server.contents.failNextPut('server-full');
    expect(await store(2, 0)).toMatchObject({ reply: { code: 'server-full' } });
    expect(await store(2, 0)).toMatchObject({ reply: { ok: true } });
  });
});

describe('a peer of the server', () => {
  it.each([
    ['no MessagePack', Uint8Array.from([0xc1])],
    ['no request', Uint8Array.from([0x01])],
    ['an unknown request', Uint8Array.from([0x92, 0x7f, 0x80])],
    [
      'a message that only a server may send',
      Uint8Array.from([0x92, 0x40, 0x81, 0xa5, 0x69, 0x74, 0x65, 0x6d, 0x73, 0x90]),
    ],
    [
      'a path in place of a name',
      Uint8Array.from([0x92, 0x08, 0x81, 0xa3, 0x66, 0x69, 0x64, 0xa2, 0x2e, 0x2e]),
    ],
  ])('gets bad-message when it sends %s, and others go on', async (_, bytes) => {
    const answer = await client.wait('Fetch', client.send(bytes));
    expect(answer).toMatchObject({ reply: { code: 'bad-message' } });
    expect(await client.ask('GetTime', {})).toMatchObject({ reply: { ok: true } });
  });

  it('gets bad-message when it sends contents with a call that has none', async () => {
    expect(await client.ask('GetTime', {}, BYTES)).toMatchObject({
      reply: { code: 'bad-message' },
    });
    await server.world.pass(seconds(1));
    expect(server.disk.list('/data/spool')).toEqual([]);
  });

  it('is disconnected within a second after its revocation can be read', async () => {
    const busy = new Error('the database is busy');
    const end = meta.troubles.add((method) => (method === 'accessOf' ? busy : null));
    meta.revoke(1);
    await server.world.pass(seconds(3));
    expect(client.closes).toEqual([]);
    end();
    await server.world.pass(seconds(1));
    expect(client.closes).toHaveLength(1);
  });

  it('has outdated rights for a second at most when it connects with them', async () => {
    const late = Promise.withResolvers<void>();
    const load = meta.load.bind(meta);
    meta.load = async (keys) => {
      const rows = await load(keys);
      await late.promise;
      return rows;
    };
    await client.connect();
    const hello = client.hello(1, 2);
    await server.world.pass(seconds(1));
    meta.allow('owner', 1 as VolumeId, 'read');
    await server.world.pass(seconds(2));
    const before = client.closes.length;
    late.resolve();
    expect(await hello).toMatchObject({ reply: { body: { volumes: [{ rights: 'write' }] } } });
    await server.world.pass(seconds(1));
    expect(client.closes.slice(before)).toHaveLength(1);
  });

  it('is disconnected within a second when it is revoked', async () => {
    meta.revoke(1);
    await server.world.pass(seconds(1));
    expect(client.closes).toHaveLength(1);
    await client.connect();
    expect(await client.hello(1, 2)).toMatchObject({
      reply: { code: 'device-revoked' },
    });
  });
});

describe('the runtime of a server', () => {
  it('leaves nothing to wait for after an orderly close', async () => {
    const other = new RuntimeServer();
    const runtime = await other.start(meta);
    await other.world.runFor(runtime.close(), 'the close');
    await other.world.runFor(runtime.close(), 'another close');
    expect(runtime.sessions).toBe(0);
  });

  it('ends with a log entry when it meets a bug of ours', async () => {
    const broken: MetaStore = Object.assign(Object.create(meta) as MetaStore, {
      open: (...args: Parameters<MetaStore['open']>) => meta.open(...args),
      load: (...args: Parameters<MetaStore['load']>) => meta.load(...args),
      changedOutside: () => Promise.resolve(false),
      commit: () => Promise.reject(new Error('a row is not as it was read')),
    });
    server.kill();
    await server.start(broken);
    const late = new WireClient(server, 'laptop');
    await late.connect();
    late.send(new Uint8Array());
    void late.hello(1, 2).catch(() => undefined);
    await server.world.pass(seconds(1));
    expect(server.faults).toHaveLength(1);
  });
});

describe('a long batch of updates', () => {
  async function batch(count: number): Promise<Uint8Array> {
    const blocks = await client.ask('AllocateVnodes', { volume: 1 as VolumeId, blocks: 1 });
    if (blocks.reply === 'aborted' || !blocks.reply.ok) throw new Error('no block');
    const [block] = blocks.reply.body.blocks;
    const updates = Array.from({ length: count }, (_, n) => ({
      seq: (n + 2) as UpdateSeq,
      after: [],
      update: create(makeFid(1, (block?.first ?? 0) + n, block?.uniquifier ?? 0), `many${n}`),
    }));
    const body = { volume: 1 as VolumeId, lowWater: 0 as UpdateSeq, updates };
    return encodeRequest('Apply', body);
  }

  it('is decoded in parts and answered whole', async () => {
    await begin(true);
    const header = await batch(100);
    expect(header.length).toBeGreaterThan(DECODED_AT_ONCE);
    const { reply } = await client.wait('Apply', client.send(header, null, 'Apply'));
    if (reply === 'aborted' || !reply.ok) throw new Error('no answer');
    expect(reply.body.results.map(({ seq, ok }) => [seq, ok])).toEqual(
      Array.from({ length: 100 }, (_, n) => [n + 2, true]),
    );
  });

  it('is refused when it is no batch after all', async () => {
    await begin(true);
    const header = await batch(100);
    const altered = Uint8Array.from([...header, 0]);
    expect(await client.wait('Apply', client.send(altered, null, 'Apply'))).toMatchObject({
      reply: { code: 'bad-message' },
    });
  });

  it('is dropped when its device takes it back while it is decoded', async () => {
    await begin(true);
    const header = await batch(100);
    const call = client.send(header, null, 'Apply');
    client.abort(call);
    await server.world.pass(seconds(5));
    expect(server.faults).toEqual([]);
    expect(await client.ask('GetTime', {})).toMatchObject({ reply: { ok: true } });
  });
});

describe('a device that adds little beside one that fills groups', () => {
  const COMMIT = 200;

  /** When commits began, in milliseconds, of a store whose commits take COMMIT milliseconds. */
  function slowCommits(): number[] {
    const begun: number[] = [];
    const timers = new VirtualTimers(server.world.time, 'disk');
    const commit = meta.commit.bind(meta);
    meta.commit = async (writes) => {
      begun.push(server.world.time.now());
      await new Promise<void>((resolve) => timers.start(milliseconds(COMMIT), resolve));
      await commit(writes);
    };
    return begun;
  }

  /** Starts both, with a store whose commits take long. */
  async function bothBegin() {
    await begin(true);
    const little = new WireClient(server, 'little');
    const invitation = { id: '3'.repeat(32), secret: '4'.repeat(32) };
    meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
    await little.connect();
    await little.hello(null, 2, invitation);
    const own = await little.makeFile(1);
    await server.world.pass(seconds(30));
    const begun = slowCommits();
    const blocks = await client.ask('AllocateVnodes', { volume: 1 as VolumeId, blocks: 1 });
    if (blocks.reply === 'aborted' || !blocks.reply.ok) throw new Error('no block');
    const [block] = blocks.reply.body.blocks;
    let seq = 1;
    const many = (): void => {
      const updates = Array.from({ length: 40 }, () => ({
        seq: ++seq as UpdateSeq,
        after: [],
        update: create(makeFid(1, (block?.first ?? 0) + seq, block?.uniquifier ?? 0), `many${seq}`),
      }));
      const body = { volume: 1 as VolumeId, lowWater: 0 as UpdateSeq, updates };
      client.send(encodeRequest('Apply', body), null, 'Apply');
    };
    const chmodOfOwn = encodeRequest('Apply', {
      volume: 1 as VolumeId,
      lowWater: 0 as UpdateSeq,
      updates: [{ seq: 2 as UpdateSeq, after: [], update: chmod(own, 0o600) }],
    });
    await server.world.pass(seconds(30));
    begun.length = 0;
    const save = () => little.wait('Apply', little.send(chmodOfOwn, null, 'Apply'));
    return { own, begun, many, save };
  }

  it('waits for the group on its way and for no rest after it', async () => {
    const { begun, many, save } = await bothBegin();
    // The second group rests after the first one if the device that fills them is alone.
    for (const pause of [MOST_COMMIT_REST, 0]) {
      await server.world.pass(seconds(30));
      begun.length = 0;
      many();
      await server.world.runUntil(() => begun.length === 1, 'the first group');
      many();
      if (pause === 0) await save();
      else await server.world.runUntil(() => begun.length === 2, 'the second group');
      const [first = NaN, second = NaN] = begun;
      expect(second - first).toBe(COMMIT + pause);
    }
  });

  it('is in the next group although that is full before its rows are looked up', async () => {
    const { own, begun, many, save } = await bothBegin();
    const load = meta.load.bind(meta);
    const timers = new VirtualTimers(server.world.time, 'disk');
    // As where a group that is being written keeps all loads waiting.
    meta.load = async (keys) => {
      if (keys.some((key) => 'fid' in key && key.fid === own)) {
        await new Promise<void>((resolve) => timers.start(milliseconds(COMMIT + 5), resolve));
      }
      return load(keys);
    };
    many();
    await server.world.runUntil(() => begun.length === 1, 'the first group');
    for (let more = 0; more < 3; more++) many();
    await server.world.pass(milliseconds(COMMIT / 2));
    expect(begun).toHaveLength(1);
    await save();
    const ended = begun.filter((at) => at + COMMIT <= server.world.time.now());
    expect(ended).toHaveLength(2);
  });
});

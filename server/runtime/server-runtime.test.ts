import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/sim/disk/memory-disk.ts';
import { MemoryMetaStore } from '../../app/sim/store/memory-meta-store.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { seconds, wallTime, type WallTime } from '../../shared/model/time.ts';
import type { StoreUpdate, UpdateSeq } from '../../shared/model/update.ts';
import type { DataVersion, Mtime } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { RuntimeServer, WireClient } from '../../test/support/runtime-server.ts';
import { create } from '../../test/support/core-server.ts';
import { openServerDatabase } from '../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../adapters/meta-sqlite/sqlite-meta-store.ts';
import { createInvitation } from '../adapters/admin/invitations.ts';
import { revokeDevice } from '../adapters/admin/devices.ts';

const HOME = 1 as VolumeId;
const BYTES = new TextEncoder().encode('the contents');
const none = 0 as UpdateSeq;
const token = (n: number): string => n.toString(16).padStart(32, '0');

let server: RuntimeServer;
let meta: MemoryMetaStore;
let client: WireClient;
let file: Fid;

const hello = (
  previous: number | null,
  next: number,
  invitation: { id: string; secret: string } | null,
) => ({
  protocol: { min: 1, max: 1 },
  software: 'test',
  deviceName: 'laptop',
  incarnation: { previous: previous === null ? null : token(previous), next: token(next) },
  epoch: null,
  lowWater: none,
  invitation,
});

async function pair(into: MemoryMetaStore): Promise<void> {
  const invitation = { id: token(1), secret: token(2) };
  into.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  await client.connect();
  await client.ask('Hello', hello(null, 1, invitation));
}

async function makeFile(seq = 1): Promise<Fid> {
  const { reply } = await client.ask('AllocateVnodes', { volume: HOME, blocks: 1 });
  if (reply === 'aborted' || !reply.ok) throw new Error('no block');
  const [block] = reply.body.blocks;
  const fid = makeFid(HOME, block?.first ?? 0, block?.uniquifier ?? 0);
  const update = { seq: seq as UpdateSeq, after: [], update: create(fid, `f${seq}`) };
  await client.ask('Apply', { volume: HOME, lowWater: none, updates: [update] });
  return fid;
}

function store(seq: number, base: number, change: Partial<StoreUpdate> = {}, bytes = BYTES) {
  const update: StoreUpdate = {
    op: 'store',
    fid: file,
    base: base as DataVersion,
    size: bytes.length,
    digest: digestOf(bytes),
    mtime: '1' as Mtime,
    ...change,
  };
  const body = { volume: HOME, lowWater: none, seq: seq as UpdateSeq, after: [], update };
  return client.ask('Store', body, bytes);
}

const fetch = () => client.ask('Fetch', { fid: file, version: null });

beforeEach(async () => {
  server = new RuntimeServer();
  meta = new MemoryMetaStore();
  await server.start(meta);
  client = new WireClient(server, 'laptop');
  await pair(meta);
  file = await makeFile();
});

describe('contents', () => {
  it('go to the server and come back', async () => {
    expect(await store(2, 0)).toMatchObject({
      reply: { body: { result: { ok: true, commit: 3 } } },
    });
    const { reply, content } = await fetch();
    expect(reply).toMatchObject({ body: { status: { digest: digestOf(BYTES), version: 1 } } });
    expect(content).toEqual(BYTES);
    expect(server.disk.list('/data/spool')).toEqual([]);
  });

  it('of no bytes need no file', async () => {
    const empty = new Uint8Array();
    await store(2, 0, { digest: digestOf(empty), size: 0 }, empty);
    expect(await fetch()).toMatchObject({ reply: { ok: true }, content: null });
  });

  it.each([
    ['another digest', { digest: digestOf(new Uint8Array(1)) }],
    ['another length', { size: 5 }],
  ])('with %s than announced are not committed', async (_, change) => {
    expect(await store(2, 0, change)).toMatchObject({ reply: { code: 'length-mismatch' } });
    await server.world.settle();
    expect(server.disk.list('/data')).toEqual([]);
    expect(await store(2, 0)).toMatchObject({ reply: { ok: true } });
  });

  it('that rotted are served once at most, and then said to be damaged', async () => {
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
  ])('that are %s are said to be damaged', async (_, harm) => {
    await store(2, 0);
    harm(server.disk.list('/data/contents')[0] ?? '');
    expect(await fetch()).toMatchObject({ reply: { code: 'damaged-contents' } });
  });

  it('for which there is no room are refused, and may come again', async () => {
    server.contents.failNextPut('server-full');
    expect(await store(2, 0)).toMatchObject({ reply: { code: 'server-full' } });
    expect(await store(2, 0)).toMatchObject({ reply: { ok: true } });
  });
});

describe('a peer', () => {
  it.each([
    ['no MessagePack', Uint8Array.from([0xc1])],
    ['no request', Uint8Array.from([0x01])],
    ['a request nobody knows', Uint8Array.from([0x92, 0x7f, 0x80])],
    [
      'what only a server may send',
      Uint8Array.from([0x92, 0x40, 0x81, 0xa5, 0x69, 0x74, 0x65, 0x6d, 0x73, 0x90]),
    ],
    [
      'a path for a name',
      Uint8Array.from([0x92, 0x08, 0x81, 0xa3, 0x66, 0x69, 0x64, 0xa2, 0x2e, 0x2e]),
    ],
  ])('that sends %s is told so, and others go on', async (_, bytes) => {
    const answer = await client.wait('Fetch', client.send(bytes));
    expect(answer).toMatchObject({ reply: { code: 'bad-message' } });
    expect(await client.ask('GetTime', {})).toMatchObject({ reply: { ok: true } });
  });

  it('that sends contents where there are none is told so', async () => {
    expect(await client.ask('GetTime', {}, BYTES)).toMatchObject({
      reply: { code: 'bad-message' },
    });
    await server.world.pass(seconds(1));
    expect(server.disk.list('/data/spool')).toEqual([]);
  });

  it('that is revoked is gone within a second', async () => {
    meta.revoke(1);
    await server.world.pass(seconds(1));
    expect(client.closes).toHaveLength(1);
    await client.connect();
    expect(await client.ask('Hello', hello(1, 2, null))).toMatchObject({
      reply: { code: 'device-revoked' },
    });
  });
});

describe('a runtime', () => {
  it('that closed in good order leaves nothing to wait for', async () => {
    const other = new RuntimeServer();
    const runtime = await other.start(meta);
    await other.world.runFor(runtime.close(), 'the close');
    await other.world.runFor(runtime.close(), 'another close');
    expect(runtime.sessions).toBe(0);
  });

  it('that meets a bug of ours ends, and says so', async () => {
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
    void late.ask('Hello', hello(1, 2, null)).catch(() => undefined);
    await server.world.pass(seconds(1));
    expect(server.faults).toHaveLength(1);
  });
});

describe('killed at any moment, on a real database', () => {
  it('the next one has what was answered, knows what was sent, and waits for leases', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'godwit-runtime-'));
    const path = join(folder, 'server.db');
    const sqlite = new RuntimeServer();
    await sqlite.start(new SqliteMetaStore(path));
    const database = openServerDatabase(path);
    const request = { userName: 'owner', volumeName: 'home', rights: 'write' } as const;
    const times = { now: wallTime(0), expires: 9e15 as WallTime };
    const random = sqlite.world.random.fork('admin');
    const invitation = createInvitation(database, { ...request, ...times }, random);
    server = sqlite;
    client = new WireClient(sqlite, 'laptop');
    await client.connect();
    await client.ask('Hello', hello(null, 1, invitation));
    file = await makeFile();
    await store(2, 0);

    sqlite.kill();
    await sqlite.start(new SqliteMetaStore(path));
    await client.connect();
    await client.ask('Hello', hello(1, 2, null));
    expect(await store(2, 0)).toMatchObject({
      reply: { body: { result: { ok: true, commit: 3 } } },
    });
    expect((await fetch()).content).toEqual(BYTES);
    expect(await store(3, 1)).toMatchObject({ reply: { body: { result: { commit: 4 } } } });
    const page = await client.ask('FetchDir', {
      fid: rootOf(HOME),
      at: null,
      after: null,
      limit: 9,
    });
    expect(page).toMatchObject({ reply: { body: { at: 4, entries: [{ name: 'f1' }] } } });

    revokeDevice(database, 1, wallTime(1));
    await sqlite.world.pass(seconds(1));
    expect(client.closes.length).toBeGreaterThan(0);
    sqlite.kill();
    database.close();
    rmSync(folder, { recursive: true });
  });
});

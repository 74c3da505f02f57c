/** Checking and collecting on a data folder as a server leaves it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blake3 } from '@noble/hashes/blake3.js';
import { MemoryLog } from '../../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../../app/lab/simulator/world.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { present } from '../../../shared/util/assert.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { dataFolder, lockMaintenance, type DataFolder } from '../../data-folder.ts';
import { checkServer, collectServer } from '../administration.ts';

const DAY_MS = 86_400_000;
const SMALL = Buffer.alloc(3000, 's');
const OTHER = Buffer.alloc(500, 'o');
const LARGE = Buffer.alloc(100_000, 'l');
const RATE = 1e9;

let folder: DataFolder;
let meta: SqliteMetaStore;
let script: MetaScript;
let store: PackedContentStore;
let lastVnode = 1;

beforeEach(async () => {
  folder = dataFolder(mkdtempSync(join(tmpdir(), 'godwit-upkeep-')));
  meta = new SqliteMetaStore(folder.database);
  await meta.open(FIRST);
  script = await MetaScript.on(meta);
  await openStore();
});
afterEach(async () => {
  await store.close();
  await meta.close();
  rmSync(folder.path, { recursive: true });
});

async function openStore(daysAgo = 0): Promise<void> {
  const wall = (): number => Date.now() - daysAgo * DAY_MS;
  const log = new MemoryLog(new World(1), 'server');
  store = await PackedContentStore.open(folder.path, { log, wall });
}

async function put(bytes: Uint8Array): Promise<Digest> {
  const digest = Buffer.from(blake3(bytes)).toString('hex') as Digest;
  const path = join(folder.path, 'spooled');
  writeFileSync(path, bytes);
  await store.put(path, digest);
  return digest;
}

/** A file that has it, stored so many days ago; its vnode. */
async function name(digest: Digest, vnode = ++lastVnode, daysAgo = 0): Promise<number> {
  const fid = fidOf(vnode);
  if (vnode === lastVnode && script.vnodes.get(fid) === undefined) {
    await script.create(fid, ROOT, `file-${vnode}`).flush();
  }
  script.store(fid, 1);
  const { status, entries } = present(script.vnodes.get(fid), 'it is there');
  const row = { status: { ...status, digest }, entries };
  script.vnodes.set(fid, row);
  const when = wallTime(Date.now() - daysAgo * DAY_MS);
  const writes = script.pending.splice(0).map((write) => {
    if (write.kind === 'log') return { ...write, when };
    return write.kind === 'vnode' && write.row.status.fid === fid ? { ...write, row } : write;
  });
  await meta.commit([...writes, { kind: 'content', digest, size: 1 }]);
  return vnode;
}

async function spoil(digest: Digest): Promise<void> {
  const { path, offset } = present(await store.locate(digest), 'it is there');
  const bytes = readFileSync(path);
  bytes[offset + 1] = (bytes[offset + 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const check = (repair = false) => checkServer(folder.path, { repair, rate: RATE });
const contentRows = (): Set<unknown> => {
  const database = openServerDatabase(folder.database);
  const rows = database.prepare('SELECT digest FROM content').pluck().all();
  database.close();
  return new Set(rows);
};

describe('a check of a server', () => {
  it('finds nothing when all contents exist and counts them by kind', async () => {
    const vnode = await name(await put(SMALL));
    await name(await put(LARGE));
    await name(await put(OTHER), vnode);
    await put(Buffer.from('nobody names it'));
    await store.close();
    expect(await check()).toMatchObject({
      missing: [],
      damaged: [],
      strayBytes: 0,
      use: {
        live: { count: 2, bytes: OTHER.length + LARGE.length },
        old: { count: 1, bytes: SMALL.length },
        unnamed: { count: 1, bytes: 15 },
        collectable: { count: 0 },
        packs: { count: 1 },
        files: { count: 1, bytes: LARGE.length },
      },
    });
  });

  it.each([
    ['a pack', SMALL],
    ['a file', LARGE],
  ])('finds what is damaged in %s and quarantines it on request', async (_, bytes) => {
    const digest = await put(bytes);
    await name(digest);
    await name(await put(OTHER));
    await spoil(digest);
    await store.close();
    expect(await check()).toMatchObject({ missing: [], damaged: [digest], putAside: 0 });
    expect(await check(true)).toMatchObject({ damaged: [digest], putAside: 1 });
    expect(readdirSync(join(folder.path, 'quarantine'))).toEqual([digest]);
    expect(await check()).toMatchObject({ missing: [digest], damaged: [] });
    await openStore();
    expect(await put(bytes)).toBe(digest);
    await store.close();
    expect(await check()).toMatchObject({ missing: [], damaged: [] });
  });

  it('finds what is missing and rebuilds an index without it', async () => {
    const digest = await put(SMALL);
    await name(digest);
    const gone = '9'.repeat(64) as Digest;
    await name(gone);
    await store.close();
    const { default: Database } = await import('better-sqlite3');
    const index = new Database(join(folder.path, 'contents.db'));
    index.exec('DELETE FROM place');
    index.close();
    expect(await check()).toMatchObject({ missing: [gone, digest].sort() });
    expect(await check(true)).toMatchObject({ missing: [gone] });
    expect(await check()).toMatchObject({ missing: [gone] });
  });

  it('runs beside a server, which must be stopped for a repair', async () => {
    await name(await put(SMALL));
    const lock = present(new NativeHost().lockFile(folder.lock), 'nobody has it');
    expect(await check()).toMatchObject({ missing: [], damaged: [], use: { live: { count: 1 } } });
    await expect(check(true)).rejects.toMatchObject({ code: 'already-running' });
    lock.release();
  });

  it('refuses to repair, as a collection refuses to run, while a backup needs all contents', async () => {
    await name(await put(SMALL));
    await store.close();
    const backup = lockMaintenance(folder, new NativeHost());
    const expected = { code: 'upkeep-running' };
    await expect(check(true)).rejects.toMatchObject(expected);
    await expect(collectServer(folder.path, 7)).rejects.toMatchObject(expected);
    expect(await check()).toMatchObject({ missing: [], damaged: [] });
    backup.release();
    expect(await collectServer(folder.path, 7)).toMatchObject({ contents: 0 });
  });
});

describe('a collection on a server', () => {
  it('removes unnamed contents that are old enough, with their rows', async () => {
    await store.close();
    await openStore(8);
    const kept = await put(SMALL);
    await name(kept);
    const unnamed = await put(OTHER);
    await store.close();
    await openStore();
    const young = await put(Buffer.from('an upload under way'));
    await store.close();
    expect(await check()).toMatchObject({ use: { collectable: { count: 1, bytes: 500 } } });
    expect(await collectServer(folder.path, 7)).toMatchObject({ contents: 1, contentBytes: 500 });
    await openStore();
    expect(await store.locate(unnamed)).toBeNull();
    expect(await store.locate(young)).not.toBeNull();
    expect(await store.locate(kept)).not.toBeNull();
    expect(contentRows()).toEqual(new Set([kept]));
    await store.close();
    expect(await check()).toMatchObject({ missing: [], damaged: [] });
  });

  it('removes old versions beyond the retention and frees their space', async () => {
    await store.close();
    await openStore(100);
    const old = await put(LARGE.subarray(0, 60_000));
    const vnode = await name(old, undefined, 100);
    const replaced = await put(SMALL);
    await name(replaced, vnode, 40);
    const current = await put(OTHER);
    await name(current, vnode, 3);
    await store.close();
    const collected = await collectServer(folder.path, 7);
    expect(collected).toMatchObject({ contents: 1, contentBytes: 60_000, packs: 1 });
    expect(collected.packBytes).toBeGreaterThan(60_000);
    expect(contentRows()).toEqual(new Set([replaced, current]));
    const { use, missing } = await check();
    expect(missing).toEqual([]);
    expect(use.old).toEqual({ count: 1, bytes: SMALL.length });
  });
});

it('a check and a collection are refused when there never was a server', async () => {
  const none = join(folder.path, 'none');
  const expected = expect.objectContaining({ code: 'no-server' });
  await expect(checkServer(none, { repair: false, rate: RATE })).rejects.toEqual(expected);
  await expect(collectServer(none, 7)).rejects.toEqual(expected);
});

it('a check names altered rows, and a repair accepts them as they are', async () => {
  await name(await put(SMALL));
  await meta.close();
  await store.close();
  const database = new Database(folder.database);
  database.exec("UPDATE vnode SET mtime = '7' WHERE vnode > 1; UPDATE volume SET name = 'away'");
  database.close();
  const check = (repair: boolean) => checkServer(folder.path, { repair, rate: RATE });
  await expect(check(false)).rejects.toThrow(/server\.db is damaged: the row 1 of volume is not/);
  expect((await check(true)).accepted).toEqual([
    'the row 1 of volume is not as it was written',
    expect.stringMatching(/^rows of .* \(\/file-.*\) are not as commit 2 of away wrote them$/),
    expect.stringMatching(/^rows of .* are not as commit 3 of away wrote them$/),
  ]);
  expect((await check(false)).accepted).toEqual([]);
  await openStore();
  meta = new SqliteMetaStore(folder.database);
  await meta.open(FIRST);
});

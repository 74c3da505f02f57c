/** Collection beside a server that goes on: what somebody names, has just put or is about to store stays, however it comes about. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { present } from '../../../shared/util/assert.ts';
import { FaultyPackFiles } from '../../../test/support/faulty-pack-files.ts';
import { PacksBench } from '../../../test/support/packs-bench.ts';
import type { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { forgetContents } from '../../adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { collectContents, type CollectOptions } from './collect-contents.ts';

const OLD = 1000;
const NOW = 9000;
const SMALL_BYTES = 100;

let bench: PacksBench;
let folder: string;
let database: Sqlite;
let store: PackedContentStore;

beforeEach(async () => {
  bench = new PacksBench();
  folder = mkdtempSync(join(tmpdir(), 'godwit-collect-'));
  database = openServerDatabase(join(folder, 'server.db'));
  store = await bench.open({ smallBytes: SMALL_BYTES, packBytes: 300 });
});
afterEach(async () => {
  database.close();
  await bench.end();
  rmSync(folder, { recursive: true });
});

const textOf = (name: string): Buffer => Buffer.from(name.padEnd(50, '.'));
const largeOf = (name: string): Buffer => Buffer.from(name.padEnd(SMALL_BYTES + 50, '.'));

/** Put long ago, with the row that its commit wrote. */
async function old(bytes: Buffer): Promise<Digest> {
  bench.now = OLD;
  const digest = await bench.put(store, bytes);
  if (bytes.length > SMALL_BYTES) makeOld(digest);
  bench.now = NOW;
  database.prepare('INSERT OR REPLACE INTO content VALUES (?, ?)').run(digest, bytes.length);
  return digest;
}

function makeOld(digest: Digest): void {
  const path = join(bench.folder, 'contents', digest.slice(0, 2), digest);
  utimesSync(path, OLD / 1000, OLD / 1000);
}

const rows = (): unknown[] => database.prepare('SELECT digest FROM content').pluck().all();

function collect(options: Partial<CollectOptions> = {}, from = store) {
  return collectContents(from, {
    forget: (digests) => forgetContents(database, digests),
    named: () => [],
    inUse: () => [],
    before: NOW,
    breathe: () => Promise.resolve(),
    readersAreIn: () => Promise.resolve(),
    ...options,
  });
}

/** Something happens once, at the first of these moments. */
function once(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<unknown> | null = null;
  return async () => void (await (done ??= work()));
}

describe('a collection of contents', () => {
  it('keeps named contents and removes the others with their rows', async () => {
    const [kept, gone] = [await old(textOf('kept')), await old(textOf('gone'))];
    const [file, lost] = [await old(largeOf('file')), await old(largeOf('lost'))];
    expect(await collect({ named: () => [[kept], [file]] })).toMatchObject({ contents: 2 });
    for (const digest of [kept, file]) expect(await store.locate(digest)).not.toBeNull();
    for (const digest of [gone, lost]) expect(await store.locate(digest)).toBeNull();
    expect(new Set(rows())).toEqual(new Set([kept, file]));
  });

  it.each([
    ['packed', textOf('stored')],
    ['a file', largeOf('stored')],
  ])('keeps contents that a store under way names: %s', async (_, bytes) => {
    const digest = await old(bytes);
    expect(await collect({ inUse: () => [digest] })).toMatchObject({ contents: 0 });
    expect(await bench.read(store, digest)).toEqual(bytes);
    expect(rows()).toEqual([digest]);
  });

  it('keeps the base of a delta that arrives while the metadata are read', async () => {
    const [base, gone] = [await old(textOf('base')), await old(textOf('gone'))];
    const inUse: Digest[] = [];
    const comes = once(() => Promise.resolve(inUse.push(base)));
    await collect({ named: () => [[]], breathe: comes, inUse: () => inUse });
    expect(await store.locate(base)).not.toBeNull();
    expect(await store.locate(gone)).toBeNull();
    expect(rows()).toEqual([base]);
  });

  it.each([
    ['packed', textOf('stored')],
    ['a file', largeOf('stored')],
  ])('keeps contents that are put again while the metadata are read: %s', async (_, bytes) => {
    const digest = await old(bytes);
    // It is as old as ever, as far as clocks say.
    bench.now = OLD;
    const again = once(async () => {
      await bench.put(store, bytes);
      if (bytes.length > SMALL_BYTES) makeOld(digest);
    });
    await collect({ named: () => [[]], breathe: again });
    expect(await bench.read(store, digest)).toEqual(bytes);
    expect(rows()).toEqual([digest]);
  });

  it('keeps contents that are being put at its start', async () => {
    const digest = await old(textOf('stored'));
    bench.now = OLD;
    bench.files.hold = 'read small';
    const putting = bench.put(store, textOf('stored'));
    await Promise.resolve();
    const collecting = collect();
    bench.files.hold = null;
    for (const go of bench.files.held.splice(0)) go();
    await Promise.all([putting, collecting]);
    expect(await bench.read(store, digest)).toEqual(textOf('stored'));
  });

  it('keeps contents that were put again shortly before, because of their new age', async () => {
    const digest = await old(textOf('stored'));
    bench.now = NOW + 3_600_001;
    await bench.put(store, textOf('stored'));
    await collect();
    expect(await store.locate(digest)).not.toBeNull();
    const next = await bench.open({ smallBytes: SMALL_BYTES });
    await collect({ before: NOW + 4_000_000 }, next);
    expect(await next.locate(digest)).toBeNull();
  });

  it('runs once at a time, and again after one that failed', async () => {
    await old(textOf('gone'));
    const failing = collect({
      named: () => {
        throw new Error('no metadata');
      },
    });
    await expect(failing).rejects.toThrow('no metadata');
    expect(await collect()).toMatchObject({ contents: 1 });
  });

  it('waits for readers that have just located contents before it removes a pack', async () => {
    const kept = await old(textOf('kept'));
    for (const name of ['a', 'b']) await old(textOf(name));
    const { path } = present(await store.locate(kept), 'it is there');
    const seen: boolean[] = [];
    const readersAreIn = (): Promise<void> => {
      seen.push(existsSync(path));
      return Promise.resolve();
    };
    await collect({ named: () => [[kept]], readersAreIn });
    expect([seen[0], existsSync(path)]).toEqual([true, false]);
    expect(await bench.read(store, kept)).toEqual(textOf('kept'));
  });
});

describe('a collection on a full disk', () => {
  it('frees what it can and reports that it could not go on', async () => {
    const kept = await old(textOf('kept'));
    const gone = [await old(textOf('a')), await old(textOf('b')), await old(largeOf('c'))];
    const collecting = collect({ named: () => [[kept]] });
    const full = bench.files;
    full.errorCode = 'ENOSPC';
    // The record of a removal still fits; a copy does not.
    const writes = (call: string): boolean => call.startsWith('write');
    const count = (): number => full.calls.filter(writes).length;
    const before = count();
    full.fails = (call) => writes(call) && count() > before + 1;
    expect(await collecting).toMatchObject({ contents: 3, isCutShort: true });
    for (const digest of gone) expect(await store.locate(digest)).toBeNull();
    expect(await bench.read(store, kept)).toEqual(textOf('kept'));
    full.fails = null;
    expect(await collect({ named: () => [[kept]] })).toMatchObject({ isCutShort: false });
    expect(await bench.read(store, kept)).toEqual(textOf('kept'));
  });

  it('compacts the pack with the least contents first', async () => {
    const kept = [await old(textOf('kept a'))];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await old(textOf(name));
    kept.push(await old(textOf('kept b')));
    await old(textOf('g'));
    bench.files.calls.length = 0;
    await collect({ named: () => [kept] });
    const removed = bench.files.calls.filter((call) => call.startsWith('remove 0'));
    expect(removed[0]).toMatch(/^remove 00000002/);
  });
});

it('a crash at any disk call leaves all named contents, and rows for all contents that are left', async () => {
  for (let last = 1; ; last++) {
    const one = new PacksBench();
    const files = new FaultyPackFiles();
    const from = await one.openOn(files, { smallBytes: SMALL_BYTES, packBytes: 300 });
    const digests: Digest[] = [];
    for (let number = 0; number < 8; number++) {
      digests.push(await one.put(from, textOf(`content ${number}`)));
    }
    const insert = database.prepare('INSERT OR REPLACE INTO content VALUES (?, 50)');
    for (const digest of digests) insert.run(digest);
    const kept = digests.filter((_, number) => number % 4 === 0);
    files.lastCall = files.calls.length + last;
    await collect({ named: () => [kept] }, from).catch(() => undefined);
    const isOver = files.isOver;
    await from.close().catch(() => undefined);
    for (const rebuild of [false, true]) {
      const next = await one.open({ rebuild, smallBytes: SMALL_BYTES });
      for (const digest of kept) expect(await one.read(next, digest)).not.toBeNull();
      await next.close();
    }
    expect(rows()).toEqual(expect.arrayContaining(kept));
    await one.end();
    if (!isOver) break;
  }
});

it('files with foreign names among the contents are never removed', async () => {
  const other = join(bench.folder, 'contents', 'ab');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'note.txt'), digestOf(textOf('x')));
  await collect({ before: Infinity });
  expect(existsSync(join(other, 'note.txt'))).toBe(true);
});

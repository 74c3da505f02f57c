/** What packs add to the contract of the store, which test/conformance holds them to: sharing, order, recovery. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import { present } from '../../../shared/util/assert.ts';
import { PacksBench } from '../../../test/support/packs-bench.ts';
import { indexFile } from './content-packs.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text);
const [ONE, TWO, THREE] = [bytesOf('one'), bytesOf('two, longer'), bytesOf('three')] as const;
const ONE_DIGEST = digestOf(ONE);

let bench: PacksBench;
beforeEach(() => {
  bench = new PacksBench();
});
afterEach(() => bench.end());

const packs = (): string[] => readdirSync(join(bench.folder, 'packs')).sort();
const packFile = (at = -1): string =>
  join(bench.folder, 'packs', present(packs().at(at), 'a pack'));
const calls = (begin: string): number =>
  bench.files.calls.filter((call) => call.startsWith(begin)).length;

/** Everything that can go on without a held call has. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function until(done: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !done(); turn++) await settled();
  expect(done()).toBe(true);
}

describe('concurrent puts into packs', () => {
  it('share a write and a sync, but join none that had begun', async () => {
    const store = await bench.open();
    await bench.put(store, ONE);
    bench.files.calls.length = 0;
    bench.files.hold = 'sync 0';
    const first = bench.put(store, TWO);
    await until(() => bench.files.held.length === 1);
    const others = Array.from({ length: 20 }, (_, n) => bench.put(store, bytesOf(`other ${n}`)));
    await until(() => calls('read small') === 21);
    bench.files.hold = null;
    bench.files.held.shift()?.();
    await Promise.all([first, ...others]);
    // The second group has all whose file was read when the first was done.
    expect(calls('sync 0')).toBeLessThanOrEqual(3);
    expect(calls('write ')).toBe(calls('sync 0'));
  });

  it('are answered only after the sync', async () => {
    const store = await bench.open();
    bench.files.hold = 'sync 0';
    let answered = false;
    const put = bench.put(store, ONE).then(() => (answered = true));
    await until(() => bench.files.held.length === 1);
    await settled();
    expect([answered, await store.locate(ONE_DIGEST)]).toEqual([false, null]);
    bench.files.held.shift()?.();
    await put;
    expect(await bench.read(store, ONE_DIGEST)).toEqual(ONE);
  });

  it('become one record when their bytes are the same and they come one after the other', async () => {
    const store = await bench.open();
    await bench.put(store, ONE);
    const { size } = statSync(packFile());
    await bench.put(store, ONE);
    expect(statSync(packFile()).size).toBe(size);
  });
});

describe('a failing disk under the packs', () => {
  it.each(['ENOSPC', 'EDQUOT'])(
    'is reported as full (%s), and later puts succeed',
    async (code) => {
      const store = await bench.open();
      await bench.put(store, ONE);
      bench.files.errorCode = code;
      bench.files.failing = new Set([bench.files.calls.length + 2]);
      await expect(bench.put(store, TWO)).rejects.toMatchObject({ code: 'server-full' });
      const digest = await bench.put(store, THREE);
      expect(packs()).toHaveLength(1);
      const again = await bench.open({ rebuild: true });
      expect(await bench.read(again, digest)).toEqual(THREE);
      expect(await again.locate(digestOf(TWO))).toBeNull();
    },
  );

  it('gets no more records in a pack whose sync failed', async () => {
    const store = await bench.open();
    await bench.put(store, ONE);
    bench.files.failing = new Set([bench.files.calls.length + 3]);
    await expect(bench.put(store, TWO)).rejects.toMatchObject({ code: 'EIO' });
    expect(bench.files.calls.at(-2)).toMatch(/^sync 0/);
    await bench.put(store, THREE);
    expect(packs()).toHaveLength(2);
    const again = await bench.open();
    expect(await bench.read(again, ONE_DIGEST)).toEqual(ONE);
    expect(await bench.read(again, digestOf(THREE))).toEqual(THREE);
  });
});

describe('the next process on the packs', () => {
  it('cuts off an unfinished write and appends after the last record', async () => {
    await bench.put(await bench.open(), ONE);
    const { size } = statSync(packFile());
    appendFileSync(packFile(), readFileSync(packFile()).subarray(0, 40));
    const store = await bench.open();
    expect(statSync(packFile()).size).toBe(size);
    await bench.put(store, TWO);
    for (const from of [store, await bench.open({ rebuild: true })]) {
      expect(await bench.read(from, ONE_DIGEST)).toEqual(ONE);
      expect(await bench.read(from, digestOf(TWO))).toEqual(TWO);
    }
  });

  it('adds to the index what it lacks', async () => {
    const store = await bench.open({ packBytes: 100 });
    for (const bytes of [ONE, TWO]) await bench.put(store, bytes);
    await store.close();
    const backup = join(bench.folder, 'backup.db');
    copyFileSync(indexFile(bench.folder), backup);
    const later = await bench.open({ packBytes: 100 });
    await bench.put(later, THREE);
    await later.remove(ONE_DIGEST);
    await later.close();
    copyFileSync(backup, indexFile(bench.folder));
    const again = await bench.open();
    expect(await bench.read(again, digestOf(THREE))).toEqual(THREE);
    expect(await again.locate(ONE_DIGEST)).toBeNull();
  });

  it.each([
    ['is lost', (file: string) => rmSync(file)],
    ['is no database', (file: string) => writeFileSync(file, 'no database, but some text')],
  ])('rebuilds the index when it %s', async (_, spoil) => {
    const store = await bench.open({ packBytes: 100 });
    for (const bytes of [ONE, TWO, THREE]) await bench.put(store, bytes);
    await bench.put(store, bytesOf('damaged'), ONE_DIGEST);
    await bench.put(store, ONE);
    await store.remove(digestOf(TWO));
    await store.close();
    spoil(indexFile(bench.folder));
    const again = await bench.open();
    expect(await bench.read(again, ONE_DIGEST)).toEqual(ONE);
    expect(await bench.read(again, digestOf(THREE))).toEqual(THREE);
    expect(await again.locate(digestOf(TWO))).toBeNull();
  });

  it('rebuilds the index when it belongs to longer packs', async () => {
    const store = await bench.open();
    for (const bytes of [ONE, TWO]) await bench.put(store, bytes);
    await store.close();
    truncateSync(packFile(), statSync(packFile()).size - 1);
    const again = await bench.open();
    expect(await bench.read(again, ONE_DIGEST)).toEqual(ONE);
    expect(await again.locate(digestOf(TWO))).toBeNull();
  });

  it('locates nothing from a pack that is gone', async () => {
    const store = await bench.open({ packBytes: 1 });
    for (const bytes of [ONE, TWO]) await bench.put(store, bytes);
    await store.close();
    rmSync(packFile(0));
    const again = await bench.open();
    expect(await again.locate(ONE_DIGEST)).toBeNull();
    expect(await bench.read(again, digestOf(TWO))).toEqual(TWO);
  });
});

describe('a content in a pack', () => {
  it('can be read after it was quarantined', async () => {
    const store = await bench.open();
    await bench.put(store, TWO, ONE_DIGEST);
    await store.quarantine(ONE_DIGEST);
    expect(readFileSync(join(bench.folder, 'quarantine', ONE_DIGEST))).toEqual(TWO);
    expect(await (await bench.open({ rebuild: true })).locate(ONE_DIGEST)).toBeNull();
  });

  it('is kept in a file of its own when it is large', async () => {
    const store = await bench.open({ smallBytes: 4 });
    await bench.put(store, TWO);
    expect(existsSync(join(bench.folder, 'packs'))).toBe(false);
    const larger = await bench.open();
    await bench.put(larger, TWO);
    expect((await larger.locate(digestOf(TWO)))?.path).toBe(packFile());
    // By this measure it is large again: the file counts.
    await bench.put(await bench.open({ smallBytes: 4 }), TWO);
    const found = await (await bench.open()).locate(digestOf(TWO));
    expect(found?.path).toContain('/contents/');
  });

  it('is found as a file in an older data folder, and can be removed', async () => {
    const old = join(bench.folder, 'contents', ONE_DIGEST.slice(0, 2));
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, ONE_DIGEST), ONE);
    const store = await bench.open();
    expect(await bench.read(store, ONE_DIGEST)).toEqual(ONE);
    await bench.put(store, ONE);
    expect((await store.locate(ONE_DIGEST))?.path).toBe(packFile());
    await store.remove(ONE_DIGEST);
    expect(await store.locate(ONE_DIGEST)).toBeNull();
  });
});

describe('a compaction of packs', () => {
  it('copies live contents and frees the rest', async () => {
    const store = await bench.open({ packBytes: 1000 });
    const gone = await bench.put(store, Buffer.alloc(2000, 1));
    await bench.put(store, ONE);
    await store.remove(gone);
    expect(await store.compact(0.5)).toMatchObject({ packs: 1 });
    expect(packs()).toHaveLength(1);
    expect(statSync(packFile()).size).toBeLessThan(400);
    for (const from of [store, await bench.open({ rebuild: true })]) {
      expect(await bench.read(from, ONE_DIGEST)).toEqual(ONE);
      expect(await from.locate(gone)).toBeNull();
    }
  });

  it('leaves a pack alone that is mostly live', async () => {
    const store = await bench.open();
    await bench.put(store, Buffer.alloc(2000, 1));
    await store.remove(await bench.put(store, ONE));
    expect(await store.compact(0.5)).toMatchObject({ packs: 0, bytes: 0 });
  });

  it('keeps a removal record as long as another pack has the removed contents', async () => {
    const store = await bench.open({ packBytes: 2100 });
    const large = await bench.put(store, Buffer.alloc(2000, 1));
    await bench.put(store, ONE);
    const second = await bench.put(store, TWO);
    for (const digest of [ONE_DIGEST, second]) await store.remove(digest);
    const [first] = packs();
    expect(await store.compact(0.5)).toMatchObject({ packs: 1 });
    // The first pack is mostly alive, with the removed content in it.
    expect(packs()).toEqual([first, expect.stringMatching(/^00000003-/)]);
    await store.close();
    const again = await bench.open({ rebuild: true });
    expect(await again.locate(ONE_DIGEST)).toBeNull();
    await again.remove(large);
    await again.compact(0.5);
    expect(packs()).toEqual([]);
  });

  it('does not drop damaged contents', async () => {
    const store = await bench.open();
    await bench.put(store, Buffer.alloc(2000, 1));
    const digest = await bench.put(store, TWO);
    await store.remove(digestOf(Buffer.alloc(2000, 1)));
    const { path, offset } = present(await store.locate(digest), 'it is there');
    const bytes = readFileSync(path);
    bytes[offset] = 0;
    writeFileSync(path, bytes);
    expect(await store.compact(0.5)).toMatchObject({ packs: 0 });
    expect(existsSync(path)).toBe(true);
    expect(await store.locate(digest)).toMatchObject({ path });
  });
});

describe('packs that somebody else has changed', () => {
  it.each([
    ['its number and other tables', 'DROP TABLE place; DROP TABLE dead'],
    ['its tables and no number', 'PRAGMA user_version = 0'],
    ['a number below any', 'PRAGMA user_version = -3'],
  ])('get a new index when theirs has %s', async (_what, statements) => {
    const first = await bench.open();
    await bench.put(first, ONE);
    await first.close();
    const index = new Database(indexFile(bench.folder));
    index.exec(statements);
    index.close();
    const second = await bench.open();
    expect(await bench.read(second, ONE_DIGEST)).toEqual(ONE);
  });

  it('get damaged contents written again at the next put', async () => {
    const first = await bench.open();
    await bench.put(first, ONE);
    await bench.put(first, TWO);
    await first.close();
    const bytes = readFileSync(packFile());
    bytes[20] = 255 - (bytes[20] ?? 0);
    writeFileSync(packFile(), bytes);
    const second = await bench.open();
    await bench.put(second, ONE);
    await second.close();
    const rebuilt = await bench.open({ rebuild: true });
    expect(await bench.read(rebuilt, ONE_DIGEST)).toEqual(ONE);
  });
});

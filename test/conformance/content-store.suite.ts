/** What every ContentStore must do. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';

export interface ContentHarness {
  readonly store: ContentStore;
  /** Makes a file in the spool and returns its path. */
  spool(bytes: Uint8Array): string;
  /** The bytes at a path, or null. */
  read(path: string): Uint8Array | null;
  /** Opens a file. Returns a function that reads it, even after its name is gone. */
  hold(path: string): () => Uint8Array;
  /** Opens the folder as the next process does after this one was killed. */
  restart(): Promise<ContentStore>;
  end(): Promise<void>;
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const GOOD = bytesOf('the contents of a file');
const BAD = bytesOf('the contents of a fi1e');

export function contentStoreSuite(name: string, make: () => Promise<ContentHarness>): void {
  let harness: ContentHarness;
  let store: ContentStore;

  beforeEach(async () => {
    harness = await make();
    store = harness.store;
  });
  afterEach(() => harness.end());

  const put = async (bytes: Uint8Array, digest = digestOf(bytes)): Promise<Digest> => {
    await store.put(harness.spool(bytes), digest);
    return digest;
  };
  const contentOf = async (digest: Digest, from = store): Promise<Uint8Array | null> => {
    const found = await from.locate(digest);
    if (found === null) return null;
    return harness.read(found.path)?.slice(found.offset, found.offset + found.length) ?? null;
  };

  describe(`a content in a ContentStore (${name})`, () => {
    it('is found after its put, and its source file is gone', async () => {
      const path = harness.spool(GOOD);
      await store.put(path, digestOf(GOOD));
      expect(harness.read(path)).toBeNull();
      expect((await store.locate(digestOf(GOOD)))?.length).toBe(GOOD.length);
      expect(await contentOf(digestOf(GOOD))).toEqual(GOOD);
    });

    it('is found by the next process', async () => {
      const digest = await put(GOOD);
      expect(await contentOf(digest, await harness.restart())).toEqual(GOOD);
    });

    it.each([1, 65_536, 65_537])('can be put from memory with %d bytes', async (length) => {
      const bytes = new Uint8Array(length).fill(7);
      await store.putBytes(bytes, digestOf(bytes));
      await store.putBytes(bytes, digestOf(bytes));
      expect(await contentOf(digestOf(bytes))).toEqual(bytes);
      expect(await contentOf(digestOf(bytes), await harness.restart())).toEqual(bytes);
    });

    it('replaces a damaged copy when it is put from memory', async () => {
      await put(BAD, digestOf(GOOD));
      await store.putBytes(GOOD, digestOf(GOOD));
      expect(await contentOf(digestOf(GOOD))).toEqual(GOOD);
    });

    it('is not located when it was never put', async () => {
      expect(await store.locate(digestOf(GOOD))).toBeNull();
    });

    it('can be put a second time', async () => {
      await put(GOOD);
      expect(await contentOf(await put(GOOD))).toEqual(GOOD);
    });

    it('replaces a damaged copy at the next put, and readers of the old file go on', async () => {
      await put(BAD, digestOf(GOOD));
      const { path = '', offset = 0, length } = (await store.locate(digestOf(GOOD))) ?? {};
      const old = harness.hold(path);
      expect(await contentOf(await put(GOOD))).toEqual(GOOD);
      expect(old().slice(offset, offset + (length ?? 0))).toEqual(BAD);
    });

    it('can be put many times at once', async () => {
      await Promise.all(Array.from({ length: 8 }, () => put(GOOD)));
      expect(await contentOf(digestOf(GOOD))).toEqual(GOOD);
    });

    it.each([1, 4096, 65_536, 65_537, 300_000])('keeps its %d bytes unchanged', async (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >>> 8)) & 0xff);
      const digests = await Promise.all([put(GOOD), put(bytes), put(bytesOf('after it'))]);
      const again = await harness.restart();
      for (const from of [store, again]) {
        // Jest compares large arrays item by item.
        expect(Buffer.compare((await contentOf(digests[1], from)) ?? GOOD, bytes)).toBe(0);
        expect(await contentOf(digests[0], from)).toEqual(GOOD);
      }
    });

    it('stays distinct among many others', async () => {
      const all = Array.from({ length: 300 }, (_, number) => bytesOf(`content ${number}`));
      const digests = await Promise.all(all.map((bytes) => put(bytes)));
      for (const [index, digest] of digests.entries()) {
        expect(await contentOf(digest)).toEqual(all[index]);
      }
    });
  });

  describe(`a quarantined content in a ContentStore (${name})`, () => {
    it('is not located until it is put again', async () => {
      const digest = await put(BAD, digestOf(GOOD));
      await store.quarantine(digest);
      expect(await store.locate(digest)).toBeNull();
      expect(await (await harness.restart()).locate(digest)).toBeNull();
      await put(GOOD);
      expect(await contentOf(digest)).toEqual(GOOD);
    });

    it('can be quarantined a second time, also when it does not exist', async () => {
      await store.quarantine(digestOf(GOOD));
      for (let time = 0; time < 2; time++) {
        await put(BAD, digestOf(GOOD));
        await store.quarantine(digestOf(GOOD));
      }
      expect(await store.locate(digestOf(GOOD))).toBeNull();
    });
  });

  describe(`a removed content in a ContentStore (${name})`, () => {
    it('is gone after one or two removals', async () => {
      const digest = await put(GOOD);
      await store.remove(digest);
      await store.remove(digest);
      expect(await store.locate(digest)).toBeNull();
    });

    it('is found again after another put', async () => {
      const digest = await put(GOOD);
      await store.remove(digest);
      await put(GOOD);
      expect(await contentOf(digest)).toEqual(GOOD);
      expect(await contentOf(digest, await harness.restart())).toEqual(GOOD);
    });

    it('is removed before a put that was requested after the removal', async () => {
      const digest = await put(GOOD);
      await Promise.all([store.remove(digest), put(GOOD)]);
      const there = await contentOf(digest);
      expect(there === null || Buffer.compare(there, GOOD) === 0).toBe(true);
      expect(await contentOf(digest, await harness.restart())).toEqual(there);
    });

    it('is discarded from the spool by one or two calls', async () => {
      const path = harness.spool(GOOD);
      await store.discard(path);
      await store.discard(path);
      expect(harness.read(path)).toBeNull();
    });
  });
}

/** What every ContentStore must do. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/sim/disk/content-digest.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';

export interface ContentHarness {
  readonly store: ContentStore;
  /** A file of the spool. */
  spool(bytes: Uint8Array): string;
  /** The bytes at a path, or null. */
  read(path: string): Uint8Array | null;
  /** Opens a file and gives what reads it, whatever happens to its name. */
  hold(path: string): () => Uint8Array;
  /** The same folder, as the next process finds it. */
  restart(): ContentStore;
  end(): void;
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const GOOD = bytesOf('the contents of a file');
const BAD = bytesOf('the contents of a fi1e');

export function contentStoreSuite(name: string, make: () => ContentHarness): void {
  let harness: ContentHarness;
  let store: ContentStore;

  beforeEach(() => {
    harness = make();
    store = harness.store;
  });
  afterEach(() => harness.end());

  const put = async (bytes: Uint8Array, digest = digestOf(bytes)): Promise<Digest> => {
    await store.put(harness.spool(bytes), digest);
    return digest;
  };
  const contentOf = async (digest: Digest, from = store): Promise<Uint8Array | null> => {
    const found = await from.locate(digest);
    return found === null ? null : harness.read(found.path);
  };

  describe(`${name}: a content`, () => {
    it('is where it was put, and the file it came from is gone', async () => {
      const path = harness.spool(GOOD);
      await store.put(path, digestOf(GOOD));
      expect(harness.read(path)).toBeNull();
      const found = await store.locate(digestOf(GOOD));
      expect(found?.length).toBe(GOOD.length);
      expect(harness.read(found?.path ?? '')).toEqual(GOOD);
    });

    it('is there for the next process', async () => {
      const digest = await put(GOOD);
      expect(await contentOf(digest, harness.restart())).toEqual(GOOD);
    });

    it('that was never put is nowhere', async () => {
      expect(await store.locate(digestOf(GOOD))).toBeNull();
    });

    it('may be put again', async () => {
      await put(GOOD);
      expect(await contentOf(await put(GOOD))).toEqual(GOOD);
    });

    it('that is damaged is replaced by the next put; who reads the old file goes on', async () => {
      await put(BAD, digestOf(GOOD));
      const old = harness.hold((await store.locate(digestOf(GOOD)))?.path ?? '');
      expect(await contentOf(await put(GOOD))).toEqual(GOOD);
      expect(old()).toEqual(BAD);
    });

    it('may be put many times side by side', async () => {
      await Promise.all(Array.from({ length: 8 }, () => put(GOOD)));
      expect(await contentOf(digestOf(GOOD))).toEqual(GOOD);
    });

    it('is one of many', async () => {
      const all = Array.from({ length: 300 }, (_, number) => bytesOf(`content ${number}`));
      const digests = await Promise.all(all.map((bytes) => put(bytes)));
      for (const [index, digest] of digests.entries()) {
        expect(await contentOf(digest)).toEqual(all[index]);
      }
    });
  });

  describe(`${name}: a content in quarantine`, () => {
    it('is not there, until it is put anew', async () => {
      const digest = await put(BAD, digestOf(GOOD));
      await store.quarantine(digest);
      expect(await store.locate(digest)).toBeNull();
      expect(await harness.restart().locate(digest)).toBeNull();
      await put(GOOD);
      expect(await contentOf(digest)).toEqual(GOOD);
    });

    it('may come a second time, and may be none', async () => {
      await store.quarantine(digestOf(GOOD));
      for (let time = 0; time < 2; time++) {
        await put(BAD, digestOf(GOOD));
        await store.quarantine(digestOf(GOOD));
      }
      expect(await store.locate(digestOf(GOOD))).toBeNull();
    });
  });

  describe(`${name}: what nobody wants`, () => {
    it('is removed, once or twice', async () => {
      const digest = await put(GOOD);
      await store.remove(digest);
      await store.remove(digest);
      expect(await store.locate(digest)).toBeNull();
    });

    it('of the spool is discarded, once or twice', async () => {
      const path = harness.spool(GOOD);
      await store.discard(path);
      await store.discard(path);
      expect(harness.read(path)).toBeNull();
    });
  });
}

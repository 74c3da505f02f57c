/** What every ChunkLists must do (shared/ports/chunk-lists.ts). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChunkLists } from '../../shared/ports/chunk-lists.ts';
import type { Digest } from '../../shared/model/vnode.ts';

export interface ChunkListsHarness {
  /** Opens the lists as the next process does, after closing the previous ones. Keeps this many bytes of lists. */
  open(mostBytes: number): ChunkLists;
}

const digest = (number: number): Digest => String(number).padStart(64, '0') as Digest;
const bytes = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);
const plain = (list: Uint8Array | null): number[] | null => (list === null ? null : [...list]);

export function chunkListsSuite(name: string, make: () => ChunkListsHarness): void {
  describe(`a ChunkLists store (${name})`, () => {
    let harness: ChunkListsHarness;
    let lists: ChunkLists;

    beforeEach(() => {
      harness = make();
      lists = harness.open(100);
    });

    afterEach(async () => {
      await lists.close();
    });

    const found = async (number: number): Promise<number[] | null> =>
      plain(await lists.get(digest(number)));

    it('finds a list that was put and no other', async () => {
      await lists.put(digest(1), bytes(3, 7));
      expect(await found(1)).toEqual([7, 7, 7]);
      expect(await found(2)).toBeNull();
    });

    it('finds a list after a restart unless it was forgotten', async () => {
      await lists.put(digest(1), bytes(3, 7));
      await lists.put(digest(2), bytes(3, 8));
      await lists.forget(digest(2));
      await lists.forget(digest(3));
      await lists.close();
      lists = harness.open(100);
      expect(await found(1)).toEqual([7, 7, 7]);
      expect(await found(2)).toBeNull();
    });

    it('returns the list that was put last', async () => {
      await lists.put(digest(1), bytes(60, 7));
      await lists.put(digest(2), bytes(30, 8));
      await lists.put(digest(1), bytes(70, 9));
      expect(await found(1)).toEqual([...bytes(70, 9)]);
      expect(await found(2)).toEqual([...bytes(30, 8)]);
    });

    it('drops the least recently used lists first', async () => {
      for (const number of [1, 2, 3]) await lists.put(digest(number), bytes(30, number));
      await found(1);
      await lists.put(digest(4), bytes(40, 4));
      expect(await found(2)).toBeNull();
      for (const number of [1, 3, 4]) expect(await found(number)).not.toBeNull();
    });

    it('keeps to its bound and the order of use after a restart', async () => {
      for (const number of [1, 2, 3]) await lists.put(digest(number), bytes(30, number));
      await found(1);
      await lists.close();
      lists = harness.open(100);
      await lists.put(digest(4), bytes(40, 4));
      expect(await found(2)).toBeNull();
      expect(await found(1)).not.toBeNull();
    });

    it('refuses a list over its bound without dropping others', async () => {
      await lists.put(digest(1), bytes(30, 1));
      await lists.put(digest(2), bytes(101, 2));
      expect(await found(2)).toBeNull();
      expect(await found(1)).not.toBeNull();
    });
  });
}

/** What every FileStore must do, whether on a disk or simulated. */
import { describe, expect, it } from '@jest/globals';
import type { ContentPlace, FileStore } from '../../shared/ports/file-store.ts';

export interface FileStoreHarness {
  /** Opens the store as the next process does; where the harness can, after a loss of power. */
  readonly open: () => FileStore;
  /** Makes a received file with these bytes, not synced. Returns its path. */
  readonly receive: (bytes: string) => string;
  /** Makes a file elsewhere on the machine. Returns its path. */
  readonly elsewhere: (bytes: string) => string;
  /** Writes at the path of an existing file. */
  readonly write: (path: string, bytes: string) => void;
  /** The text of a file, or null without one. */
  readonly read: (path: string) => string | null;
  /** Makes copies fail with a full disk until `free`. */
  readonly fill: () => void;
  readonly free: () => void;
  /** Hashes contents as the machine of the store does. */
  readonly digestOf: (bytes: Uint8Array) => string;
}

const MISSING = { code: 'not-found' };
interface Fixture extends FileStoreHarness {
  readonly store: FileStore;
  /** The bytes that a link reads at a place. */
  readonly bytesAt: (place: ContentPlace, length: number) => string | undefined;
  readonly sealed: (text: string) => { digest: string; length: number };
}

export function fileStoreSuite(name: string, make: () => FileStoreHarness): void {
  const fixture = (): Fixture => {
    const harness = make();
    const sealed = (text: string): { digest: string; length: number } => {
      const bytes = Buffer.from(text);
      return { digest: harness.digestOf(bytes), length: bytes.length };
    };
    const bytesAt = ({ path, offset }: ContentPlace, length: number): string | undefined =>
      harness.read(path)?.slice(offset, offset + length);
    return { ...harness, sealed, bytesAt, store: harness.open() };
  };
  /** Makes a store with one content. */
  const withContent = async (content: string, bytes: string): Promise<Fixture> => {
    const it = fixture();
    await it.store.adopt(it.receive(bytes), content);
    return it;
  };

  describe(`a FileStore (${name})`, () => {
    it('begins without any files', async () => {
      expect(await fixture().store.list()).toEqual([]);
    });

    it('adopts a received file', async () => {
      const { store, receive, read } = fixture();
      const spool = receive('bytes');
      await store.adopt(spool, 'c1');
      expect(read(store.pathOf('c1'))).toBe('bytes');
      expect(read(spool)).toBeNull();
    });

    it('has an adopted file after a restart', async () => {
      const { open, read } = await withContent('c1', 'bytes');
      expect(read(open().pathOf('c1'))).toBe('bytes');
    });

    it('stages an empty file', async () => {
      const { store, read } = fixture();
      await store.stage('c1', null);
      expect(read(store.pathOf('c1'))).toBe('');
    });

    it('stages a copy, and writing to it leaves the original unchanged', async () => {
      const { store, read, write } = await withContent('c1', 'first');
      await store.stage('c2', 'c1');
      expect(read(store.pathOf('c2'))).toBe('first');
      write(store.pathOf('c2'), 'second');
      expect(read(store.pathOf('c1'))).toBe('first');
    });

    it('seals what was written to a staged file', async () => {
      const { store, sealed, open, read, write } = fixture();
      await store.stage('c1', null);
      const path = store.pathOf('c1');
      write(path, 'written');
      expect(await store.seal('c1', null)).toEqual(sealed('written'));
      expect(open().pathOf('c1')).toBe(path);
      expect(read(path)).toBe('written');
    });

    it('finishes what was written to a staged file and has it after a restart once it is synced', async () => {
      const { store, sealed, open, read, write } = fixture();
      for (const [content, text] of [
        ['c1', 'one'],
        ['c2', 'another'],
        ['c3', ''],
      ] as const) {
        await store.stage(content, null);
        write(store.pathOf(content), text);
        expect(await store.finish(content, null)).toEqual(sealed(text));
      }
      const digest = 'ab'.repeat(32);
      expect(await store.finish('c1', digest)).toEqual({ digest, length: 3 });
      await store.sync(['c1', 'c2', 'c3']);
      const next = open();
      expect(['c1', 'c2', 'c3'].map((each) => read(next.pathOf(each)))).toEqual([
        'one',
        'another',
        '',
      ]);
    });

    it('finishes contents that are held in memory', async () => {
      const { store, sealed, open } = fixture();
      store.hold('c1', Buffer.from('short'));
      expect(await store.finish('c1', null)).toEqual(sealed('short'));
      await store.sync(['c1']);
      expect(await open().check('c1')).toEqual(sealed('short'));
    });

    it('refuses to finish or sync a missing file', async () => {
      const { store } = fixture();
      await expect(store.finish('c1', 'ab'.repeat(32))).rejects.toMatchObject(MISSING);
      await expect(store.sync(['c1'])).rejects.toMatchObject(MISSING);
    });

    it('seals an empty file', async () => {
      const { store, sealed } = fixture();
      await store.stage('c1', null);
      expect(await store.seal('c1', null)).toEqual(sealed(''));
    });

    it('seals contents that are held in memory and has them after a restart', async () => {
      const { store, sealed, open, bytesAt } = fixture();
      store.hold('c1', Buffer.from('short'));
      store.hold('c2', Buffer.from(''));
      store.hold('c3', Buffer.from('another'));
      const ends = await Promise.all(['c1', 'c2', 'c3'].map((each) => store.seal(each, null)));
      expect(ends).toEqual(['short', '', 'another'].map(sealed));
      const next = open();
      expect(await next.list()).toEqual([
        { name: 'c1', length: 5 },
        { name: 'c2', length: 0 },
        { name: 'c3', length: 7 },
      ]);
      expect(bytesAt(next.sourceOf('c1'), 5)).toBe('short');
      expect(bytesAt(next.sourceOf('c3'), 7)).toBe('another');
      expect(await next.check('c3')).toEqual(sealed('another'));
    });

    it('drops held contents when they are removed, also during a seal', async () => {
      const { store } = fixture();
      store.hold('c1', Buffer.from('one'));
      await store.remove('c1');
      await expect(store.seal('c1', null)).rejects.toMatchObject(MISSING);
      store.hold('c2', Buffer.from('two'));
      const sealing = store.seal('c2', 'ab'.repeat(32));
      const removed = store.remove('c2');
      await Promise.allSettled([sealing, removed]);
      await store.remove('c2');
      expect(await store.list()).toEqual([]);
    });

    it('treats sealed contents from memory like files in all calls', async () => {
      const { store, receive, read, write, open } = fixture();
      for (const each of ['a', 'b', 'c', 'd', 'e']) store.hold(each, Buffer.from(`text ${each}`));
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((each) => store.seal(each, null)));
      await store.adopt(receive('a file'), 'f');
      const parts = ['a', 'b', 'f', 'd'].map((each) => ({ name: each, length: 6 }));
      expect(read(await store.join(parts))).toBe('text atext ba filetext d');
      const short = store.join([{ name: 'a', length: 5 }]);
      await expect(short).rejects.toMatchObject({ code: 'disk-failing' });
      expect(await store.read('a', 6)).toBe('text a');
      expect(await store.read('a', 5)).toBeNull();
      expect(read(await store.fileOf('a'))).toBe('text a');
      expect(await store.fileOf('a')).toBe(await store.fileOf('a'));
      expect(read(await store.copyOut('b'))).toBe('text b');
      await store.stage('g', 'b');
      write(store.pathOf('g'), 'changed');
      expect(await store.read('b', 6)).toBe('text b');
      expect(read(await store.take('c'))).toBe('text c');
      expect(read(await store.lose('d', 'readable'))).toBe('text d');
      await store.remove('a');
      await expect(store.check('a')).rejects.toMatchObject(MISSING);
      const left = ['b', 'e', 'f'];
      await store.remove('g');
      expect((await store.list()).map(({ name: each }) => each)).toEqual(left);
      const next = open();
      const found = (await next.list()).map(({ name: each }) => each);
      expect(left.every((each) => found.includes(each))).toBe(true);
      for (const each of found) await next.remove(each);
      expect(await next.list()).toEqual([]);
    });

    it('accepts a digest that the caller knows', async () => {
      const { store, write } = fixture();
      await store.stage('c1', null);
      write(store.pathOf('c1'), 'written');
      const digest = 'ab'.repeat(32);
      expect(await store.seal('c1', digest)).toEqual({ digest, length: 7 });
    });

    it('copies a file in and leaves the original in place', async () => {
      const { store, sealed, open, elsewhere, read } = fixture();
      const path = elsewhere('outside');
      expect(await store.copyIn(path, 'c1')).toEqual(sealed('outside'));
      expect(read(path)).toBe('outside');
      expect(read(open().pathOf('c1'))).toBe('outside');
    });

    it('joins files into one and leaves the originals in place', async () => {
      const { store, receive, read, open } = fixture();
      await store.adopt(receive('one'), 'c1');
      await store.adopt(receive('two and more'), 'c2');
      const parts = [
        { name: 'c2', length: 12 },
        { name: 'c1', length: 3 },
      ];
      const path = await store.join(parts);
      expect(await store.join(parts)).not.toBe(path);
      expect(read(path)).toBe('two and moreone');
      expect((await store.list()).map(({ name: each }) => each)).toEqual(['c1', 'c2']);
      await store.discard(path);
      expect(read(path)).toBeNull();
      await store.join(parts);
      expect((await open().list()).map(({ name: each }) => each)).toEqual(['c1', 'c2']);
    });

    it.each([2, 4])(
      'refuses to join a file of another length than declared: %d',
      async (length) => {
        const { store } = await withContent('c1', 'one');
        const joined = store.join([{ name: 'c1', length }]);
        await expect(joined).rejects.toMatchObject({ code: 'disk-failing' });
      },
    );

    it('reports the present digest and length of a file', async () => {
      const { store, receive } = fixture();
      await store.adopt(receive('as it was'), 'c1');
      const before = await store.check('c1');
      expect(await store.seal('c1', null)).toEqual(before);
      await store.adopt(receive('another'), 'c2');
      expect((await store.check('c2')).digest).not.toBe(before.digest);
    });

    it('gives a file to the caller', async () => {
      const { store, read } = await withContent('c1', 'bytes');
      const path = await store.take('c1');
      expect(read(path)).toBe('bytes');
      expect(read(store.pathOf('c1'))).toBeNull();
    });

    it('gives copies to callers, each a file of its own', async () => {
      const { store, read, write } = await withContent('c1', 'bytes');
      const paths = await Promise.all([store.copyOut('c1'), store.copyOut('c1')]);
      expect(new Set(paths).size).toBe(2);
      write(paths[0], 'changed');
      expect(read(paths[1])).toBe('bytes');
      expect(read(store.pathOf('c1'))).toBe('bytes');
    });

    it('hands a received file on to the caller', async () => {
      const { store, receive, read } = fixture();
      const spool = receive('bytes');
      const path = await store.handOver(spool);
      expect(read(path)).toBe('bytes');
      expect(read(spool)).toBeNull();
      expect(await store.list()).toEqual([]);
    });

    it('drops given files at the next start when nobody fetched them', async () => {
      const { store, open, receive, read } = await withContent('c1', 'bytes');
      await store.adopt(receive('bytes'), 'c2');
      const paths = [
        await store.copyOut('c2'),
        await store.take('c1'),
        await store.handOver(receive('bytes')),
      ];
      const next = open();
      expect(paths.map((path) => read(path))).toEqual([null, null, null]);
      expect(read(next.pathOf('c2'))).toBe('bytes');
    });

    it('reads a short text, and none longer than requested', async () => {
      const { store } = await withContent('text', 'née');
      expect(await store.read('text', 4)).toBe('née');
      expect(await store.read('text', 3)).toBeNull();
      await expect(store.read('none', 100)).rejects.toMatchObject({ code: 'not-found' });
    });

    it('removes a file and accepts the removal of a missing one', async () => {
      const { store, read } = await withContent('c1', 'bytes');
      await store.remove('c1');
      await store.remove('c1');
      expect(read(store.pathOf('c1'))).toBeNull();
    });

    it('discards a received file and accepts a missing one', async () => {
      const { store, receive, read } = fixture();
      const spool = receive('bytes');
      await store.discard(spool);
      await store.discard(spool);
      expect(read(spool)).toBeNull();
    });

    it('moves lost files to a place where users find them', async () => {
      const { store, open, receive, read } = await withContent('c1', 'one');
      await store.adopt(receive('two'), 'c2');
      const [first, second] = [
        await store.lose('c1', 'notes/a.txt'),
        await store.lose('c2', 'notes/a.txt'),
      ];
      expect(first).toMatch(/\/lost\+found\/notes_a\.txt$/);
      expect(second).not.toBe(first);
      expect(await open().list()).toEqual([]);
      expect([read(first), read(second)]).toEqual(['one', 'two']);
    });

    it('lists files with their lengths in the order of names', async () => {
      const { store, receive } = fixture();
      for (const content of ['c10', 'c9', 'a', 'a-b']) {
        await store.adopt(receive(content), content);
      }
      await store.stage('b', null);
      await store.handOver(receive('given away'));
      expect(await store.list()).toEqual([
        { name: 'a', length: 1 },
        { name: 'a-b', length: 3 },
        { name: 'b', length: 0 },
        { name: 'c10', length: 3 },
        { name: 'c9', length: 2 },
      ]);
    });

    it.each<[string, (store: FileStore, path: string) => Promise<unknown>]>([
      ['adopt', (store, path) => store.adopt(path, 'c1')],
      ['stage', (store) => store.stage('c1', 'none')],
      ['copyIn', (store, path) => store.copyIn(path, 'c1')],
      ['seal', (store) => store.seal('none', null)],
      ['seal with a digest', (store) => store.seal('none', 'ab'.repeat(32))],
      ['check', (store) => store.check('none')],
      ['take', (store) => store.take('none')],
      ['copyOut', (store) => store.copyOut('none')],
      ['join', (store) => store.join([{ name: 'none', length: 1 }])],
      ['handOver', (store, path) => store.handOver(path)],
      ['lose', (store) => store.lose('none', 'readable')],
    ])(
      'refuses to %s a missing file with not-found and leaves nothing behind',
      async (_, attempt) => {
        const { store, receive } = fixture();
        const spool = receive('bytes');
        await store.discard(spool);
        await expect(attempt(store, spool)).rejects.toMatchObject(MISSING);
        expect(await store.list()).toEqual([]);
      },
    );

    it('leaves nothing of a copy on a full disk, and copies it when there is space', async () => {
      const { store, sealed, elsewhere, fill, free } = fixture();
      const path = elsewhere('outside');
      fill();
      await expect(store.copyIn(path, 'c1')).rejects.toMatchObject({ code: 'disk-full' });
      expect(await store.list()).toEqual([]);
      free();
      expect(await store.copyIn(path, 'c1')).toEqual(sealed('outside'));
    });

    it('works on many names at the same time', async () => {
      const { store, sealed, open, receive, write, read } = fixture();
      const names = Array.from({ length: 40 }, (_, i) => `c${i}`);
      await Promise.all(
        names.map(async (content, i) => {
          if (i % 2 === 0) return store.adopt(receive(content), content);
          await store.stage(content, null);
          write(store.pathOf(content), content);
          expect(await store.seal(content, null)).toEqual(sealed(content));
        }),
      );
      const next = open();
      expect(names.map((content) => read(next.pathOf(content)))).toEqual(names);
    });
  });
}

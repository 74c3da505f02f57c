/**
 * What every FileSystem must do (shared/ports/file-system.ts), clause by clause: the daemon's own, and the one that
 * programs reach over the control socket.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import type { VolumeInfo } from '../../shared/model/change.ts';
import type { DataVersion, Mtime } from '../../shared/model/vnode.ts';
import type { Attributes, FileSystem, OpenFile } from '../../shared/ports/file-system.ts';

export interface FileSystemHarness {
  /** The file system under test; `there` is that of another device on the same volume. */
  readonly here: FileSystem;
  readonly there: FileSystem;
  /** Lets time pass until the call has its answer. */
  run<T>(work: Promise<T>): Promise<T>;
  /** The bytes of a local path of `here` or `there`, as text. */
  read(side: 'here' | 'there', path: string): string;
  write(side: 'here' | 'there', path: string, text: string): void;
  /** Disconnects `here` from the server, long enough to be noticed, or reconnects it; null when that is impossible. */
  readonly connect: ((online: boolean) => Promise<void>) | null;
  end(): Promise<void>;
}

/** `isInside`: the file system belongs to a front end in the daemon, which may obtain contents by itself. */
export function fileSystemSuite(
  name: string,
  start: () => Promise<FileSystemHarness>,
  { isInside = true } = {},
): void {
  let harness: FileSystemHarness;
  let volume: VolumeInfo;
  let root: Fid;

  const refuses = async (work: Promise<unknown>, code: string): Promise<void> => {
    await expect(harness.run(work)).rejects.toMatchObject({ code });
  };
  const make = (dir: Fid, file: string): Promise<Attributes> =>
    harness.run(harness.here.create(dir, file, { mode: 0o644 }));
  const folder = (dir: Fid, file: string): Promise<Attributes> =>
    harness.run(harness.here.mkdir(dir, file, { mode: 0o755 }));
  const open = (fid: Fid): Promise<OpenFile> =>
    harness.run(harness.here.open(fid, { mode: 'write', truncate: true }));
  const store = async (fid: Fid, text: string, side: 'here' | 'there' = 'here') => {
    const opened = await harness.run(harness[side].open(fid, { mode: 'write', truncate: true }));
    harness.write(side, opened.path, text);
    return harness.run(harness[side].close(opened.handle, {}));
  };
  const contents = async (fid: Fid, side: 'here' | 'there' = 'here'): Promise<string> => {
    const opened = await harness.run(harness[side].open(fid, { mode: 'read' }));
    const text = harness.read(side, opened.path);
    await harness.run(harness[side].close(opened.handle, null));
    return text;
  };
  const names = async (dir: Fid, side: 'here' | 'there' = 'here'): Promise<string[]> =>
    (await harness.run(harness[side].readdir(dir))).map((entry) => entry.name);
  const flush = (side: 'here' | 'there' = 'here'): Promise<void> =>
    harness.run(harness[side].flush(volume.id, 60_000));

  function bareContents(): void {
    it('new contents can be brought by the caller on its own request', async () => {
      const { fid } = await make(root, 'f');
      await store(fid, 'one');
      const bare = { mode: 'write', truncate: true, bare: true } as const;
      const left = await harness.run(harness.here.open(fid, bare));
      expect(() => harness.read('here', left.path)).toThrow();
      await refuses(harness.here.close(left.handle, {}), 'not-found');
      await harness.run(harness.here.abandon(left.handle));
      expect(await contents(fid)).toBe('one');
      const brought = await harness.run(harness.here.open(fid, bare));
      harness.write('here', brought.path, 'two');
      await harness.run(harness.here.close(brought.handle, {}));
      await flush();
      expect(await contents(fid, 'there')).toBe('two');
    });

    it('new contents are given as bytes when they are short', async () => {
      const { fid } = await make(root, 'f');
      await store(fid, 'one');
      const bare = { mode: 'write', truncate: true, bare: true } as const;
      const bytes = new TextEncoder().encode('two');
      const left = await harness.run(harness.here.open(fid, bare));
      await harness.run(harness.here.abandon(left.handle));
      const given = await harness.run(harness.here.open(fid, bare));
      const closed = await harness.run(harness.here.close(given.handle, { bytes }));
      expect(closed.size).toBe(3);
      expect(await contents(fid)).toBe('two');
      await flush();
      expect(await contents(fid, 'there')).toBe('two');
      const whole = { mode: 'write', truncate: true } as const;
      const other = await harness.run(harness.here.open(fid, whole));
      await refuses(harness.here.close(other.handle, { bytes }), 'bad-handle');
      await harness.run(harness.here.abandon(other.handle));
    });
  }

  describe(`a FileSystem (${name})`, () => {
    beforeEach(async () => {
      harness = await start();
      const volumes = await harness.run(harness.here.volumes());
      volume = volumes[0] as VolumeInfo;
      root = volume.root;
    });

    afterEach(() => harness.end());

    describe('the names of a FileSystem', () => {
      it('are listed in the order of code units', async () => {
        for (const file of ['b', 'B', 'ä', 'a', '10', '9']) await make(root, file);
        expect(await names(root)).toEqual(['10', '9', 'B', 'a', 'b', 'ä']);
      });

      it('are found when they exist and refused when they do not', async () => {
        const { fid } = await make(root, 'file');
        expect(await harness.run(harness.here.lookup(root, 'file'))).toMatchObject({ fid });
        expect(await harness.run(harness.here.getattr(fid))).toMatchObject({ fid, kind: 'file' });
        await refuses(harness.here.lookup(root, 'other'), 'not-found');
        await refuses(harness.here.lookup(fid, 'x'), 'not-a-directory');
        await refuses(harness.here.readdir(fid), 'not-a-directory');
        await refuses(harness.here.getattr('99.1.1' as Fid), 'not-found');
      });

      it('are refused when they are invalid or taken', async () => {
        for (const bad of ['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256)]) {
          await refuses(harness.here.create(root, bad, { mode: 0o644 }), 'bad-name');
          await refuses(harness.here.createOpen(root, bad, { mode: 0o644 }), 'bad-name');
        }
        await make(root, 'file');
        await refuses(harness.here.create(root, 'file', { mode: 0o644 }), 'exists');
        await refuses(harness.here.createOpen(root, 'file', { mode: 0o644 }), 'exists');
        await refuses(harness.here.mkdir(root, 'file', { mode: 0o755 }), 'exists');
        await refuses(harness.here.symlink(root, 'file', 'there', {}), 'exists');
      });

      it('are created with the requested attributes', async () => {
        const mtime = '1234567890123456789' as Mtime;
        const xattrs = [{ name: 'user', value: 'aGk=' }];
        const made = await harness.run(
          harness.here.create(root, 'f', { mode: 0o640, mtime, xattrs }),
        );
        expect(made).toMatchObject({ kind: 'file', mode: 0o640, mtime, xattrs, size: 0, links: 1 });
        const link = await harness.run(harness.here.symlink(root, 'l', 'über/there', {}));
        expect(link).toMatchObject({ kind: 'symlink', target: 'über/there', size: 11 });
        expect(await folder(root, 'd')).toMatchObject({ kind: 'directory', mode: 0o755 });
      });

      it('can be created and opened for writing in one call', async () => {
        const mtime = '1234567890123456789' as Mtime;
        const options = { mode: 0o640, mtime };
        const { handle, path, attributes } = await harness.run(
          harness.here.createOpen(root, 'f', options),
        );
        expect(attributes).toMatchObject({ kind: 'file', mode: 0o640, mtime, size: 0 });
        const { fid } = attributes;
        expect(await harness.run(harness.here.lookup(root, 'f'))).toMatchObject({ fid, size: 0 });
        expect(harness.read('here', path)).toBe('');
        harness.write('here', path, 'hello');
        const closed = await harness.run(harness.here.close(handle, {}));
        expect(closed).toMatchObject({ fid, size: 5, sync: 'queued' });
        expect(await contents(fid)).toBe('hello');
        await flush();
        await flush('there');
        expect(await contents(fid, 'there')).toBe('hello');
      });

      it('stay when a file was created and opened, and the handle is abandoned', async () => {
        const opened = await harness.run(harness.here.createOpen(root, 'f', { mode: 0o644 }));
        await harness.run(harness.here.abandon(opened.handle));
        await refuses(harness.here.close(opened.handle, {}), 'bad-handle');
        expect(await names(root)).toEqual(['f']);
      });

      it('are removed as what they are: file or folder, and never a folder with files', async () => {
        const dir = await folder(root, 'd');
        await make(dir.fid, 'f');
        await refuses(harness.here.remove({ dir: root, name: 'd' }), 'is-a-directory');
        await refuses(harness.here.rmdir({ dir: dir.fid, name: 'f' }), 'not-a-directory');
        await refuses(harness.here.rmdir({ dir: root, name: 'd' }), 'not-empty');
        await refuses(harness.here.remove({ dir: root, name: 'x' }), 'not-found');
        await harness.run(harness.here.remove({ dir: dir.fid, name: 'f' }));
        await harness.run(harness.here.rmdir({ dir: root, name: 'd' }));
        expect(await names(root)).toEqual([]);
        await refuses(harness.here.getattr(dir.fid), 'not-found');
      });

      it('can be renamed over a file, and never a folder into itself', async () => {
        const [dir, file, other] = [
          await folder(root, 'd'),
          await make(root, 'f'),
          await make(root, 'o'),
        ];
        const to = (parent: Fid, called: string) => ({ dir: parent, name: called });
        await harness.run(harness.here.rename(to(root, 'f'), to(dir.fid, 'g')));
        expect(await names(dir.fid)).toEqual(['g']);
        await harness.run(harness.here.rename(to(root, 'o'), to(dir.fid, 'g')));
        expect(await harness.run(harness.here.lookup(dir.fid, 'g'))).toMatchObject({
          fid: other.fid,
        });
        await refuses(harness.here.getattr(file.fid), 'not-found');
        await refuses(harness.here.rename(to(root, 'd'), to(dir.fid, 'd')), 'cycle');
        await make(root, 'h');
        await refuses(harness.here.rename(to(root, 'h'), to(root, 'd')), 'is-a-directory');
        await refuses(harness.here.rename(to(root, 'd'), to(root, 'h')), 'not-a-directory');
        const empty = await folder(root, 'e');
        await refuses(harness.here.rename(to(root, 'e'), to(root, 'd')), 'not-empty');
        expect(empty.kind).toBe('directory');
      });

      it('are renamed only to a free name when the caller asks for that', async () => {
        await make(root, 'f');
        await make(root, 'taken');
        await folder(root, 'empty');
        const from = { dir: root, name: 'f' };
        for (const name of ['taken', 'empty', 'f']) {
          const moved = harness.here.rename(from, { dir: root, name }, { noReplace: true });
          await refuses(moved, 'exists');
        }
        const there = await harness.run(harness.there.create(root, 'theirs', { mode: 0o644 }));
        await flush('there');
        const theirs = { dir: root, name: 'theirs' };
        await refuses(harness.here.rename(from, theirs, { noReplace: true }), 'exists');
        await harness.run(harness.here.rename(from, { ...from, name: 'g' }, { noReplace: true }));
        expect(await names(root)).toEqual(['empty', 'g', 'taken', 'theirs']);
        expect(await harness.run(harness.here.lookup(root, 'theirs'))).toMatchObject({
          fid: there.fid,
        });
      });

      it('are renamed only over the expected version', async () => {
        const { fid, version } = await make(root, 'f');
        const other = await make(root, 'g');
        const [from, to] = [
          { dir: root, name: 'g' },
          { dir: root, name: 'f' },
        ];
        const over = (only: { fid: Fid; version: DataVersion }) =>
          harness.here.rename(from, to, { only });
        await refuses(over(other), 'not-found');
        await refuses(
          harness.here.rename(from, { ...to, name: 'h' }, { only: other }),
          'not-found',
        );
        await store(fid, 'later');
        await refuses(over({ fid, version }), 'exists');
        const { version: now } = await harness.run(harness.here.getattr(fid));
        await harness.run(over({ fid, version: now }));
        expect(await names(root)).toEqual(['f']);
        await refuses(over({ fid, version: now }), 'not-found');
      });

      it('are removed only when they still mean the expected version', async () => {
        const { fid, version } = await make(root, 'f');
        const place = { dir: root, name: 'f' };
        const only = { fid, version };
        await store(fid, 'written');
        await refuses(harness.here.remove(place, { only }), 'exists');
        const other = await make(root, 'other');
        await harness.run(harness.here.rename({ dir: root, name: 'other' }, place));
        await refuses(harness.here.remove(place, { only }), 'not-found');
        expect(await names(root)).toEqual(['f']);
        await harness.run(harness.here.remove(place, { only: other }));
        expect(await names(root)).toEqual([]);
      });

      it('can be several for one file', async () => {
        const { fid } = await make(root, 'f');
        await store(fid, 'text');
        await harness.run(harness.here.link(fid, { dir: root, name: 'g' }));
        expect(await harness.run(harness.here.lookup(root, 'g'))).toMatchObject({ fid, links: 2 });
        await harness.run(harness.here.remove({ dir: root, name: 'f' }));
        expect(await harness.run(harness.here.getattr(fid))).toMatchObject({ links: 1 });
        expect(await contents(fid)).toBe('text');
        const dir = await folder(root, 'd');
        await refuses(harness.here.link(dir.fid, { dir: root, name: 'h' }), 'is-a-directory');
      });

      it('lead to attributes that can be changed', async () => {
        const { fid } = await make(root, 'f');
        const mtime = '-5' as Mtime;
        const changed = await harness.run(harness.here.setattr(fid, { mode: 0o600, mtime }));
        expect(changed).toMatchObject({ mode: 0o600, mtime });
        await flush();
        const seen = await harness.run(harness.there.lookup(root, 'f'));
        expect(seen).toMatchObject({ mode: 0o600, mtime });
      });
    });

    describe('the contents of a FileSystem', () => {
      it('are read as they were when the file was opened', async () => {
        const { fid } = await make(root, 'f');
        await store(fid, 'one');
        const reading = await harness.run(harness.here.open(fid, { mode: 'read' }));
        await store(fid, 'two');
        expect(harness.read('here', reading.path)).toBe('one');
        await harness.run(harness.here.close(reading.handle, null));
        expect(await contents(fid)).toBe('two');
      });

      it('are private until close and gone after abandon', async () => {
        const { fid } = await make(root, 'f');
        await store(fid, 'one');
        const writing = await open(fid);
        expect(harness.read('here', writing.path)).toBe('');
        harness.write('here', writing.path, 'two');
        expect(await contents(fid)).toBe('one');
        await harness.run(harness.here.abandon(writing.handle));
        expect(await contents(fid)).toBe('one');
        await refuses(harness.here.close(writing.handle, {}), 'bad-handle');
      });

      it('can be changed in place when they are not truncated', async () => {
        const { fid } = await make(root, 'f');
        await store(fid, 'one');
        const opened = await harness.run(
          harness.here.open(fid, { mode: 'write', truncate: false }),
        );
        expect(harness.read('here', opened.path)).toBe('one');
        harness.write('here', opened.path, 'one and two');
        const mtime = '77' as Mtime;
        const closed = await harness.run(harness.here.close(opened.handle, { mtime }));
        expect(closed).toMatchObject({ size: 11, mtime });
        expect(await contents(fid)).toBe('one and two');
      });

      it('count versions, uncommitted ones included', async () => {
        const { fid, version } = await make(root, 'f');
        const first = await store(fid, 'one');
        expect(first.version).toBe(version + 1);
        await flush();
        const second = await store(fid, 'two');
        expect(second.version).toBe(first.version + 1);
        await flush();
        expect(await harness.run(harness.here.getattr(fid))).toMatchObject({
          version: second.version,
          sync: 'committed',
        });
      });

      it('are empty here and absent elsewhere before the first store', async () => {
        const { fid } = await make(root, 'f');
        expect(await contents(fid)).toBe('');
        await flush();
        const seen = await harness.run(harness.there.lookup(root, 'f'));
        expect(seen.digest).toBeNull();
      });

      if (isInside) bareContents();

      it('exist for files only', async () => {
        const { fid } = await folder(root, 'd');
        await refuses(harness.here.open(fid, { mode: 'read' }), 'is-a-directory');
        await refuses(harness.here.close(12_345, null), 'bad-handle');
      });

      it('exist also when they are empty', async () => {
        const { fid } = await make(root, 'f');
        await store(fid, '');
        await flush();
        expect(await contents(fid, 'there')).toBe('');
      });
    });

    describe('two devices with one FileSystem each', () => {
      it('see what the other has committed', async () => {
        const dir = await folder(root, 'd');
        const { fid } = await make(dir.fid, 'f');
        await store(fid, 'from here');
        await flush();
        expect(await names(dir.fid, 'there')).toEqual(['f']);
        expect(await contents(fid, 'there')).toBe('from here');
        await store(fid, 'from there', 'there');
        await flush('there');
        expect(await contents(fid)).toBe('from there');
      });

      it('keep both versions when one reports a write over an unseen one', async () => {
        await make(root, 'f');
        await flush();
        const { fid } = await harness.run(harness.there.lookup(root, 'f'));
        await store(fid, 'theirs', 'there');
        await flush('there');
        const base = 0 as DataVersion;
        const how = { mode: 'write', truncate: true, base } as const;
        const opened = await harness.run(harness.here.open(fid, how));
        harness.write('here', opened.path, 'ours');
        await harness.run(harness.here.close(opened.handle, {}));
        await flush();
        const all = await names(root, 'there');
        expect(all).toHaveLength(2);
        const texts: string[] = [];
        for (const each of all) {
          const found = await harness.run(harness.there.lookup(root, each));
          texts.push(await contents(found.fid, 'there'));
        }
        expect(texts.sort((a, b) => (a < b ? -1 : 1))).toEqual(['ours', 'theirs']);
      });
    });

    describe('a FileSystem without the server', () => {
      it('goes on with cached files and reports the others as unavailable', async () => {
        if (harness.connect === null) return;
        const { fid } = await make(root, 'here');
        await store(fid, 'text');
        const other = await harness.run(harness.there.create(root, 'there', { mode: 0o644 }));
        await store(other.fid, 'elsewhere', 'there');
        await flush();
        await flush('there');
        await names(root);
        await harness.connect(false);
        expect(await names(root)).toEqual(['here', 'there']);
        expect(await contents(fid)).toBe('text');
        await store(fid, 'more');
        expect(await contents(fid)).toBe('more');
        await refuses(harness.here.open(other.fid, { mode: 'read' }), 'not-connected');
        await refuses(harness.here.flush(volume.id, 1000), 'timed-out');
        await harness.connect(true);
        await flush();
        expect(await contents(fid, 'there')).toBe('more');
        expect(await contents(other.fid)).toBe('elsewhere');
      });
    });
  });
}

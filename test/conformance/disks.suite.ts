/**
 * The folder on a disk that lacks something: whatever it lacks, what programs do there gets into the volume, what others do shows as far as the disk
 * can show it, and all that does not is said. Nothing is fought over: what was settled stays so through a restart.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tryDisk, type DiskAbilities } from '../../daemon/adapters/folder/disk/disk-abilities.ts';
import { systemDisk } from '../../daemon/adapters/folder/disk/system-disk.ts';
import type { Mtime } from '../../shared/model/vnode.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { FolderBench } from '../support/folder-bench.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';

export function folderOnDisk(name: string, where: () => string): void {
  let bench: FolderBench;
  let can: DiskAbilities;
  const path = (...names: string[]): string => bench.path(...names);
  /** Checks that both sides are equal, except for the paths in `out`: they are in the volume only, each with a reported reason. */
  const isSame = async (out: Record<string, string> = {}): Promise<void> => {
    const isSettled = (): boolean => same({ ...bench.tree(), ...out }, bench.volume.tree());
    const names = Object.keys(out);
    if (names.length === 0) await bench.settled();
    await Promise.race([bench.until(isSettled), bench.volume.until(isSettled)]);
    expect({ ...bench.tree(), ...out }).toEqual(bench.volume.tree());
    await flushes(names);
    const paths = Object.keys(out).map((each) => each.replace(/\/$/, ''));
    const { errors } = bench.folder.status();
    // Only paths that the disk can't hold have errors.
    const said = errors.filter(
      ({ code, path: of }) => !NOTES.has(code) || paths.includes(of ?? ''),
    );
    expect(new Set(said.map((error) => error.path))).toEqual(new Set(paths));
  };
  /** Checks that a flush reports the paths that stay out, and that they are listed as waiting. */
  const flushes = async (out: readonly string[]): Promise<void> => {
    const paths = out.map((each) => each.replace(/\/$/, ''));
    const said = await bench.flush().then(
      () => null,
      (error: unknown) => (error as Error).message,
    );
    if (out.length === 0) expect(said).toBeNull();
    else expect(paths.some((each) => said?.startsWith(`/${each}: `))).toBe(true);
    const waiting = bench.folder.waiting().flatMap(({ path: each }) => each ?? []);
    expect(waiting).toEqual(expect.arrayContaining(paths));
  };
  /** Checks that reopening the folder sends no update and changes neither side. */
  const stays = async (out: Record<string, string> = {}): Promise<void> => {
    await bench.close();
    bench.told();
    await bench.open();
    await isSame(out);
    expect(bench.told()).toEqual([]);
  };

  beforeEach(async () => {
    const tried = mkdtempSync(join(where(), 'tried-'));
    can = tryDisk(systemDisk(new NativeHost()), tried, join(tried, 'scratch'));
    rmSync(tried, { recursive: true });
    bench = new FolderBench(new NativeHost(), where());
    await bench.start();
  });
  afterEach(() => bench.destroy());

  describe(`the folder on a disk (${name})`, () => {
    it('uploads what programs do and keeps it through a restart', async () => {
      mkdirSync(path('d', 'e'), { recursive: true });
      writeFileSync(path('d', 'e', 'file'), 'contents');
      writeFileSync(path('empty'), '');
      writeFileSync(path('doc'), 'one');
      await isSame();
      appendFileSync(path('d', 'e', 'file'), ', and more');
      writeFileSync(path('doc~'), 'two');
      renameSync(path('doc~'), path('doc'));
      renameSync(path('d', 'e'), path('moved'));
      unlinkSync(path('empty'));
      await isSame();
      expect(bench.volume.tree()).toEqual({
        ...{ 'd/': '', 'moved/': '' },
        ...{ 'moved/file': 'contents, and more', doc: 'two' },
      });
      await stays();
    });

    it('shows what others do and keeps it through a restart', async () => {
      bench.other.mkdir('d');
      await bench.other.write('d/file', 'one');
      await bench.other.write('doc', 'doc');
      await isSame();
      await bench.other.write('d/file', 'two');
      bench.other.rename('doc', 'd/doc');
      bench.other.rename('d', 'moved');
      await bench.other.write('new', 'new');
      bench.other.setattr('new', { mode: 0o750, mtime: '1234567890000000000' as Mtime });
      await isSame();
      await bench.other.write('moved/doc', 'over');
      bench.other.remove('new');
      await isSame();
      expect(bench.tree()).toEqual({ 'moved/': '', 'moved/file': 'two', 'moved/doc': 'over' });
      await stays();
      expect(readdirSync(path('.godwit', 'tmp'))).toEqual([]);
    });

    it('never overwrites a file that was changed here at the same time', async () => {
      writeFileSync(path('doc'), 'old');
      await isSame();
      await bench.other.write('doc', 'theirs');
      writeFileSync(path('doc'), 'mine');
      await isSame();
      expect(Object.values(bench.volume.tree()).sort()).toEqual(['mine', 'theirs']);
    });

    it('uploads a change of the same length within one tick of the clock', async () => {
      writeFileSync(path('doc'), 'one');
      await bench.until(() => bench.folder.unsettled().paths > 0);
      writeFileSync(path('doc'), 'two');
      await isSame();
      expect(bench.volume.tree()).toEqual({ doc: 'two' });
      await bench.other.write('theirs', 'one');
      await bench.shows({ doc: 'two', theirs: 'one' });
      writeFileSync(path('theirs'), 'two');
      await isSame();
      expect(bench.volume.tree()).toEqual({ doc: 'two', theirs: 'two' });
    });

    it('has links as far as the disk supports them and reports those that stay out', async () => {
      await bench.other.write('a', 'text');
      bench.other.link('a', 'b');
      bench.other.symlink('link', 'a');
      const out = {
        ...(can.links ? {} : { b: 'text' }),
        ...(can.symlinks ? {} : { link: '-> a' }),
      };
      await isSame(out);
      await bench.other.write('a', 'more');
      const after = 'b' in out ? { ...out, b: 'more' } : out;
      await isSame(after);
      await stays(after);
      bench.other.remove('a');
      bench.other.remove('link');
      await isSame();
      expect(existsSync(path('b'))).toBe(true);
    });

    it('uploads what is written through a hard link that was just made', async () => {
      if (!can.links) return expect(() => linkSync(path('a'), path('c'))).toThrow();
      writeFileSync(path('a'), 'text');
      await isSame();
      linkSync(path('a'), path('c'));
      writeFileSync(path('c'), 'most');
      await isSame();
      expect(bench.volume.tree()).toEqual({ a: 'most', c: 'most' });
      await bench.other.write('theirs', 'text');
      await bench.shows({ a: 'most', c: 'most', theirs: 'text' });
      linkSync(path('theirs'), path('d'));
      writeFileSync(path('d'), 'most');
      await isSame();
      expect(bench.volume.tree()).toMatchObject({ theirs: 'most', d: 'most' });
    });

    it('takes no mode from a disk that keeps none', async () => {
      await bench.other.write('theirs', 'text');
      bench.other.setattr('theirs', { mode: 0o600 });
      bench.other.mkdir('d', 0o700);
      await isSame();
      writeFileSync(path('mine'), 'text', { mode: 0o644 });
      mkdirSync(path('my d'), { mode: 0o755 });
      writeFileSync(path('theirs'), 'more');
      await isSame();
      const modes = ['theirs', 'd', 'mine', 'my d'].map((each) => bench.volume.status(each).mode);
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o600, 0o700, 0o644, 0o755]);
    });

    it('keeps two names that differ only in case, or the second one out until it can come', async () => {
      await bench.other.write('doc', 'first');
      await isSame();
      await bench.other.write('Doc', 'second');
      bench.other.mkdir('DOC');
      const both = { Doc: 'second', 'DOC/': '' };
      const out = can.cases ? {} : both;
      await isSame(out);
      await bench.other.write('doc', 'changed');
      await isSame(out);
      await stays(out);
      bench.other.remove('doc');
      bench.other.remove('DOC');
      await isSame(can.spelling ? {} : { Doc: 'second' });
    });

    it('keeps out a name that the disk refuses, with the reason, and has all others', async () => {
      await bench.other.write('plain', 'text');
      await bench.other.write('a:b', 'text');
      await bench.other.write('dot.', 'text');
      await bench.flush().catch(() => undefined);
      const out = Object.fromEntries(
        ['a:b', 'dot.'].filter((each) => !existsSync(path(each))).map((each) => [each, 'text']),
      );
      await isSame(out);
      await stays(out);
      bench.other.rename('a:b', 'a-b');
      bench.other.remove('dot.');
      await isSame();
      expect(bench.tree()).toEqual({ plain: 'text', 'a-b': 'text' });
    });

    it('reports what the disk does not support', () => {
      const codes = bench.folder.status().errors.map(({ code }) => code);
      // FUSE does not report changes by others, for which there is the code `looked-at`.
      const said = codes.filter((code) => code !== 'looked-at');
      const isLacking = !(can.links && can.symlinks && can.modes && can.cases && can.xattrs);
      expect(said).toEqual(isLacking ? ['disk-limits'] : []);
    });
  });
}

function same(a: Record<string, string>, b: Record<string, string>): boolean {
  const text = (tree: Record<string, string>): string =>
    JSON.stringify(Object.entries(tree).sort(([x], [y]) => (x < y ? -1 : 1)));
  return text(a) === text(b);
}

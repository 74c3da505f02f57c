/** How a Disk makes names and takes them away. */
import { expect, it } from '@jest/globals';
import { codeOf, codeOfEnd, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

export function nameTests(on: On): void {
  directoryTests(on);
  fileTests(on);
  linkTests(on);
  removalTests(on);
  lockTests(on);
}

function directoryTests(on: On): void {
  it('a directory is made with its mode, and only under a free name', () => {
    const bench = on();
    const { disk, arrange } = bench;
    disk.makeDirectory(bench.at('dir'), 0o777);
    expect(bench.seen(bench.at('dir')).kind).toBe('directory');
    if (!bench.lacks('modes')) {
      expect(bench.seen(bench.at('dir')).mode).toBe(0o777 & ~arrange.umask);
      disk.makeDirectory(bench.at('private'), 0o700);
      expect(bench.seen(bench.at('private')).mode).toBe(0o700);
    }
    arrange.write(bench.at('file'), '');
    const make = (...names: string[]): unknown =>
      codeOf(() => disk.makeDirectory(bench.at(...names), 0o700));
    for (const name of ['dir', 'file']) expect(make(name)).toBe('EEXIST');
    expect(make('none', 'below')).toBe('ENOENT');
    expect(make('file', 'below')).toBe('ENOTDIR');
    expect(make('n'.repeat(300))).toBe('ENAMETOOLONG');
    if (!bench.symlink('none', bench.at('dangling'))) return;
    expect(make('dangling')).toBe('EEXIST');
    expect(bench.arrange.look(bench.at('none'))).toBeNull();
  });

  it('a directory is made with all above it that are missing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    const way = [bench.at('a', 'b', 'c'), bench.at('a', 'b'), bench.at('a')];
    expect(disk.makeDirectories(bench.at('a', 'b', 'c'), 0o700)).toEqual(way);
    if (!bench.lacks('modes')) for (const each of way) expect(bench.seen(each).mode).toBe(0o700);
    expect(disk.makeDirectories(bench.at('a', 'b', 'c'), 0o755)).toEqual([]);
    expect(disk.makeDirectories(bench.at('a', 'b', 'd'), 0o755)).toEqual([bench.at('a', 'b', 'd')]);
    arrange.write(bench.at('file'), '');
    const make = (...names: string[]) => disk.makeDirectories(bench.at(...names), 0o700);
    expect(() => make('file')).toThrow(
      expect.objectContaining({ code: 'EEXIST', syscall: 'mkdir' }),
    );
    expect(codeOf(() => make('file', 'below'))).toBe('ENOTDIR');
    if (!bench.symlink('a', bench.at('link'))) return;
    expect(make('link')).toEqual([]);
    expect(make('link', 'e')).toEqual([bench.at('link', 'e')]);
    expect(bench.seen(bench.at('a', 'e')).kind).toBe('directory');
  });
}

function fileTests(on: On): void {
  it('a new file is empty, or has its text, and is for its owner alone', () => {
    const bench = on();
    const { disk, arrange } = bench;
    disk.makeEmpty(bench.at('empty'));
    disk.writeNew(bench.at('text'), 'the text\n');
    expect(arrange.read(bench.at('empty'))).toBe('');
    expect(arrange.read(bench.at('text'))).toBe('the text\n');
    if (bench.lacks('modes')) return;
    for (const name of ['empty', 'text']) expect(bench.seen(bench.at(name)).mode).toBe(0o600);
  });

  it('a new file takes the place of nothing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'old');
    arrange.mkdir(bench.at('dir'));
    const made = bench.symlink('none', bench.at('dangling')) ? ['dangling'] : [];
    for (const name of ['file', 'dir', ...made]) {
      expect(codeOf(() => disk.makeEmpty(bench.at(name)))).toBe('EEXIST');
      expect(codeOf(() => disk.writeNew(bench.at(name), 'new'))).toBe('EEXIST');
    }
    expect(arrange.read(bench.at('file'))).toBe('old');
    expect(arrange.look(bench.at('none'))).toBeNull();
    expect(codeOf(() => disk.makeEmpty(bench.at('none', 'below')))).toBe('ENOENT');
    expect(codeOf(() => disk.writeNew(bench.at('file', 'below'), ''))).toBe('ENOTDIR');
  });
}

function linkTests(on: On): void {
  it('a further name leads to the same file, and takes the place of nothing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    arrange.write(bench.at('other'), 'other');
    if (!bench.does('links', () => disk.link(bench.at('file'), bench.at('more')))) {
      expect(arrange.names(bench.at()).sort()).toEqual(['file', 'other']);
      return;
    }
    arrange.append(bench.at('more'), ', and more');
    expect(arrange.read(bench.at('file'))).toBe('text, and more');
    expect(bench.seen(bench.at('file'))).toMatchObject({ links: 2 });
    expect(codeOf(() => disk.link(bench.at('file'), bench.at('other')))).toBe('EEXIST');
    expect(codeOf(() => disk.link(bench.at('file'), bench.at('more')))).toBe('EEXIST');
    expect(codeOf(() => disk.link(bench.at('none'), bench.at('new')))).toBe('ENOENT');
    arrange.mkdir(bench.at('dir'));
    expect(codeOf(() => disk.link(bench.at('dir'), bench.at('new')))).toBe('EPERM');
    arrange.symlink('file', bench.at('link'));
    disk.link(bench.at('link'), bench.at('second'));
    expect(bench.seen(bench.at('second'))).toMatchObject({ kind: 'symlink', links: 2 });
  });

  it('a link has its target as it was written, and takes the place of nothing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    if (!bench.does('symlinks', () => disk.symlink('../näme//x', bench.at('link')))) {
      expect(arrange.names(bench.at())).toEqual(['file']);
      return;
    }
    expect(disk.readLink(bench.at('link')).toString()).toBe('../näme//x');
    for (const name of ['file', 'link']) {
      expect(codeOf(() => disk.symlink('other', bench.at(name)))).toBe('EEXIST');
    }
    expect(codeOf(() => disk.symlink('other', bench.at('none', 'below')))).toBe('ENOENT');
  });
}

function removalTests(on: On): void {
  it('a name goes, and not what it leads to', () => {
    const bench = on();
    const { disk, arrange } = bench;
    for (const name of ['one', 'two', 'kept']) arrange.write(bench.at(name), 'text');
    arrange.mkdir(bench.at('dir'));
    disk.unlink(bench.at('one'));
    disk.remove(bench.at('two'));
    disk.remove(bench.at('two'));
    expect(codeOf(() => disk.unlink(bench.at('two')))).toBe('ENOENT');
    expect(['EISDIR', 'EPERM']).toContain(codeOf(() => disk.unlink(bench.at('dir'))));
    expect(codeOf(() => disk.remove(bench.at('dir')))).toBeDefined();
    expect(arrange.names(bench.at()).sort()).toEqual(['dir', 'kept']);
    if (!bench.symlink('kept', bench.at('link'))) return;
    disk.unlink(bench.at('link'));
    arrange.symlink('dir', bench.at('link'));
    disk.remove(bench.at('link'));
    expect(arrange.names(bench.at()).sort()).toEqual(['dir', 'kept']);
  });

  it('a name goes beside other work', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    await disk.drop(bench.at('file'));
    await disk.drop(bench.at('file'));
    expect(arrange.names(bench.at())).toEqual([]);
    arrange.mkdir(bench.at('dir'));
    expect(await codeOfEnd(disk.drop(bench.at('dir')))).toBeDefined();
  });

  it('a directory goes when nothing is in it', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('dir', 'file'), '');
    expect(['ENOTEMPTY', 'EEXIST']).toContain(codeOf(() => disk.removeDirectory(bench.at('dir'))));
    expect(codeOf(() => disk.removeDirectory(bench.at('dir', 'file')))).toBe('ENOTDIR');
    arrange.unlink(bench.at('dir', 'file'));
    disk.removeDirectory(bench.at('dir'));
    expect(codeOf(() => disk.removeDirectory(bench.at('dir')))).toBe('ENOENT');
    arrange.mkdir(bench.at('dir'));
    if (!bench.symlink('dir', bench.at('link'))) return;
    expect(codeOf(() => disk.removeDirectory(bench.at('link')))).toBe('ENOTDIR');
  });

  it('a whole tree goes, and nothing that links in it lead to', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('kept'));
    arrange.write(bench.at('kept', 'file'), 'text');
    arrange.mkdir(bench.at('dir'));
    arrange.mkdir(bench.at('dir', 'inner'));
    arrange.write(bench.at('dir', 'inner', 'file'), '');
    bench.symlink('../kept', bench.at('dir', 'link'));
    disk.removeTree(bench.at('dir'));
    disk.removeTree(bench.at('dir'));
    arrange.write(bench.at('single'), '');
    disk.removeTree(bench.at('single'));
    if (bench.symlink('kept', bench.at('link'))) disk.removeTree(bench.at('link'));
    expect(arrange.names(bench.at())).toEqual(['kept']);
    expect(arrange.read(bench.at('kept', 'file'))).toBe('text');
  });

  it('names come and go only with a right to the directory', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.mkdir(bench.at('mine'));
      arrange.write(bench.at('mine', 'file'), 'text');
      arrange.mkdir(bench.at('mine', 'dir'));
      arrange.chmod(bench.at('mine'), 0o500);
      const mine = (name: string): string => bench.at('mine', name);
      for (const act of [
        () => disk.unlink(mine('file')),
        () => disk.remove(mine('file')),
        () => disk.removeDirectory(mine('dir')),
        () => disk.makeEmpty(mine('new')),
        () => disk.makeDirectory(mine('new'), 0o700),
        () => disk.symlink('file', mine('new')),
        () => disk.link(mine('file'), mine('new')),
        () => disk.rename(mine('file'), mine('new')),
        () => disk.renameNoReplace(mine('file'), mine('new')),
      ]) {
        expect(codeOf(act)).toBe('EACCES');
      }
      arrange.chmod(bench.at('mine'), 0o700);
      expect(arrange.names(bench.at('mine')).sort()).toEqual(['dir', 'file']);
    } finally {
      end();
    }
  });
}

function lockTests(on: On): void {
  it('a lock is had once, and by another when it is given back', () => {
    const bench = on();
    const { disk, arrange } = bench;
    const lock = (): { release(): void } | null => disk.lockFile(bench.at('lock'));
    let first: { release(): void } | null = null;
    if (!bench.does('locks', () => (first = lock()))) return;
    expect(first).not.toBeNull();
    expect(lock()).toBeNull();
    const held = first as { release(): void } | null;
    held?.release();
    held?.release();
    const second = lock();
    expect(second).not.toBeNull();
    second?.release();
    if (!bench.lacks('modes')) expect(bench.seen(bench.at('lock')).mode).toBe(0o600);
    arrange.write(bench.at('lock'), 'kept');
    lock()?.release();
    expect(arrange.read(bench.at('lock'))).toBe('kept');
    expect(codeOf(() => disk.lockFile(bench.at('none', 'lock')))).toBe('ENOENT');
  });
}

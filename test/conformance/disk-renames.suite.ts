/** How a Disk gives things another name. */
import { expect, it } from '@jest/globals';
import { codeOf, codeOfEnd, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

export function renameTests(on: On): void {
  plainTests(on);
  refusedTests(on);
  carefulTests(on);
  swapTests(on);
}

function plainTests(on: On): void {
  it('a rename takes the place of a file', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('new'), 'new');
    arrange.write(bench.at('old'), 'old');
    disk.rename(bench.at('new'), bench.at('old'));
    expect(arrange.names(bench.at())).toEqual(['old']);
    expect(arrange.read(bench.at('old'))).toBe('new');
    arrange.mkdir(bench.at('dir'));
    disk.rename(bench.at('old'), bench.at('dir', 'moved'));
    disk.rename(bench.at('dir'), bench.at('directory'));
    expect(arrange.read(bench.at('directory', 'moved'))).toBe('new');
  });

  it('a rename takes the place of a link itself, and renames one', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('target'), 'target');
    arrange.write(bench.at('new'), 'new');
    if (!bench.symlink('target', bench.at('link'))) return;
    disk.rename(bench.at('link'), bench.at('moved'));
    expect(bench.seen(bench.at('moved')).kind).toBe('symlink');
    disk.rename(bench.at('new'), bench.at('moved'));
    expect(bench.seen(bench.at('moved')).kind).toBe('file');
    expect(arrange.read(bench.at('target'))).toBe('target');
  });

  it('a directory takes the place of an empty one', () => {
    const bench = on();
    const { disk, arrange } = bench;
    for (const name of ['dir', 'empty']) arrange.mkdir(bench.at(name));
    arrange.write(bench.at('dir', 'file'), 'text');
    disk.rename(bench.at('dir'), bench.at('empty'));
    expect(arrange.names(bench.at())).toEqual(['empty']);
    expect(arrange.read(bench.at('empty', 'file'))).toBe('text');
  });

  it('a rename to another name of the same file changes nothing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('one'), 'text');
    if (!bench.does('links', () => arrange.link(bench.at('one'), bench.at('two')))) return;
    disk.rename(bench.at('one'), bench.at('two'));
    disk.rename(bench.at('one'), bench.at('one'));
    expect(arrange.names(bench.at()).sort()).toEqual(['one', 'two']);
  });

  it('a rename beside other work does the same', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('new'), 'new');
    arrange.write(bench.at('old'), 'old');
    await disk.move(bench.at('new'), bench.at('old'));
    expect(arrange.names(bench.at())).toEqual(['old']);
    expect(arrange.read(bench.at('old'))).toBe('new');
    expect(await codeOfEnd(disk.move(bench.at('none'), bench.at('old')))).toBe('ENOENT');
  });
}

function refusedTests(on: On): void {
  it('a rename that can not be changes nothing', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    for (const name of ['dir', 'full', 'empty']) arrange.mkdir(bench.at(name));
    arrange.write(bench.at('full', 'file'), '');
    const refusal = (from: string, to: string): unknown =>
      codeOf(() => disk.rename(bench.at(from), bench.at(to)));
    expect(refusal('none', 'file')).toBe('ENOENT');
    expect(refusal('file', 'none/below')).toBe('ENOENT');
    expect(refusal('file', 'file/below')).toBe('ENOTDIR');
    expect(refusal('dir', 'file')).toBe('ENOTDIR');
    expect(refusal('dir', 'dir/below')).toBe('EINVAL');
    expect(['ENOTEMPTY', 'EEXIST']).toContain(refusal('dir', 'full'));
    expect(['EISDIR', 'EEXIST', 'ENOTEMPTY']).toContain(refusal('file', 'empty'));
    expect(arrange.names(bench.at()).sort()).toEqual(['dir', 'empty', 'file', 'full']);
    expect(arrange.read(bench.at('file'))).toBe('text');
  });

  it('a directory that its user may not write gets another name, and no other place', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      for (const name of ['locked', 'other']) arrange.mkdir(bench.at(name));
      arrange.chmod(bench.at('locked'), 0o500);
      expect(codeOf(() => disk.rename(bench.at('locked'), bench.at('other', 'x')))).toBe('EACCES');
      disk.rename(bench.at('locked'), bench.at('renamed'));
      arrange.chmod(bench.at('renamed'), 0o700);
      disk.rename(bench.at('renamed'), bench.at('other', 'x'));
      expect(arrange.names(bench.at('other'))).toEqual(['x']);
    } finally {
      end();
    }
  });
}

function carefulTests(on: On): void {
  it('a careful rename moves files, directories and links', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    arrange.mkdir(bench.at('dir'));
    disk.renameNoReplace(bench.at('file'), bench.at('dir', 'file'));
    disk.renameNoReplace(bench.at('dir'), bench.at('moved'));
    expect(arrange.names(bench.at())).toEqual(['moved']);
    expect(arrange.read(bench.at('moved', 'file'))).toBe('text');
    expect(bench.seen(bench.at('moved', 'file')).links).toBe(1);
    if (!bench.symlink('file', bench.at('link'))) return;
    disk.renameNoReplace(bench.at('link'), bench.at('moved', 'link'));
    expect(bench.seen(bench.at('moved', 'link')).kind).toBe('symlink');
  });

  it('a careful rename takes the place of nothing, whatever it is', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('new'), 'new');
    arrange.mkdir(bench.at('new dir'));
    arrange.write(bench.at('old'), 'old');
    arrange.mkdir(bench.at('old dir'));
    bench.symlink('none', bench.at('old link'));
    const before = arrange.names(bench.at()).sort();
    for (const to of before.filter((each) => each.startsWith('old'))) {
      for (const from of ['new', 'new dir']) {
        expect(codeOf(() => disk.renameNoReplace(bench.at(from), bench.at(to)))).toBe('EEXIST');
      }
    }
    expect(arrange.names(bench.at()).sort()).toEqual(before);
    expect(arrange.read(bench.at('old'))).toBe('old');
    const refusal = (from: string, to: string): unknown =>
      codeOf(() => disk.renameNoReplace(bench.at(from), bench.at(to)));
    expect(refusal('none', 'x')).toBe('ENOENT');
    expect(refusal('new', 'none/below')).toBe('ENOENT');
  });
}

function swapTests(on: On): void {
  it('two names are swapped, whatever they lead to, or stay as they are', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('a'), 'a');
    arrange.write(bench.at('b'), 'b');
    arrange.mkdir(bench.at('dir'));
    const swaps = bench.does('swaps', () => disk.renameExchange(bench.at('a'), bench.at('b')));
    expect(arrange.read(bench.at('a'))).toBe(swaps ? 'b' : 'a');
    expect(arrange.read(bench.at('b'))).toBe(swaps ? 'a' : 'b');
    if (!swaps) return;
    disk.renameExchange(bench.at('a'), bench.at('dir'));
    expect(bench.seen(bench.at('a')).kind).toBe('directory');
    expect(arrange.read(bench.at('dir'))).toBe('b');
    expect(codeOf(() => disk.renameExchange(bench.at('a'), bench.at('none')))).toBe('ENOENT');
    expect(codeOf(() => disk.renameExchange(bench.at('none'), bench.at('a')))).toBe('ENOENT');
    if (!bench.symlink('none', bench.at('link'))) return;
    disk.renameExchange(bench.at('link'), bench.at('b'));
    expect(bench.seen(bench.at('b')).kind).toBe('symlink');
    expect(arrange.read(bench.at('link'))).toBe('a');
  });
}

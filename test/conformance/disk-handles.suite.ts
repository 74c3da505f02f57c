/** What the handles of a Disk stand for, and the ways beneath a root. */
import { expect, it } from '@jest/globals';
import { kindOf } from '../../daemon/adapters/folder/disk/disk-facts.ts';
import { codeOf, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

export function handleTests(on: On): void {
  openTests(on);
  pathTests(on);
  rightTests(on);
  beneathTests(on);
}

function openTests(on: On): void {
  it('a handle has the status of what was opened, a link itself included', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'four');
    arrange.mkdir(bench.at('dir'));
    const of = (handle: number): bigint => disk.statusOf(bench.held(handle)).ino;
    const inode = (name: string): bigint => bench.seen(bench.at(name)).inode;
    expect(of(disk.openEntry(bench.at('file')))).toBe(inode('file'));
    expect(of(disk.openRoot(bench.at('dir')))).toBe(inode('dir'));
    expect(of(disk.openDirectory(bench.at('dir')))).toBe(inode('dir'));
    if (!bench.symlink('dir', bench.at('link'))) return;
    expect(of(disk.openRoot(bench.at('link')))).toBe(inode('dir'));
    if (disk.hasHandlePaths) expect(of(disk.openEntry(bench.at('link')))).toBe(inode('link'));
    arrange.symlink('none', bench.at('dangling'));
    if (disk.hasHandlePaths) {
      const status = disk.statusOf(bench.held(disk.openEntry(bench.at('dangling'))));
      expect(kindOf(status)).toBe('symlink');
    }
  });

  it('an open of something missing or of another kind is refused', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    expect(codeOf(() => disk.openRoot(bench.at('file')))).toBe('ENOTDIR');
    expect(codeOf(() => disk.openDirectory(bench.at('file')))).toBe('ENOTDIR');
    for (const open of ['openRoot', 'openDirectory', 'openEntry'] as const) {
      expect(codeOf(() => disk[open](bench.at('none')))).toBe('ENOENT');
      expect(codeOf(() => disk[open](bench.at('file', 'below')))).toBe('ENOTDIR');
    }
    if (!bench.symlink('.', bench.at('link'))) return;
    expect(['ENOTDIR', 'ELOOP']).toContain(codeOf(() => disk.openDirectory(bench.at('link'))));
    bench.arrange.symlink('none', bench.at('dangling'));
    expect(codeOf(() => disk.openRoot(bench.at('dangling')))).toBe('ENOENT');
  });

  it('a handle stays with its inode through renames and removals', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'four');
    const { inode } = bench.seen(bench.at('file'));
    const handle = bench.held(disk.openEntry(bench.at('file')));
    arrange.rename(bench.at('file'), bench.at('moved'));
    arrange.write(bench.at('file'), 'another');
    expect(disk.statusOf(handle)).toMatchObject({ ino: inode, size: 4n });
    if (bench.lacks('kept')) return;
    arrange.unlink(bench.at('moved'));
    expect(disk.statusOf(handle)).toMatchObject({ size: 4n, nlink: 0n });
  });

  it('a closed handle is none any more', () => {
    const bench = on();
    const handle = bench.disk.openEntry(bench.at('.'));
    bench.disk.close(handle);
    expect(codeOf(() => bench.disk.statusOf(handle))).toBe('EBADF');
  });
}

function pathTests(on: On): void {
  it('names beneath the path of a handle are names in that directory, wherever it is', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (!disk.hasHandlePaths) return;
    arrange.mkdir(bench.at('dir'));
    const base = bench.stands(bench.at('dir'));
    arrange.rename(bench.at('dir'), bench.at('moved'));
    arrange.mkdir(bench.at('dir'));
    disk.makeDirectory(`${base}/inner`, 0o755);
    disk.writeText(`${base}/file`, 'text', 0o644);
    disk.rename(`${base}/file`, `${base}/inner/file`);
    expect(arrange.read(bench.at('moved', 'inner', 'file'))).toBe('text');
    expect(arrange.names(bench.at('dir'))).toEqual([]);
    expect(disk.names(base)).toEqual(['inner']);
    expect(disk.directoriesIn(base)).toEqual(['inner']);
    expect(disk.exists(`${base}/inner`)).toBe(true);
  });

  it('nothing is found or made in a directory that was removed', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (!disk.hasHandlePaths || bench.lacks('kept')) return;
    arrange.mkdir(bench.at('dir'));
    const base = bench.stands(bench.at('dir'));
    arrange.rmdir(bench.at('dir'));
    expect(disk.status(`${base}/file`)).toBeNull();
    expect(codeOf(() => disk.makeDirectory(`${base}/inner`, 0o755))).toBe('ENOENT');
    expect(codeOf(() => disk.makeEmpty(`${base}/file`))).toBe('ENOENT');
  });

  it('the path of a handle by itself is the inode to what sets and reads, and a link to the rest', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (!disk.hasHandlePaths) return;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('file'), 'text');
    const [dir, file] = [bench.stands(bench.at('dir')), bench.stands(bench.at('file'))];
    expect(kindOf(disk.status(dir) ?? { mode: 0n })).toBe('symlink');
    expect(disk.status(`${dir}/.`)?.ino).toBe(bench.seen(bench.at('dir')).inode);
    expect(disk.statusBehind(dir)?.ino).toBe(bench.seen(bench.at('dir')).inode);
    const time = 1_600_000_000_000_000_000n;
    disk.setMtime(dir, time);
    disk.setMtime(file, time);
    expect(bench.seen(bench.at('dir')).mtimeNs).toBe(time);
    expect(bench.seen(bench.at('file')).mtimeNs).toBe(time);
    expect((await disk.digestFile(file)).length).toBe(4);
    await disk.copyFile(file, bench.at('copy'), { sync: false });
    expect(arrange.read(bench.at('copy'))).toBe('text');
    disk.syncDirectory(dir);
  });

  it('the contents of a file are read by its handle, whatever has its name meanwhile', async () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (!disk.hasHandlePaths) return;
    arrange.write(bench.at('file'), 'old');
    const { digest } = await disk.digestFile(bench.at('file'));
    const file = bench.stands(bench.at('file'));
    arrange.write(bench.at('new'), 'new contents');
    arrange.rename(bench.at('file'), bench.at('kept'));
    arrange.rename(bench.at('new'), bench.at('file'));
    expect(await disk.digestFile(file)).toEqual({ digest, length: 3 });
  });
}

function rightTests(on: On): void {
  it('a handle needs no right to the contents, and the way to it does', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (!disk.hasHandlePaths || bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.mkdir(bench.at('dir'));
      arrange.write(bench.at('dir', 'file'), 'text');
      arrange.chmod(bench.at('dir', 'file'), 0);
      expect(disk.statusOf(bench.held(disk.openEntry(bench.at('dir', 'file')))).size).toBe(4n);
      arrange.chmod(bench.at('dir'), 0);
      const base = disk.pathOf(bench.held(disk.openDirectory(bench.at('dir'))));
      expect(codeOf(() => disk.openEntry(bench.at('dir', 'file')))).toBe('EACCES');
      expect(codeOf(() => disk.names(base))).toBe('EACCES');
      expect(codeOf(() => disk.status(`${base}/file`))).toBe('EACCES');
      disk.setMode(base, 0o700);
      expect(disk.names(base)).toEqual(['file']);
    } finally {
      end();
    }
  });
}

function beneathTests(on: On): void {
  /** The code that an opening beneath the directory of the test fails with. */
  const refusal = (path: string, as: 'directory' | 'file'): unknown =>
    codeOf(() => on().held(on().disk.openBeneath(on().at(), path, as)));

  it('an opening beneath a root leads to directories and files', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('d'));
    arrange.mkdir(bench.at('d', 'e'));
    arrange.write(bench.at('d', 'e', 'file'), 'four');
    const inode = (path: string, as: 'directory' | 'file'): bigint =>
      disk.statusOf(bench.held(disk.openBeneath(bench.at(), path, as))).ino;
    expect(inode('', 'directory')).toBe(bench.seen(bench.at('.')).inode);
    expect(inode('d/e', 'directory')).toBe(bench.seen(bench.at('d', 'e')).inode);
    expect(inode('d/e/file', 'file')).toBe(bench.seen(bench.at('d', 'e', 'file')).inode);
    if (bench.symlink('d', bench.at('root'))) {
      const handle = bench.held(disk.openBeneath(bench.at('root'), 'e', 'directory'));
      expect(disk.statusOf(handle).ino).toBe(bench.seen(bench.at('d', 'e')).inode);
    }
  });

  it('an opening beneath a root follows no link and leads nowhere else', () => {
    const bench = on();
    const { arrange } = bench;
    arrange.mkdir(bench.at('d'));
    arrange.write(bench.at('d', 'file'), '');
    for (const path of ['..', 'd/../..', '/']) expect(refusal(path, 'directory')).toBe('EXDEV');
    if (!bench.symlink('d', bench.at('inward'))) return;
    arrange.symlink('/', bench.at('outward'));
    arrange.symlink('file', bench.at('d', 'link'));
    for (const path of ['inward/file', 'outward/etc', 'd/link']) {
      expect(refusal(path, 'file')).toBe('ELOOP');
    }
    expect(['ELOOP', 'ENOTDIR']).toContain(refusal('inward', 'directory'));
  });

  it('an opening beneath a root refuses what is of another kind, without waiting', () => {
    const bench = on();
    const { arrange } = bench;
    arrange.mkdir(bench.at('d'));
    arrange.write(bench.at('file'), '');
    expect(refusal('d', 'file')).toBe('EISDIR');
    expect(refusal('file', 'directory')).toBe('ENOTDIR');
    expect(refusal('file/below', 'file')).toBe('ENOTDIR');
    expect(refusal('none', 'file')).toBe('ENOENT');
    expect(refusal('none/below', 'directory')).toBe('ENOENT');
    expect(refusal('n/'.repeat(2100), 'file')).toBe('ENAMETOOLONG');
    if (arrange.fifo(bench.at('fifo'))) expect(refusal('fifo', 'file')).toBe('EINVAL');
  });
}

/** What a Disk tells of inodes, by their paths. */
import { expect, it } from '@jest/globals';
import { kindOf } from '../../daemon/adapters/folder/disk/disk-facts.ts';
import type { Disk, DiskStatus } from '../../daemon/adapters/folder/disk/disk.ts';
import { codeOf, type DiskBench } from './disk-harness.ts';

type On = () => DiskBench;

/** So many changes take longer than a coarse clock stands still. */
const MOST_TRIES = 20_000;

export function inodeTests(on: On): void {
  statusTests(on);
  wayTests(on);
  changeTests(on);
}

/** The status of what has to be there. */
export function statusAt({ disk }: DiskBench, path: string): DiskStatus {
  const status = disk.status(path);
  if (status === null) throw new Error(`nothing is at ${path}`);
  return status;
}

function statusTests(on: On): void {
  it('the status of a file and of a directory is what programs see', () => {
    const bench = on();
    const { arrange, at } = { arrange: bench.arrange, at: (name: string) => bench.at(name) };
    arrange.write(at('file'), 'four');
    arrange.mkdir(at('dir'));
    for (const name of ['file', 'dir']) {
      const status = statusAt(bench, at(name));
      const seen = bench.seen(at(name));
      expect(kindOf(status)).toBe(name === 'file' ? 'file' : 'directory');
      expect(Number(status.mode) & 0o7777).toBe(seen.mode);
      expect([status.uid, status.gid].map(Number)).toEqual([seen.uid, seen.gid]);
      expect([status.ino, status.mtimeNs]).toEqual([seen.inode, seen.mtimeNs]);
      expect(Number(status.nlink)).toBe(seen.links);
      expect(status.dev).toBe(statusAt(bench, bench.at('.')).dev);
    }
    expect(statusAt(bench, at('file')).size).toBe(4n);
    expect(statusAt(bench, at('file')).nlink).toBe(1n);
  });

  it('the status of a link is its own, and the one behind it that of its target', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'four');
    if (!bench.symlink('file', bench.at('link'))) return;
    arrange.symlink('none', bench.at('dangling'));
    expect(kindOf(statusAt(bench, bench.at('link')))).toBe('symlink');
    expect(kindOf(statusAt(bench, bench.at('dangling')))).toBe('symlink');
    expect(disk.statusBehind(bench.at('link'))?.ino).toBe(statusAt(bench, bench.at('file')).ino);
    expect(disk.statusBehind(bench.at('dangling'))).toBeNull();
  });

  it('the status of a FIFO is that of another kind', () => {
    const bench = on();
    expect(bench.arrange.fifo(bench.at('fifo'))).toBe(!bench.lacks('fifos'));
    if (bench.lacks('fifos')) return;
    expect(kindOf(statusAt(bench, bench.at('fifo')))).toBe('other');
  });

  it('a further name of a file shows the same inode, with one more name', () => {
    const bench = on();
    const { arrange } = bench;
    arrange.write(bench.at('one'), 'text');
    arrange.write(bench.at('another'), 'text');
    const { ino } = statusAt(bench, bench.at('one'));
    expect(statusAt(bench, bench.at('another')).ino).not.toBe(ino);
    if (!bench.does('links', () => arrange.link(bench.at('one'), bench.at('two')))) return;
    expect(statusAt(bench, bench.at('one')).nlink).toBe(2n);
    expect(statusAt(bench, bench.at('two')).ino).toBe(ino);
  });
}

function wayTests(on: On): void {
  it('nothing is null, and a way that is none is an error', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    for (const status of ['status', 'statusBehind'] as const) {
      expect(disk[status](bench.at('none'))).toBeNull();
      expect(disk[status](bench.at('none', 'deeper'))).toBeNull();
      expect(codeOf(() => disk[status](bench.at('n'.repeat(300))))).toBe('ENAMETOOLONG');
      expect(codeOf(() => disk[status](bench.at('n/'.repeat(2100))))).toBe('ENAMETOOLONG');
    }
    expect(codeOf(() => disk.status(bench.at('file', 'below')))).toBe('ENOTDIR');
    expect(disk.statusBehind(bench.at('file', 'below'))).toBeNull();
    if (!bench.symlink('loop', bench.at('loop'))) return;
    expect(codeOf(() => disk.status(bench.at('loop', 'below')))).toBe('ELOOP');
    expect(codeOf(() => disk.statusBehind(bench.at('loop')))).toBe('ELOOP');
  });

  it('a link is read byte by byte', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), '');
    expect(codeOf(() => disk.readLink(bench.at('file')))).toBe('EINVAL');
    expect(codeOf(() => disk.readLink(bench.at('none')))).toBe('ENOENT');
    if (!bench.symlink('../a target', bench.at('link'))) return;
    expect(disk.readLink(bench.at('link')).toString()).toBe('../a target');
    if (bench.lacks('raw')) return;
    arrange.symlink(Uint8Array.from([0x61, 0xff, 0x2f, 0xfe]), bench.at('bytes'));
    expect([...disk.readLink(bench.at('bytes'))]).toEqual([0x61, 0xff, 0x2f, 0xfe]);
  });

  it('a path without links leads to the same', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('dir', 'file'), '');
    const real = `${disk.realPath(bench.at('.'))}/dir/file`;
    expect(disk.realPath(bench.at('dir', '..', 'dir', 'file'))).toBe(real);
    expect(codeOf(() => disk.realPath(bench.at('none')))).toBe('ENOENT');
    if (!bench.symlink('dir', bench.at('way'))) return;
    arrange.symlink('way/file', bench.at('link'));
    expect(disk.realPath(bench.at('link'))).toBe(real);
    arrange.symlink('loop', bench.at('loop'));
    expect(codeOf(() => disk.realPath(bench.at('loop')))).toBe('ELOOP');
  });

  it('a disk is a plain object, of which some calls can be replaced', () => {
    const bench = on();
    const other: Disk = { ...bench.disk, exists: () => true };
    bench.arrange.write(bench.at('file'), 'four');
    expect(other.status(bench.at('file'))?.size).toBe(4n);
    expect(other.exists(bench.at('none'))).toBe(true);
    expect(other.names(bench.at('.'))).toEqual(['file']);
  });
}

function changeTests(on: On): void {
  it('an inode stays the same through whatever becomes of its name and contents', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.write(bench.at('file'), 'text');
    arrange.mkdir(bench.at('dir'));
    const { ino, birthtimeNs } = statusAt(bench, bench.at('file'));
    arrange.append(bench.at('file'), ', and more');
    arrange.rename(bench.at('file'), bench.at('dir', 'moved'));
    disk.setMode(bench.at('dir', 'moved'), 0o600);
    const after = statusAt(bench, bench.at('dir', 'moved'));
    expect([after.ino, after.birthtimeNs]).toEqual([ino, birthtimeNs]);
  });

  it('each change to an inode shows in its time of change, which nobody sets', () => {
    const bench = on();
    const { disk, arrange } = bench;
    if (bench.lacks('changes')) return;
    arrange.write(bench.at('file'), 'text');
    let before = statusAt(bench, bench.at('file')).ctimeNs;
    const acts = [
      () => arrange.append(bench.at('file'), '.'),
      () => disk.setMode(bench.at('file'), 0o600),
      () => disk.setMtime(bench.at('file'), 1_000_000_000n),
    ];
    for (const act of acts) {
      // A coarse clock may stand still for a moment.
      let after = before;
      for (let tries = 0; after === before && tries < MOST_TRIES; tries++) {
        act();
        after = statusAt(bench, bench.at('file')).ctimeNs;
      }
      expect(after).toBeGreaterThan(before);
      before = after;
    }
  });

  it('a change of the names in a directory shows in the time of that directory alone', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    arrange.write(bench.at('dir', 'other'), '');
    const long = 1_000_000_000n;
    for (const act of [
      () => arrange.write(bench.at('dir', 'file'), ''),
      () => arrange.rename(bench.at('dir', 'file'), bench.at('dir', 'renamed')),
      () => arrange.unlink(bench.at('dir', 'renamed')),
    ]) {
      disk.setMtime(bench.at('dir'), long);
      disk.setMtime(bench.at('dir', 'other'), long);
      const before = [statusAt(bench, bench.at('dir')), statusAt(bench, bench.at('dir', 'other'))];
      act();
      const isTold = statusAt(bench, bench.at('dir')).mtimeNs > (before[0]?.mtimeNs ?? 0n);
      if (!bench.lacks('entries')) expect(isTold).toBe(true);
      expect(statusAt(bench, bench.at('dir', 'other')).mtimeNs).toBe(before[1]?.mtimeNs);
    }
    disk.setMtime(bench.at('dir'), long);
    const { mtimeNs } = statusAt(bench, bench.at('dir'));
    arrange.append(bench.at('dir', 'other'), 'more');
    expect(statusAt(bench, bench.at('dir')).mtimeNs).toBe(mtimeNs);
  });

  it('a directory without the right to change it is reported', () => {
    const bench = on();
    const { disk, arrange } = bench;
    arrange.mkdir(bench.at('dir'));
    disk.mayChange(bench.at('dir'));
    expect(codeOf(() => disk.mayChange(bench.at('none')))).toBe('ENOENT');
    if (bench.lacks('rights')) return;
    const end = arrange.beOrdinary();
    try {
      arrange.mkdir(bench.at('mine'));
      disk.mayChange(bench.at('mine'));
      for (const mode of [0o300, 0o500, 0o600]) {
        arrange.chmod(bench.at('mine'), mode);
        const code = codeOf(() => disk.mayChange(bench.at('mine')));
        expect(code).toBe(arrange.asksAsOrdinary ? 'EACCES' : undefined);
      }
    } finally {
      end();
    }
  });
}

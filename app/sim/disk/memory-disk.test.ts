import { describe, expect, it } from '@jest/globals';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';
import { DiskError, digestOf, MemoryDisk } from './memory-disk.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const content = (disk: MemoryDisk): Record<string, string> =>
  Object.fromEntries(
    disk.list('').map((path) => [path, new TextDecoder().decode(disk.read(path))]),
  );

describe('MemoryDisk', () => {
  it('writes, appends, copies, renames over and removes', () => {
    const disk = new MemoryDisk();
    disk.write('/a', bytes('one'));
    disk.append('/a', bytes('+two'));
    disk.copy('/a', '/b');
    disk.write('/b', bytes('three'));
    disk.rename('/b', '/c');
    disk.rename('/c', '/a');
    expect(content(disk)).toEqual({ '/a': 'three' });
    expect(disk.usedBytes).toBe(5);
    disk.remove('/a');
    expect(disk.usedBytes).toBe(0);
  });

  it('names what is missing and what does not fit', () => {
    const disk = new MemoryDisk({ capacityBytes: 4 });
    for (const call of [
      () => disk.read('/a'),
      () => disk.sync('/a'),
      () => disk.rename('/a', '/b'),
      () => disk.remove('/a'),
    ]) {
      expect(call).toThrow(new DiskError('ENOENT', '/a'));
    }
    disk.remove('/a', { missing: 'fine' });
    expect(() => disk.write('/a', bytes('12345'))).toThrow(new DiskError('ENOSPC', '/a'));
    disk.write('/a', bytes('1234'));
    disk.write('/a', bytes('4321'));
  });

  it('digests by content', () => {
    const disk = new MemoryDisk();
    disk.write('/a', new Uint8Array(0));
    expect(disk.digest('/a')).toBe(EMPTY_DIGEST);
    disk.write('/a', bytes('x'));
    expect(disk.digest('/a')).toBe(digestOf(bytes('x')));
  });

  it.each<[string, (disk: MemoryDisk) => void, Record<string, string>]>([
    ['loses a file never synced', (disk) => disk.write('/d/new', bytes('n')), { '/d/old': 'old' }],
    ['loses bytes not synced', (disk) => disk.write('/d/old', bytes('new')), { '/d/old': 'old' }],
    ['keeps synced bytes', written, { '/d/old': 'new' }],
    ['undoes a rename', (disk) => disk.rename('/d/old', '/d/x'), { '/d/old': 'old' }],
    ['undoes a removal', (disk) => disk.remove('/d/old'), { '/d/old': 'old' }],
    ['keeps a synced removal', removed, {}],
    ['keeps a synced rename', renamed, { '/d/x': 'old' }],
    [
      'keeps an empty file where only the name was synced',
      named,
      { '/d/new': '', '/d/old': 'old' },
    ],
  ])('%s in a crash', (_, change, after) => {
    const disk = new MemoryDisk();
    disk.write('/d/old', bytes('old'));
    disk.sync('/d/old');
    change(disk);
    disk.crash();
    expect(content(disk)).toEqual(after);
    expect(disk.usedBytes).toBe(Object.values(after).join('').length);
  });
});

function written(disk: MemoryDisk): void {
  disk.write('/d/old', bytes('new'));
  disk.sync('/d/old');
}

function removed(disk: MemoryDisk): void {
  disk.remove('/d/old');
  disk.syncFolder('/d');
}

function renamed(disk: MemoryDisk): void {
  disk.rename('/d/old', '/d/x');
  disk.syncFolder('/d');
}

function named(disk: MemoryDisk): void {
  disk.write('/d/new', bytes('new'));
  disk.syncFolder('/d');
}

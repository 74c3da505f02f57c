import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { EMPTY_DIGEST } from '../../../../shared/model/vnode.ts';
import type { Rot } from './bit-rot.ts';
import { digestOf } from './content-digest.ts';
import { DiskError, MemoryDisk } from './memory-disk.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const content = (disk: MemoryDisk): Record<string, string> =>
  Object.fromEntries(
    disk.list('').map((path) => [path, new TextDecoder().decode(disk.read(path))]),
  );

describe('the in-memory disk', () => {
  it('writes, appends, copies, renames over files and removes them', () => {
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

  it('reports missing files and a full disk', () => {
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

  it('computes digests from contents', () => {
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
  ])('behaves in a crash like a real one: it %s', (_, change, after) => {
    const disk = new MemoryDisk();
    disk.write('/d/old', bytes('old'));
    disk.sync('/d/old');
    change(disk);
    disk.crash();
    expect(content(disk)).toEqual(after);
    expect(disk.usedBytes).toBe(Object.values(after).join('').length);
  });
});

describe('a power failure of the in-memory disk', () => {
  const outcomes = (change: (disk: MemoryDisk) => void): Set<string> => {
    const found = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const disk = new MemoryDisk();
      disk.write('/d/old', bytes('old'));
      disk.sync('/d/old');
      change(disk);
      disk.crash(new SeededRandom(seed));
      found.add(JSON.stringify(content(disk)));
    }
    return found;
  };

  it('leaves any part of unsynced bytes or a mixture', () => {
    const found = outcomes((disk) => disk.write('/d/old', bytes('NEWER')));
    for (const text of ['old', 'NEWER', '', 'NEW', 'Nld', 'NE\u0000\u0000\u0000']) {
      expect(found).toContain(JSON.stringify({ '/d/old': text }));
    }
  });

  it('never affects synced bytes', () => {
    expect(outcomes(written)).toEqual(new Set([JSON.stringify({ '/d/old': 'new' })]));
    expect(outcomes(renamed)).toEqual(new Set([JSON.stringify({ '/d/x': 'old' })]));
  });

  it('keeps names as they were after any prefix of the steps', () => {
    const found = outcomes((disk) => {
      disk.rename('/d/old', '/d/one');
      disk.rename('/d/one', '/d/two');
    });
    const names = ['/d/old', '/d/one', '/d/two'];
    expect(found).toEqual(new Set(names.map((name) => JSON.stringify({ [name]: 'old' }))));
  });
});

describe('a failing in-memory disk', () => {
  it('fails as configured until the end of the fault', () => {
    const disk = new MemoryDisk();
    disk.write('/a', bytes('a'));
    const full = disk.troubles.add((_, __, growth) => (growth > 0 ? 'ENOSPC' : null));
    const worn = disk.troubles.add((call) => (call === 'read' ? 'EIO' : null));
    expect(() => disk.write('/b', bytes(''))).toThrow(new DiskError('ENOSPC', '/b'));
    expect(() => disk.read('/a')).toThrow(new DiskError('EIO', '/a'));
    disk.write('/a', bytes('b'));
    full();
    worn();
    worn();
    disk.write('/b', bytes('more'));
    expect(content(disk)).toEqual({ '/a': 'b', '/b': 'more' });
    expect(disk.troubles.any).toBe(false);
  });

  it('can rot: a bit flips and stays so', () => {
    const disk = new MemoryDisk();
    disk.write('/a', bytes('aaa'));
    disk.sync('/a');
    const before = disk.digest('/a');
    disk.rot('/a', 9);
    expect(disk.digest('/a')).not.toBe(before);
    disk.crash();
    expect(content(disk)).toEqual({ '/a': 'aca' });
    expect(disk.rot('/gone', 1)).toBeNull();
  });

  it('is repaired also in copies, each flipped bit by itself', () => {
    const [disk, other] = [new MemoryDisk(), new MemoryDisk()];
    disk.write('/a', bytes('aaa'));
    disk.sync('/a');
    const [first, second] = [disk.rot('/a', 9) as Rot, disk.rot('/a', 0) as Rot];
    other.write('/a', disk.read('/a'));
    other.heal('/a', first);
    other.heal('/a', first);
    expect(content(other)).toEqual({ '/a': '`aa' });
    other.heal('/a', second);
    disk.write('/a', bytes('bbb'));
    disk.heal('/a', second);
    disk.heal('/gone', second);
    expect([content(disk), content(other)]).toEqual([{ '/a': 'bbb' }, { '/a': 'aaa' }]);
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

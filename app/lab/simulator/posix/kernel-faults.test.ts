import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { noWatchTroubles } from './directory-watches.ts';
import { EXT4, FILE_SYSTEMS, VFAT } from './file-system-switches.ts';
import { beginFault, drawFault, drawLacks, type KernelFault } from './kernel-faults.ts';
import { Kernel } from './kernel.ts';
import { mount } from './mounting.ts';
import { writeFile } from './program-calls.ts';
import { SimulatedProgramCalls } from './simulated-program-calls.ts';

const USER = { uid: 1000, gid: 1000, groups: [] };
const PAGES = new Uint8Array(8192).fill(1);

function arrange(): { kernel: Kernel; calls: SimulatedProgramCalls } {
  const kernel = new Kernel({ wall: () => 0, random: new SeededRandom(1), root: EXT4 });
  const root = new SimulatedProgramCalls(kernel, { uid: 0, gid: 0, groups: [] }, '/');
  root.mkdir('/disk');
  mount(kernel, '/disk', kernel.makeFileSystem(EXT4));
  root.chmod('/disk', 0o777);
  const calls = new SimulatedProgramCalls(kernel, USER, '/disk');
  writeFile(calls, 'file', PAGES);
  calls.mkdir('dir');
  writeFile(calls, 'dir/inner', PAGES);
  return { kernel, calls };
}

function codeOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

type Act = (calls: SimulatedProgramCalls) => unknown;

const FAULTS: ReadonlyArray<readonly [KernelFault, string, Act]> = [
  [{ kind: 'full', mount: '/disk', free: 0 }, 'ENOSPC', (c) => writeFile(c, 'new', PAGES)],
  [{ kind: 'inode-full', mount: '/disk', free: 0 }, 'ENOSPC', (c) => c.mkdir('new')],
  [{ kind: 'quota', mount: '/disk', uid: 1000, free: 0 }, 'EDQUOT', (c) => c.mkdir('new')],
  [{ kind: 'read-only', mount: '/disk' }, 'EROFS', (c) => c.unlink('file')],
  [{ kind: 'state', mount: '/disk', state: 'dead' }, 'ENOTCONN', (c) => c.lstat('/disk')],
  [{ kind: 'state', mount: '/disk', state: 'silent' }, 'ESILENT', (c) => c.lstat('file')],
  [{ kind: 'away', mount: '/disk' }, 'ENOENT', (c) => c.lstat('file')],
  [{ kind: 'covered', path: '/disk/dir', by: VFAT }, 'ENOENT', (c) => c.lstat('dir/inner')],
  [{ kind: 'covered', path: '/disk/dir', by: VFAT }, 'EBUSY', (c) => c.rename('dir', 'other')],
  [{ kind: 'immutable', path: '/disk/file' }, 'EPERM', (c) => c.unlink('file')],
  [
    { kind: 'refused', path: '/disk/dir', calls: ['read'], code: 'EIO', chance: 1 },
    'EIO',
    (c) => c.read(c.open('dir/inner', 'r'), 1),
  ],
];

describe('a fault of simulated disks', () => {
  it.each(FAULTS)('makes a call fail while it lasts: %j with %s', (fault, code, act) => {
    const { kernel, calls } = arrange();
    expect(JSON.parse(JSON.stringify(fault))).toEqual(fault);
    const end = beginFault(kernel, noWatchTroubles(), fault);
    expect(codeOf(() => act(calls))).toBe(code);
    end();
    expect(codeOf(() => act(calls))).toBeUndefined();
  });

  it('lets a write on a nearly full disk end early', () => {
    const { kernel, calls } = arrange();
    beginFault(kernel, noWatchTroubles(), { kind: 'full', mount: '/disk', free: 1 });
    const fd = calls.open('file2', 'w');
    expect(calls.write(fd, PAGES)).toBe(4096);
    expect(codeOf(() => calls.write(fd, PAGES))).toBe('ENOSPC');
  });

  it('is drawn from a seed, and can be begun and ended with all others', () => {
    const { kernel, calls } = arrange();
    const random = new SeededRandom(3);
    const watches = noWatchTroubles();
    const subjects = {
      paths: ['/disk/file', '/disk/dir', '/disk/none'],
      directories: ['/disk/dir', '/disk'],
      mounts: ['/disk'],
      uid: 1000,
      by: FILE_SYSTEMS,
    };
    const ends = Array.from({ length: 50 }, () =>
      beginFault(kernel, watches, drawFault(random, subjects)),
    );
    for (const end of ends.reverse()) end();
    expect(watches).toEqual(noWatchTroubles());
    expect(calls.readdir('/disk').sort()).toEqual(['dir', 'file']);
    writeFile(calls, 'file', PAGES);
  });

  it('leaves a file system plain data, whatever it lacks', () => {
    const random = new SeededRandom(4);
    for (const switches of FILE_SYSTEMS) {
      const drawn = drawLacks(random, switches);
      expect(JSON.parse(JSON.stringify(drawn))).toEqual(drawn);
    }
  });
});

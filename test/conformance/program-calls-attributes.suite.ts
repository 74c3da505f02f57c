/** The calls of a program on attributes: times, modes, owners, access lists and extended attributes, as root and as an ordinary user. */
import { expect, it } from '@jest/globals';
import { OPEN } from '../../app/lab/simulator/posix/open-flags.ts';
import {
  readFile,
  writeFile,
  type ProgramCalls,
  type Stats,
} from '../../app/lab/simulator/posix/program-calls.ts';
import { IS_ROOT, NOBODY, type ProgramHarness } from './program-calls-harness.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const ACCESS = 'system.posix_acl_access';
const DEFAULT = 'system.posix_acl_default';
/** user::rwx, user:1000:rwx, group::r-x, mask::rwx, other::r-x */
const LIST = aclOf([1, 7], [2, 7, 1000], [4, 5], [16, 7], [32, 5]);

function aclOf(...entries: ReadonlyArray<readonly [number, number, number?]>): Uint8Array {
  const buffer = Buffer.alloc(4 + entries.length * 8);
  buffer.writeUInt32LE(2);
  entries.forEach(([tag, rights, id = 0xffff_ffff], index) => {
    buffer.writeUInt16LE(tag, 4 + index * 8);
    buffer.writeUInt16LE(rights, 6 + index * 8);
    buffer.writeUInt32LE(id, 8 + index * 8);
  });
  return Uint8Array.from(buffer);
}

function codeOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

type Times = ReadonlyArray<'atime' | 'mtime' | 'ctime' | 'birth'>;

/** What changes of a file and of its directory by a call. */
const CHANGES: ReadonlyArray<readonly [string, Times, Times, (calls: ProgramCalls) => void]> = [
  ['a write', ['mtime', 'ctime'], [], (c) => writeFile(c, 'dir/file', bytes('x'), { flags: 'r+' })],
  ['a write of nothing', [], [], (c) => using(c, 'r+', (fd) => c.write(fd, bytes('')))],
  ['an emptying', ['mtime', 'ctime'], [], (c) => using(c, 'w', () => undefined)],
  ['another length', ['mtime', 'ctime'], [], (c) => c.truncate('dir/file', 2)],
  ['a chmod', ['ctime'], [], (c) => c.chmod('dir/file', 0o600)],
  ['a chown', ['ctime'], [], (c) => c.chown('dir/file', -1, -1)],
  ['an extended attribute', ['ctime'], [], (c) => c.setxattr('dir/file', 'user.a', bytes('1'))],
  ['a further name', ['ctime'], ['mtime', 'ctime'], (c) => c.link('dir/file', 'dir/name')],
  ['times that are set', ['atime', 'mtime', 'ctime'], [], (c) => c.utimes('dir/file', 5n, 7n)],
  ['a name beside', [], ['mtime', 'ctime'], (c) => writeFile(c, 'dir/new', bytes(''))],
  ['a directory beside', [], ['mtime', 'ctime'], (c) => c.mkdir('dir/new')],
  ['a rename beside', [], ['mtime', 'ctime'], (c) => c.rename('dir/other', 'dir/new')],
];

function using(calls: ProgramCalls, flags: 'r+' | 'w', act: (fd: number) => unknown): void {
  const fd = calls.open('dir/file', flags);
  act(fd);
  calls.close(fd);
}

export function attributeTests(on: () => ProgramHarness): void {
  timeTests(on);
  modeTests(on);
  rightTests(on);
  xattrTests(on);
}

function timeTests(on: () => ProgramHarness): void {
  it.each(CHANGES)(
    'the times that %s changes are %j, and %j of the directory',
    (_, own, above, act) => {
      const { calls, pass } = on();
      calls.mkdir('dir');
      for (const name of ['file', 'other']) writeFile(calls, `dir/${name}`, bytes('text'));
      pass();
      const before = [calls.lstat('dir/file'), calls.lstat('dir')] as const;
      act(calls);
      const after = [calls.lstat('dir/file'), calls.lstat('dir')] as const;
      expect(changed(before[0], after[0])).toEqual(own);
      expect(changed(before[1], after[1])).toEqual(above);
    },
  );

  it('a read changes the time of access once after each change', () => {
    const { calls, pass } = on();
    writeFile(calls, 'file', bytes('text'));
    const read = (): Times => {
      pass();
      const before = calls.lstat('file');
      readFile(calls, 'file');
      return changed(before, calls.lstat('file'));
    };
    expect(read()).toEqual(['atime']);
    expect(read()).toEqual([]);
    calls.chmod('file', 0o600);
    expect(read()).toEqual(['atime']);
  });

  it('a rename leaves what it moves as it was, but for the time of change', () => {
    const { calls, pass } = on();
    writeFile(calls, 'file', bytes('text'));
    calls.utimes('file', 1_000_000_000n, 1_234_567_890_123_456_789n);
    pass();
    const before = calls.lstat('file');
    calls.rename('file', 'moved');
    expect(changed(before, calls.lstat('moved'))).toEqual(['ctime']);
    expect(calls.lstat('moved').mtime).toBe(1_234_567_890_123_456_789n);
  });

  it('a time is kept to the nanosecond, before 1970 too, on a link itself', () => {
    const { calls } = on();
    calls.symlink('nothing', 'link');
    calls.lutimes('link', 0n, -1_500_000_001n);
    expect(calls.lstat('link').mtime).toBe(-1_500_000_001n);
  });
}

function changed(before: Stats, after: Stats): Times {
  return (['atime', 'mtime', 'ctime', 'birth'] as const).filter(
    (time) => before[time] !== after[time],
  );
}

function modeTests(on: () => ProgramHarness): void {
  it('the umask takes from what is made, and not from what is set', () => {
    const { calls } = on();
    const before = calls.umask(0o027);
    try {
      calls.mkdir('dir', 0o7777);
      writeFile(calls, 'file', bytes(''), { mode: 0o666 });
      expect([calls.lstat('dir').mode, calls.lstat('file').mode]).toEqual([0o1750, 0o640]);
      calls.chmod('file', 0o666);
      expect(calls.lstat('file').mode).toBe(0o666);
    } finally {
      calls.umask(before);
    }
  });

  it('bits that lend rights go when an ordinary user writes, and when the file is given away', () => {
    const { ordinary } = on();
    ordinary((calls) => {
      writeFile(calls, 'file', bytes('text'));
      for (const act of [
        () => writeFile(calls, 'file', bytes('more'), { flags: 'a' }),
        () => calls.truncate('file', 1),
        () => calls.chown('file', -1, -1),
      ]) {
        calls.chmod('file', 0o4755);
        act();
        expect(calls.lstat('file').mode).toBe(0o755);
      }
      calls.mkdir('dir');
      calls.chmod('dir', 0o2755);
      calls.chown('dir', -1, -1);
      expect(calls.lstat('dir').mode & 0o7000).toBe(0o2000);
    });
  });

  it('a setgid directory gives its group, and itself to the directories in it', () => {
    const { calls, ordinary } = on();
    calls.mkdir('dir');
    if (IS_ROOT) calls.chown('dir', -1, 1234);
    calls.chmod('dir', IS_ROOT ? 0o2777 : 0o2755);
    const { gid } = calls.lstat('dir');
    ordinary((own) => {
      own.mkdir('dir/inner');
      writeFile(own, 'dir/file', bytes(''));
    });
    expect(calls.lstat('dir/inner')).toMatchObject({ gid, mode: 0o2755 });
    expect(calls.lstat('dir/file')).toMatchObject({ gid, mode: 0o644 });
  });
}

function rightTests(on: () => ProgramHarness): void {
  it('an ordinary user is asked for every right', () => {
    const { ordinary } = on();
    ordinary((calls) => {
      calls.mkdir('dir');
      writeFile(calls, 'dir/file', bytes('text'));
      calls.chmod('dir/file', 0o000);
      expect(codeOf(() => readFile(calls, 'dir/file'))).toBe('EACCES');
      expect(codeOf(() => calls.setxattr('dir/file', 'user.a', bytes('')))).toBe('EACCES');
      expect(calls.lstat('dir/file').size).toBe(4);
      calls.chmod('dir', 0o500);
      for (const act of [
        () => calls.unlink('dir/file'),
        () => calls.rename('dir/file', 'file'),
        () => writeFile(calls, 'dir/new', bytes('')),
        () => calls.mkdir('dir/new'),
      ]) {
        expect(codeOf(act)).toBe('EACCES');
      }
      expect(codeOf(() => calls.mkdir('dir/file'))).toBe('EEXIST');
      calls.chmod('dir', 0o600);
      expect(calls.readdir('dir')).toEqual(['file']);
      expect(codeOf(() => calls.lstat('dir/file'))).toBe('EACCES');
      calls.close(calls.open('dir', OPEN.path));
      calls.chmod('dir', 0o300);
      expect(codeOf(() => calls.readdir('dir'))).toBe('EACCES');
      calls.unlink('dir/file');
      calls.mkdir('dir/inner');
      calls.chmod('dir/inner', 0o500);
      expect(codeOf(() => calls.rename('dir/inner', 'inner'))).toBe('EACCES');
      calls.rename('dir/inner', 'dir/renamed');
    });
  });

  it('files of others may not be changed, nor taken from a sticky directory', () => {
    const { calls, ordinary } = on();
    if (!IS_ROOT) return;
    calls.mkdir('dir');
    calls.chmod('dir', 0o1777);
    writeFile(calls, 'dir/file', bytes('text'));
    ordinary((own) => {
      for (const act of [
        () => own.chmod('dir/file', 0o777),
        () => own.chown('dir/file', NOBODY, -1),
        () => own.utimes('dir/file', 1n, 1n),
        () => own.unlink('dir/file'),
        () => own.rename('dir/file', 'dir/mine'),
        () => own.link('dir/file', 'mine'),
      ]) {
        expect(codeOf(act)).toBe('EPERM');
      }
      own.symlink('file', 'dir/link');
      expect(codeOf(() => own.rename('dir/link', 'dir/file'))).toBe('EPERM');
      expect(codeOf(() => own.lchown('dir/link', 0, -1))).toBe('EPERM');
    });
  });
}

function xattrTests(on: () => ProgramHarness): void {
  it('extended attributes are set, replaced, listed in order and removed', () => {
    const { calls } = on();
    writeFile(calls, 'file', bytes(''));
    calls.setxattr('file', 'user.b', bytes('1'));
    calls.setxattr('file', 'user.a', bytes(''));
    calls.setxattr('file', 'user.b', bytes('22'));
    expect(calls.listxattr('file')).toEqual(['user.a', 'user.b']);
    expect(calls.getxattr('file', 'user.b')).toEqual(bytes('22'));
    calls.removexattr('file', 'user.b');
    expect(codeOf(() => calls.getxattr('file', 'user.b'))).toBe('ENODATA');
    expect(codeOf(() => calls.removexattr('file', 'user.b'))).toBe('ENODATA');
    expect(codeOf(() => calls.setxattr('file', 'other.a', bytes('')))).toBe('ENOTSUP');
    expect(codeOf(() => calls.setxattr('file', `user.${'n'.repeat(251)}`, bytes('')))).toBe(
      'ERANGE',
    );
    expect(codeOf(() => calls.setxattr('file', 'user.a', new Uint8Array(65_537)))).toBe('E2BIG');
  });

  it('an access list shows in the mode, gives rights, and is changed by chmod', () => {
    const { calls } = on();
    writeFile(calls, 'file', bytes(''), { mode: 0o600 });
    calls.setxattr('file', ACCESS, LIST);
    expect(calls.lstat('file').mode).toBe(0o775);
    calls.chmod('file', 0o640);
    const masked = aclOf([1, 6], [2, 7, 1000], [4, 5], [16, 4], [32, 0]);
    expect(calls.getxattr('file', ACCESS)).toEqual(masked);
    calls.setxattr('file', ACCESS, aclOf([1, 6], [4, 4], [32, 4]));
    expect(calls.lstat('file').mode).toBe(0o644);
    expect(calls.listxattr('file')).toEqual([]);
    expect(codeOf(() => calls.setxattr('file', ACCESS, aclOf([1, 6], [32, 4])))).toBe('EINVAL');
  });

  it('a default list goes to what is made in its directory, in the place of the umask', () => {
    const { calls } = on();
    calls.mkdir('dir');
    calls.setxattr('dir', DEFAULT, LIST);
    writeFile(calls, 'dir/file', bytes(''), { mode: 0o666 });
    calls.mkdir('dir/inner', 0o777);
    expect([calls.lstat('dir/file').mode, calls.lstat('dir/inner').mode]).toEqual([0o664, 0o775]);
    const given = aclOf([1, 6], [2, 7, 1000], [4, 5], [16, 6], [32, 4]);
    expect(calls.getxattr('dir/file', ACCESS)).toEqual(given);
    expect(calls.listxattr('dir/inner')).toEqual([ACCESS, DEFAULT]);
    expect(codeOf(() => calls.setxattr('dir/file', DEFAULT, LIST))).toBe('EACCES');
  });

  it('a capability is for root to give, and goes with a write', () => {
    const { calls, ordinary } = on();
    if (!IS_ROOT) return;
    // cap_net_raw=ep
    const capability = Uint8Array.from([1, 0, 0, 2, 0, 32, 0, 0, ...new Array<number>(12).fill(0)]);
    writeFile(calls, 'file', bytes('text'));
    calls.chmod('file', 0o666);
    calls.setxattr('file', 'security.capability', capability);
    expect(calls.listxattr('file')).toEqual(['security.capability']);
    ordinary((own) => writeFile(own, 'file', bytes('x'), { flags: 'r+' }));
    expect(calls.listxattr('file')).toEqual([]);
  });
}

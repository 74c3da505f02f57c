/**
 * What every kernel must do for the calls of a program (app/lab/simulator/posix/program-calls.ts). The simulated one and that of this machine pass the
 * same cases; what random programs find is in program-calls-random.suite.ts.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OPEN } from '../../app/lab/simulator/posix/open-flags.ts';
import {
  readFile,
  writeFile,
  type ProgramCalls,
} from '../../app/lab/simulator/posix/program-calls.ts';
import { attributeTests } from './program-calls-attributes.suite.ts';
import type { MakeHarness, ProgramHarness } from './program-calls-harness.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export function codeOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

export function programCallsConformance(name: string, make: MakeHarness): void {
  describe(`the calls of a program (${name})`, () => {
    let harness: ProgramHarness;
    const on = (): ProgramHarness => harness;
    const calls = (): ProgramCalls => harness.calls;
    beforeEach(() => {
      harness = make();
    });
    afterEach(() => harness.end());
    describe('refusals of names', () => refusalTests(calls));
    describe('walks along paths', () => walkTests(calls));
    describe('open files', () => openTests(on));
    describe('contents of files', () => contentTests(on));
    describe('listings of directories', () => listingTests(calls));
    describe('attributes of inodes', () => attributeTests(on));
  });
}

/** A tree in which nearly everything can be refused. */
function arrange(calls: ProgramCalls): void {
  writeFile(calls, 'file', bytes('text'));
  writeFile(calls, 'other', bytes('other'));
  calls.mkdir('dir');
  calls.mkdir('dir/inner');
  calls.mkdir('empty');
  calls.symlink('file', 'link');
  calls.symlink('dir', 'to-dir');
  calls.symlink('nothing', 'dangling');
  calls.symlink('loop', 'loop');
}

const LONG = 'n'.repeat(256);

type Act = (calls: ProgramCalls) => unknown;

const REFUSALS: ReadonlyArray<readonly [string, string | undefined, Act]> = [
  ['mkdir of what is there', 'EEXIST', (c) => c.mkdir('dir')],
  ['mkdir of a dangling link', 'EEXIST', (c) => c.mkdir('dangling')],
  ['mkdir of a dot', 'EEXIST', (c) => c.mkdir('dir/.')],
  ['mkdir beneath nothing', 'ENOENT', (c) => c.mkdir('none/new')],
  ['mkdir beneath a file', 'ENOTDIR', (c) => c.mkdir('file/new')],
  ['mkdir of a name that is too long', 'ENAMETOOLONG', (c) => c.mkdir(LONG)],
  ['mkdir with a slash at the end', undefined, (c) => c.mkdir('new/')],
  ['mkdir of nothing', 'ENOENT', (c) => c.mkdir('')],
  ['rmdir of what is full', 'ENOTEMPTY', (c) => c.rmdir('dir')],
  ['rmdir of a file', 'ENOTDIR', (c) => c.rmdir('file')],
  ['rmdir of a link to a directory', 'ENOTDIR', (c) => c.rmdir('to-dir')],
  ['rmdir of a dot', 'EINVAL', (c) => c.rmdir('empty/.')],
  ['rmdir of two dots', 'ENOTEMPTY', (c) => c.rmdir('dir/inner/..')],
  ['unlink of a directory', 'EISDIR', (c) => c.unlink('dir')],
  ['unlink of nothing', 'ENOENT', (c) => c.unlink('none')],
  ['unlink of a file with a slash', 'ENOTDIR', (c) => c.unlink('file/')],
  ['rename of a file to a directory', 'EISDIR', (c) => c.rename('file', 'empty')],
  ['rename of a directory to a file', 'ENOTDIR', (c) => c.rename('dir', 'file')],
  ['rename of a directory to an empty one', undefined, (c) => c.rename('dir', 'empty')],
  ['rename of a directory to a full one', 'ENOTEMPTY', (c) => c.rename('empty', 'dir')],
  ['rename of a directory into itself', 'EINVAL', (c) => c.rename('dir', 'dir/inner/new')],
  ['rename onto a directory above', 'ENOTEMPTY', (c) => c.rename('dir/inner', 'dir')],
  ['rename of nothing', 'ENOENT', (c) => c.rename('none', 'new')],
  ['rename of a dot', 'EBUSY', (c) => c.rename('dir/.', 'new')],
  ['rename to a dot', 'EBUSY', (c) => c.rename('empty', 'dir/.')],
  ['rename of a file to a name with a slash', 'ENOTDIR', (c) => c.rename('file', 'new/')],
  ['rename of a directory to a name with a slash', undefined, (c) => c.rename('dir', 'new/')],
  ['rename to a name that is too long', 'ENAMETOOLONG', (c) => c.rename('file', LONG)],
  [
    'rename that replaces nothing to what is there',
    'EEXIST',
    (c) => c.renameNoReplace('file', 'other'),
  ],
  ['rename that replaces nothing to itself', 'EEXIST', (c) => c.renameNoReplace('file', 'file')],
  [
    'rename that replaces nothing to a dangling link',
    'EEXIST',
    (c) => c.renameNoReplace('file', 'dangling'),
  ],
  ['exchange with nothing', 'ENOENT', (c) => c.exchange('file', 'none')],
  ['exchange of a file and a directory', undefined, (c) => c.exchange('file', 'dir')],
  ['exchange with a directory above', 'EINVAL', (c) => c.exchange('dir/inner', 'dir')],
  ['link of a directory', 'EPERM', (c) => c.link('dir', 'new')],
  ['link to what is there', 'EEXIST', (c) => c.link('file', 'other')],
  ['link of nothing', 'ENOENT', (c) => c.link('none', 'new')],
  ['link to a name with a slash', 'ENOENT', (c) => c.link('file', 'new/')],
  ['symlink to nowhere', 'ENOENT', (c) => c.symlink('', 'new')],
  ['symlink over what is there', 'EEXIST', (c) => c.symlink('file', 'link')],
  [
    'symlink to a target that is too long',
    'ENAMETOOLONG',
    (c) => c.symlink('t'.repeat(4096), 'new'),
  ],
  ['readlink of a file', 'EINVAL', (c) => c.readlink('file')],
  ['open of a directory to write', 'EISDIR', (c) => c.open('dir', 'r+')],
  ['open of a directory to make it', 'EISDIR', (c) => c.open('dir', OPEN.readOnly | OPEN.create)],
  ['open of a file as a directory', 'ENOTDIR', (c) => c.open('file', OPEN.directory)],
  ['open of a link without following', 'ELOOP', (c) => c.open('link', OPEN.noFollow)],
  [
    'open of a link as a directory without following',
    'ENOTDIR',
    (c) => c.open('to-dir', OPEN.directory | OPEN.noFollow),
  ],
  ['open of a new file that is there', 'EEXIST', (c) => c.open('file', 'wx')],
  ['open of a new file where a link is', 'EEXIST', (c) => c.open('dangling', 'wx')],
  ['open of a new file with a slash', 'EISDIR', (c) => c.open('new/', 'w')],
  ['open of a file with a slash', 'ENOTDIR', (c) => c.open('file/', 'r')],
  ['open of a loop', 'ELOOP', (c) => c.open('loop', 'r')],
  ['truncate of a directory', 'EISDIR', (c) => c.truncate('dir', 0)],
  ['stat of a dangling link', 'ENOENT', (c) => c.stat('dangling')],
  ['lstat through a dangling link', 'ENOENT', (c) => c.lstat('dangling/x')],
  ['lstat of a file with a slash', 'ENOTDIR', (c) => c.lstat('file/')],
  ['readdir of a file', 'ENOTDIR', (c) => c.readdir('file')],
  ['mkfifo over what is there', 'EEXIST', (c) => c.mkfifo('file')],
];

function refusalTests(calls: () => ProgramCalls): void {
  it.each(REFUSALS)('the kernel answers a %s with %s', (_, code, act) => {
    arrange(calls());
    expect(codeOf(() => act(calls()))).toBe(code);
  });

  it('a name has 255 bytes at most, whatever its characters are', () => {
    const c = calls();
    writeFile(c, 'ä'.repeat(127), bytes(''));
    expect(codeOf(() => writeFile(c, 'ä'.repeat(128), bytes('')))).toBe('ENAMETOOLONG');
  });

  it('a path has 4,095 bytes at most, and deeper files are reached by shorter ones', () => {
    const c = calls();
    const room = 4095 - c.cwd.length - 1;
    const path = './'.repeat(Math.floor((room - 1) / 2)) + (room % 2 === 0 ? '/x' : 'x');
    expect(codeOf(() => c.lstat(path))).toBe('ENOENT');
    expect(codeOf(() => c.lstat(`./${path}`))).toBe('ENAMETOOLONG');
  });

  it('a name that is no UTF-8 is one of its own', () => {
    const c = calls();
    for (const last of [0xfe, 0xff]) {
      writeFile(c, Uint8Array.of(0x61, last), bytes(String(last)));
    }
    expect(c.readdir('.')).toEqual(['a\ufffd', 'a\ufffd']);
    const found = c.readdirBytes('.').map((name) => [...name].at(-1) ?? 0);
    expect(found.sort((a, b) => a - b)).toEqual([0xfe, 0xff]);
    expect(codeOf(() => c.lstat('a\ufffd'))).toBe('ENOENT');
    expect(readFile(c, Uint8Array.of(0x61, 0xff))).toEqual(bytes('255'));
  });
}

function walkTests(calls: () => ProgramCalls): void {
  it('links lead on from where they are, and two dots from where they lead', () => {
    const c = calls();
    c.mkdir('a');
    c.mkdir('a/b');
    c.symlink('a/b', 'short');
    writeFile(c, 'a/file', bytes('in a'));
    expect(readFile(c, 'short/../file')).toEqual(bytes('in a'));
    c.symlink(`${c.cwd}/a`, 'a/b/absolute');
    expect(readFile(c, 'short/absolute/file')).toEqual(bytes('in a'));
    expect(c.lstat('short/').kind).toBe('directory');
    expect(c.lstat('short').kind).toBe('symlink');
  });

  it('forty links in a row are followed, and no more', () => {
    const c = calls();
    writeFile(c, 'link0', bytes('end'));
    for (let count = 1; count <= 41; count++) c.symlink(`link${count - 1}`, `link${count}`);
    expect(readFile(c, 'link40')).toEqual(bytes('end'));
    expect(codeOf(() => readFile(c, 'link41'))).toBe('ELOOP');
  });

  it('a file is made where a link leads that leads to nothing', () => {
    const c = calls();
    c.mkdir('dir');
    c.symlink('dir/new', 'link');
    writeFile(c, 'link', bytes('made'));
    expect(readFile(c, 'dir/new')).toEqual(bytes('made'));
  });

  it('an open directory is a path, wherever its name is', () => {
    const c = calls();
    c.mkdir('dir');
    writeFile(c, 'dir/file', bytes('text'));
    const fd = c.open('dir', OPEN.path | OPEN.directory);
    c.rename('dir', 'moved');
    expect(readFile(c, `/proc/self/fd/${fd}/file`)).toEqual(bytes('text'));
    expect(c.lstat(`/proc/self/fd/${fd}`).kind).toBe('symlink');
    expect(c.lstat(`/proc/self/fd/${fd}/.`).ino).toBe(c.lstat('moved').ino);
    expect(c.readlink(`/proc/self/fd/${fd}`)).toBe(`${c.cwd}/moved`);
    c.unlink('moved/file');
    c.rmdir('moved');
    expect(codeOf(() => writeFile(c, `/proc/self/fd/${fd}/new`, bytes('')))).toBe('ENOENT');
    c.close(fd);
    expect(codeOf(() => c.lstat(`/proc/self/fd/${fd}/file`))).toBe('ENOENT');
  });
}

function openTests(on: () => ProgramHarness): void {
  it('a file without a name is one until it is closed', () => {
    const c = on().calls;
    const fd = c.open('.', OPEN.temporary | OPEN.readWrite, 0o640);
    c.write(fd, bytes('hidden'));
    expect(c.fstat(fd)).toMatchObject({ links: 0, size: 6, mode: 0o640 });
    expect(c.readdir('.')).toEqual([]);
    c.close(fd);
    expect(codeOf(() => c.open('.', OPEN.temporary))).toBe('EINVAL');
  });

  it('a file lives on for who has it open, after another has taken its name', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('old'));
    const fd = c.open('file', 'r+');
    writeFile(c, 'new', bytes('new'));
    c.rename('new', 'file');
    c.write(fd, bytes('OLD'));
    expect(c.pread(fd, 10, 0)).toEqual(bytes('OLD'));
    expect(c.fstat(fd).links).toBe(0);
    expect(readFile(c, 'file')).toEqual(bytes('new'));
    c.close(fd);
  });

  it('a descriptor that stands for a path is neither read nor changed', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('text'), { mode: 0o600 });
    const fd = c.open('file', OPEN.path);
    for (const act of [
      () => c.read(fd, 1),
      () => c.write(fd, bytes('x')),
      () => c.fchmod(fd, 0o777),
      () => c.fsync(fd),
    ]) {
      expect(codeOf(act)).toBe('EBADF');
    }
    expect(c.fstat(fd).size).toBe(4);
    c.close(fd);
    expect(codeOf(() => c.fstat(fd))).toBe('EBADF');
  });

  it('a link itself can be open, and nothing is read by it', () => {
    const c = on().calls;
    c.symlink('nothing', 'link');
    const fd = c.open('link', OPEN.path | OPEN.noFollow);
    expect(c.fstat(fd).kind).toBe('symlink');
    c.close(fd);
  });

  it('a lock keeps others out until it is given back', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes(''));
    const [one, other] = [c.open('file', 'r+'), c.open('file', 'r+')];
    expect(c.lock(one)).toBe(true);
    expect(c.lock(other)).toBe(false);
    c.unlock(one);
    expect(c.lock(other)).toBe(true);
    c.close(one);
    c.close(other);
  });

  it('a FIFO that nobody reads is opened to read, and not to write', () => {
    const c = on().calls;
    c.mkfifo('fifo', 0o600);
    expect(c.lstat('fifo')).toMatchObject({ kind: 'fifo', mode: 0o600 });
    expect(codeOf(() => c.open('fifo', OPEN.writeOnly | OPEN.nonBlocking))).toBe('ENXIO');
    c.close(c.open('fifo', OPEN.nonBlocking));
  });
}

function contentTests(on: () => ProgramHarness): void {
  it('a write at a place leaves a hole before it, which takes no room', () => {
    const c = on().calls;
    const fd = c.open('file', 'w+');
    c.pwrite(fd, bytes('end'), 1_000_000);
    expect(c.fstat(fd).size).toBe(1_000_003);
    expect(c.fstat(fd).blocks).toBeLessThan(100);
    expect(c.pread(fd, 4, 999_998)).toEqual(Uint8Array.of(0, 0, 0x65, 0x6e));
    expect(c.pread(fd, 4, 2_000_000).length).toBe(0);
    c.ftruncate(fd, 500_000);
    c.ftruncate(fd, 1_000_003);
    expect(c.pread(fd, 3, 1_000_000)).toEqual(Uint8Array.of(0, 0, 0));
    c.close(fd);
  });

  it('a write that appends comes to the end, wherever it is to be', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('one'));
    const fd = c.open('file', 'a+');
    c.pwrite(fd, bytes(' two'), 0);
    c.write(fd, bytes(' three'));
    expect(readFile(c, 'file')).toEqual(bytes('one two three'));
    c.close(fd);
  });

  it('reads go on where the last ended, and writes share the place', () => {
    const c = on().calls;
    const fd = c.open('file', 'w+');
    c.write(fd, bytes('abcdef'));
    expect(c.read(fd, 3).length).toBe(0);
    expect(c.pread(fd, 3, 1)).toEqual(bytes('bcd'));
    c.write(fd, bytes('g'));
    expect(readFile(c, 'file')).toEqual(bytes('abcdefg'));
    c.close(fd);
  });

  it('a file that is emptied loses its rest for all who have it open', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('a long text'));
    const fd = c.open('file', 'r');
    expect(c.read(fd, 2)).toEqual(bytes('a '));
    writeFile(c, 'file', bytes('b'));
    expect(c.read(fd, 2).length).toBe(0);
    c.close(fd);
  });

  it('only who may read reads, and only who may write writes', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('text'));
    const [reader, writer] = [c.open('file', 'r'), c.open('file', OPEN.writeOnly)];
    expect(codeOf(() => c.write(reader, bytes('x')))).toBe('EBADF');
    expect(codeOf(() => c.read(writer, 1))).toBe('EBADF');
    expect(codeOf(() => c.ftruncate(reader, 0))).toBe('EINVAL');
    c.close(reader);
    c.close(writer);
  });

  it('a mapping is written to, and lives on when its file is closed', () => {
    const c = on().calls;
    writeFile(c, 'file', bytes('text'));
    const fd = c.open('file', 'r+');
    const mapping = c.map(fd);
    c.close(fd);
    mapping.write(1, bytes('EX'));
    expect(codeOf(() => mapping.write(3, bytes('yz')))).toBe('EFAULT');
    mapping.sync();
    mapping.unmap();
    expect(readFile(c, 'file')).toEqual(bytes('tEXt'));
  });
}

function listingTests(calls: () => ProgramCalls): void {
  it('a thousand names are listed once each, while others come and go', () => {
    const c = calls();
    c.mkdir('dir');
    for (let count = 0; count < 1000; count++) writeFile(c, `dir/stays ${count}`, bytes(''));
    for (let count = 0; count < 200; count++) writeFile(c, `dir/goes ${count}`, bytes(''));
    const reader = c.opendir('dir');
    const seen: string[] = [];
    for (let name = reader.next(); name !== null; name = reader.next()) {
      seen.push(name);
      const count = seen.length;
      if (count <= 200) c.unlink(`dir/goes ${count - 1}`);
      if (count <= 200) writeFile(c, `dir/comes ${count}`, bytes(''));
    }
    reader.close();
    const stays = seen.filter((name) => name.startsWith('stays'));
    expect(stays.length).toBe(1000);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('a directory counts those in it, and a file its names', () => {
    const c = calls();
    c.mkdir('dir');
    expect(c.lstat('dir').links).toBe(2);
    c.mkdir('dir/inner');
    expect(c.lstat('dir').links).toBe(3);
    writeFile(c, 'dir/file', bytes(''));
    c.link('dir/file', 'dir/inner/name');
    expect([c.lstat('dir').links, c.lstat('dir/file').links]).toEqual([3, 2]);
    c.rename('dir/inner', 'moved');
    expect(c.lstat('dir').links).toBe(2);
    c.unlink('moved/name');
    expect(c.lstat('dir/file').links).toBe(1);
  });

  it('a number goes with its inode through renames, and the two of an exchange change places', () => {
    const c = calls();
    for (const name of ['one', 'two']) writeFile(c, name, bytes(name));
    const [one, two] = [c.lstat('one').ino, c.lstat('two').ino];
    c.exchange('one', 'two');
    expect([c.lstat('one').ino, c.lstat('two').ino]).toEqual([two, one]);
    c.link('one', 'again');
    c.rename('one', 'again');
    expect(c.readdir('.').sort()).toEqual(['again', 'one', 'two']);
  });
}

/** What every Host must do (shared/ports/host.ts). File systems differ: what one can't do must fail as the port says. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  lstatSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Host } from '../../shared/ports/host.ts';

/** What a file system without reflinks may say. */
const NO_REFLINK = ['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL'];
/** BLAKE3 of nothing. */
const EMPTY_DIGEST = 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';

let folder: string;
let host: Host;
const at = (name: string): string => join(folder, name);

/** The code of what a call throws; undefined where it doesn't. */
function codeOf(call: () => void): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

export function hostConformance(name: string, make: () => Host): void {
  describe(`the Host port (${name})`, () => {
    beforeEach(() => {
      host = make();
      folder = mkdtempSync(join(tmpdir(), 'godwit-host-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    describe('time', timeTests);
    describe('renames and copies', renameTests);
    describe('ways beneath a root', beneathTests);
    describe('attributes', attributeTests);
    describe('locks and sockets', lockTests);
    describe('who writes', writerTests);
    describe('digests', digestTests);
  });
}

function timeTests(): void {
  it('the boot clock goes forward', () => {
    const first = host.bootTimeMs();
    expect(first).toBeGreaterThan(0);
    expect(host.bootTimeMs()).toBeGreaterThanOrEqual(first);
  });

  it.each([0n, 1n, 1_700_000_000_123_456_789n, -1n, -1_500_000_000n])(
    'the host sets a time of %d ns and leaves the access time',
    (time) => {
      writeFileSync(at('a'), 'x');
      const before = statSync(at('a'), { bigint: true }).atimeNs;
      host.setMtime(at('a'), time);
      const after = statSync(at('a'), { bigint: true });
      expect(after.mtimeNs).toBe(time);
      expect(after.atimeNs).toBe(before);
    },
  );

  it('the host sets the time of a symlink itself', () => {
    writeFileSync(at('target'), 'x');
    symlinkSync('target', at('link'));
    const before = statSync(at('target'), { bigint: true }).mtimeNs;
    host.setMtime(at('link'), 42n);
    expect(lstatSync(at('link'), { bigint: true }).mtimeNs).toBe(42n);
    expect(statSync(at('target'), { bigint: true }).mtimeNs).toBe(before);
  });

  it('the host reports ENOENT for a missing file and EINVAL for an impossible path or time', () => {
    expect(
      codeOf(() => {
        host.setMtime(at('none'), 1n);
      }),
    ).toBe('ENOENT');
    expect(
      codeOf(() => {
        host.setMtime(at('a\0b'), 1n);
      }),
    ).toBe('EINVAL');
    expect(
      codeOf(() => {
        host.setMtime(folder, 2n ** 80n);
      }),
    ).toBe('EINVAL');
  });
}

function renameTests(): void {
  it('a rename without replacement refuses an existing target', () => {
    writeFileSync(at('a'), 'a');
    writeFileSync(at('b'), 'b');
    expect(
      codeOf(() => {
        host.renameNoReplace(at('a'), at('b'));
      }),
    ).toBe('EEXIST');
    host.renameNoReplace(at('a'), at('c'));
    expect(readdirSync(folder).sort()).toEqual(['b', 'c']);
    expect(
      codeOf(() => {
        host.renameNoReplace(at('a'), at('d'));
      }),
    ).toBe('ENOENT');
  });

  it('a rename without replacement refuses an existing empty folder', () => {
    mkdirSync(at('a'));
    mkdirSync(at('b'));
    expect(
      codeOf(() => {
        host.renameNoReplace(at('a'), at('b'));
      }),
    ).toBe('EEXIST');
  });

  it('an exchange swaps two names', () => {
    writeFileSync(at('file'), 'x');
    mkdirSync(at('folder'));
    host.renameExchange(at('file'), at('folder'));
    expect([statSync(at('file')).isDirectory(), statSync(at('folder')).isFile()]).toEqual([
      true,
      true,
    ]);
    expect(
      codeOf(() => {
        host.renameExchange(at('file'), at('none'));
      }),
    ).toBe('ENOENT');
  });

  it('a reflink succeeds, or is refused by the file system and leaves nothing', () => {
    writeFileSync(at('a'), 'content');
    const code = codeOf(() => {
      host.reflink(at('a'), at('b'));
    });
    if (code === undefined) expect(readFileSync(at('b'), 'utf8')).toBe('content');
    else {
      expect(NO_REFLINK).toContain(code);
      expect(readdirSync(folder)).toEqual(['a']);
    }
  });

  it('a reflink never replaces an existing file', () => {
    writeFileSync(at('a'), 'new');
    writeFileSync(at('b'), 'old');
    expect(
      codeOf(() => {
        host.reflink(at('a'), at('b'));
      }),
    ).toBe('EEXIST');
    expect(readFileSync(at('b'), 'utf8')).toBe('old');
  });

  it('a sync of a folder succeeds, and other paths are refused', () => {
    host.syncDirectory(folder);
    writeFileSync(at('a'), 'x');
    expect(
      codeOf(() => {
        host.syncDirectory(at('a'));
      }),
    ).toBe('ENOTDIR');
    expect(
      codeOf(() => {
        host.syncDirectory(at('none'));
      }),
    ).toBe('ENOENT');
  });

  it('a sync of a path does not block JavaScript and returns the length of the file', async () => {
    writeFileSync(at('a'), 'four');
    expect(await host.syncPath(at('a'))).toBe(4);
    await host.syncPath(folder);
    await expect(host.syncPath(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a sync of the data of an open file succeeds, and a closed one is refused', async () => {
    writeFileSync(at('a'), 'four');
    const fd = openSync(at('a'), 'r');
    await Promise.all([host.syncData(fd), host.syncData(fd)]);
    closeSync(fd);
    await expect(host.syncData(fd)).rejects.toMatchObject({ code: 'EBADF' });
  });

  it('a join of short files can be taken apart again', async () => {
    const texts = ['one', '', 'three'];
    const from = texts.map((text, index) => {
      writeFileSync(at(`part ${index}`), text);
      return { path: at(`part ${index}`), length: text.length };
    });
    await host.joinFiles(from, at('joined'));
    expect(readFileSync(at('joined'), 'utf8')).toBe('onethree');
    const parts = await host.readParts(at('joined'), [3, 0, 5]);
    expect(parts.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(texts);
    const digests = await Promise.all(from.map(({ path }) => host.digestFile(path)));
    expect(parts.map(({ digest }) => digest)).toEqual(digests.map(({ digest }) => digest));
  });

  it.each([
    ['longer', 2],
    ['shorter', 4],
  ])('a join is refused when a file is %s than declared', async (_, length) => {
    writeFileSync(at('a'), 'one');
    const joined = host.joinFiles([{ path: at('a'), length }], at('joined'));
    await expect(joined).rejects.toMatchObject({ code: 'EIO' });
    expect(existsSync(at('joined'))).toBe(false);
    await expect(host.readParts(at('a'), [length])).rejects.toMatchObject({ code: 'EINVAL' });
  });

  it('a join neither replaces an existing file nor includes a missing one', async () => {
    writeFileSync(at('a'), 'one');
    writeFileSync(at('b'), 'two');
    const a = { path: at('a'), length: 3 };
    await expect(host.joinFiles([a], at('b'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(at('b'), 'utf8')).toBe('two');
    const none = { path: at('none'), length: 3 };
    await expect(host.joinFiles([a, none], at('c'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(existsSync(at('c'))).toBe(false);
    await expect(host.readParts(at('none'), [3])).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a sync of many paths at once returns each result', async () => {
    writeFileSync(at('a'), 'four');
    writeFileSync(at('b'), '');
    const ends = await host.syncPaths([at('a'), at('none'), at('b'), folder]);
    expect(ends.slice(0, 3)).toMatchObject([4, { code: 'ENOENT' }, 0]);
    expect(ends[3]).toEqual(expect.any(Number));
    expect(await host.syncPaths([])).toEqual([]);
  });
}

function writerTests(): void {
  it('the host reports whether a file is open for writing, or that it cannot know', () => {
    writeFileSync(at('a'), 'one');
    const atRest = host.isBeingWritten(at('a'));
    expect([false, null]).toContain(atRest);
    const reader = openSync(at('a'), 'r');
    expect(host.isBeingWritten(at('a'))).toBe(atRest);
    closeSync(reader);
    const writer = openSync(at('a'), 'a');
    expect(host.isBeingWritten(at('a'))).toBe(atRest === null ? null : true);
    closeSync(writer);
    expect(host.isBeingWritten(at('a'))).toBe(atRest);
    expect(codeOf(() => void host.isBeingWritten(at('none')))).toBe('ENOENT');
  });

  it('the check for writers disturbs no program that opens the file meanwhile', async () => {
    writeFileSync(at('a'), '');
    const opens = `const { appendFileSync } = require('node:fs');
      for (let i = 0; i < 3000; i++) appendFileSync(process.argv[1], 'x');`;
    const child = spawn(process.execPath, ['-e', opens, at('a')]);
    const ended = once(child, 'exit');
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (!isOver) {
      for (let i = 0; i < 200; i++) host.isBeingWritten(at('a'));
      await setImmediate();
    }
    expect(await ended).toEqual([0, null]);
    expect(statSync(at('a')).size).toBe(3000);
  });
}

function beneathTests(): void {
  const open = (path: string, as: 'directory' | 'file'): void =>
    closeSync(host.openBeneath(folder, path, as));

  it('an open beneath a root yields files and directories that survive renames', () => {
    mkdirSync(at('d/e'), { recursive: true });
    writeFileSync(at('d/e/file'), 'text');
    open('', 'directory');
    const [dir, file] = [
      host.openBeneath(folder, 'd/e', 'directory'),
      host.openBeneath(folder, 'd/e/file', 'file'),
    ];
    renameSync(at('d'), at('gone'));
    symlinkSync('/', at('d'));
    expect(readdirSync(`/proc/self/fd/${dir}`)).toEqual(['file']);
    expect(readFileSync(`/proc/self/fd/${file}`, 'utf8')).toBe('text');
    closeSync(dir);
    closeSync(file);
  });

  it('an open beneath a root never follows a link and never leads outside', () => {
    mkdirSync(at('d'));
    writeFileSync(at('d/file'), 'text');
    symlinkSync('d', at('inward'));
    symlinkSync('/etc', at('outward'));
    symlinkSync('file', at('d/link'));
    for (const path of ['inward/file', 'outward/passwd', 'd/link']) {
      expect(codeOf(() => open(path, 'file'))).toBe('ELOOP');
    }
    for (const path of ['..', 'd/../..', '/etc']) {
      expect(codeOf(() => open(path, 'directory'))).toBe('EXDEV');
    }
    expect(['ELOOP', 'ENOTDIR']).toContain(codeOf(() => open('outward', 'directory')));
  });

  it('an open beneath a root reports other kinds of files without waiting', async () => {
    mkdirSync(at('d'));
    writeFileSync(at('file'), 'x');
    spawnSync('mkfifo', [at('fifo')]);
    expect(codeOf(() => open('fifo', 'file'))).toBe('EINVAL');
    expect(codeOf(() => open('d', 'file'))).toBe('EISDIR');
    expect(codeOf(() => open('file', 'directory'))).toBe('ENOTDIR');
    expect(codeOf(() => open('none/x', 'file'))).toBe('ENOENT');
    expect(codeOf(() => open('a\0b', 'file'))).toBe('EINVAL');
    expect(codeOf(() => open('x/'.repeat(2100), 'file'))).toBe('ENAMETOOLONG');
    await expect(host.digestFile(at('fifo'))).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(host.copyFile(at('fifo'), at('copy'), { sync: false })).rejects.toMatchObject({
      code: 'EINVAL',
    });
    expect(existsSync(at('copy'))).toBe(false);
  });
}

function attributeTests(): void {
  it('extended attributes can be set, listed in byte order and removed', () => {
    writeFileSync(at('a'), 'x');
    expect(host.listXattrs(at('a'))).toEqual([]);
    const values = { zeta: [1, 0, 2], 'a.b': [], é: [255], Z: [7] };
    for (const [name, value] of Object.entries(values))
      host.setXattr(at('a'), name, Uint8Array.from(value));
    host.setXattr(at('a'), 'zeta', Uint8Array.from([9]));
    const listed = host.listXattrs(at('a'));
    expect(listed.map(({ name, value }) => [name, [...value]])).toEqual([
      ['Z', [7]],
      ['a.b', []],
      ['zeta', [9]],
      ['é', [255]],
    ]);
    host.removeXattr(at('a'), 'Z');
    expect(host.listXattrs(at('a'))).toHaveLength(3);
    expect(
      codeOf(() => {
        host.removeXattr(at('a'), 'Z');
      }),
    ).toBe('ENODATA');
  });

  it('extended attributes are absent on a symlink, whatever its target has', () => {
    writeFileSync(at('target'), 'x');
    host.setXattr(at('target'), 'k', Uint8Array.from([1]));
    symlinkSync('target', at('link'));
    expect(host.listXattrs(at('link'))).toEqual([]);
  });

  it('extended attributes of a missing file are reported as ENOENT', () => {
    expect(
      codeOf(() => {
        host.listXattrs(at('none'));
      }),
    ).toBe('ENOENT');
    expect(
      codeOf(() => {
        host.setXattr(at('none'), 'k', new Uint8Array(0));
      }),
    ).toBe('ENOENT');
  });
}

function lockTests(): void {
  it('a lock is granted once, and again after its release', () => {
    const first = host.lockFile(at('lock'));
    expect(first).not.toBeNull();
    expect(statSync(at('lock')).mode & 0o777).toBe(0o600);
    expect(host.lockFile(at('lock'))).toBeNull();
    first?.release();
    first?.release();
    const second = host.lockFile(at('lock'));
    expect(second).not.toBeNull();
    second?.release();
  });

  it('a lock leaves the contents of its file unchanged', () => {
    writeFileSync(at('lock'), 'pid 1');
    host.lockFile(at('lock'))?.release();
    expect(readFileSync(at('lock'), 'utf8')).toBe('pid 1');
    expect(codeOf(() => host.lockFile(at('none/lock')))).toBe('ENOENT');
  });

  it('a lock that cannot be taken is reported with its path', () => {
    mkdirSync(at('folder'));
    const told = expect.objectContaining({ code: 'EISDIR', path: at('folder') }) as unknown;
    expect(() => host.lockFile(at('folder'))).toThrow(told);
  });

  it('the host knows the process at the other end of a socket', async () => {
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    const client = createConnection(at('socket'));
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const { fd } = (accepted as unknown as { _handle: { fd: number } })._handle;
    const { pid, uid, gid } = host.peerCredentials(fd);
    expect([pid, uid, gid]).toEqual([process.pid, process.getuid?.(), process.getgid?.()]);
    client.destroy();
    accepted.destroy();
    server.close();
    await once(server, 'close');
  });

  it('the host refuses a descriptor that is no socket', () => {
    expect(codeOf(() => host.peerCredentials(-1))).toBe('EBADF');
  });
}

function digestTests(): void {
  it.each([0, 1, 1024 * 1024, 3_000_001, 20_000_001])(
    'the host copies and digests %d bytes',
    async (length) => {
      const content = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >>> 8)) & 0xff);
      writeFileSync(at('a'), content);
      const digest = await host.digestFile(at('a'));
      expect(digest.length).toBe(length);
      expect(await host.copyFile(at('a'), at('b'), { sync: length === 1 })).toEqual(digest);
      expect(await host.digestFile(at('b'))).toEqual(digest);
      expect(Buffer.compare(readFileSync(at('b')), content)).toBe(0);
      truncateSync(at('b'), 0);
      expect((await host.digestFile(at('b'))).digest).toBe(EMPTY_DIGEST);
    },
  );

  it.each([0, 3_000_001, 50_000_001])(
    'a spare copy of %d bytes stays unchanged when the file changes',
    async (length) => {
      const content = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >>> 8)) & 0xff);
      writeFileSync(at('a'), content);
      const copied = await host.copyFile(at('a'), at('b'), { sync: false, spare: true });
      writeFileSync(at('a'), 'changed');
      expect(copied).toEqual(await host.digestFile(at('b')));
      expect(Buffer.compare(readFileSync(at('b')), content)).toBe(0);
    },
  );

  it('a digest of a part ends at the end of the file', async () => {
    writeFileSync(at('a'), 'before, THE PART, after');
    writeFileSync(at('b'), 'THE PART');
    const part = await host.digestFile(at('b'));
    expect(await host.digestPart(at('a'), 8, 8)).toEqual(part);
    expect(await host.digestPart(at('a'), 0, 1000)).toEqual(await host.digestFile(at('a')));
    expect(await host.digestPart(at('a'), 1000, 8)).toEqual({ digest: EMPTY_DIGEST, length: 0 });
    await expect(host.digestPart(at('none'), 0, 8)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a copy keeps the holes and the bytes of a sparse file', async () => {
    writeFileSync(at('a'), 'begin');
    truncateSync(at('a'), 64 * 1024 * 1024);
    appendFileSync(at('a'), 'end');
    truncateSync(at('a'), 96 * 1024 * 1024);
    const digest = await host.digestFile(at('a'));
    expect(await host.copyFile(at('a'), at('b'), { sync: true })).toEqual(digest);
    expect(await host.digestFile(at('b'))).toEqual(digest);
    expect(statSync(at('b')).size).toBe(96 * 1024 * 1024);
    expect(statSync(at('b')).blocks * 512).toBeLessThan(1024 * 1024);
  });

  it('a copy never replaces an existing file and leaves nothing after a failure', async () => {
    writeFileSync(at('a'), 'new');
    writeFileSync(at('b'), 'old');
    await expect(host.copyFile(at('a'), at('b'), { sync: false })).rejects.toMatchObject({
      code: 'EEXIST',
    });
    expect(readFileSync(at('b'), 'utf8')).toBe('old');
    await expect(host.copyFile(at('none'), at('c'), { sync: false })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(host.copyFile(folder, at('c'), { sync: false })).rejects.toMatchObject({
      code: 'EISDIR',
    });
    await expect(host.digestFile(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
  });
}

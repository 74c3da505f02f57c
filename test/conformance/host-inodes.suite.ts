/**
 * What every Host must do with an inode: by its name, and by the path of what is open (`/proc/self/fd/N`), of every kind, as its owner and as
 * somebody who may not. Names that are links are never followed to what they lead to.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../shared/ports/host.ts';
import { beOrdinary } from '../support/ordinary-user.ts';

/** Linux's O_PATH. */
const O_PATH = 0o10000000;
const EMPTY_DIGEST = 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262';

let folder: string;
let host: Host;
let open: number[];
const at = (name: string): string => join(folder, name);

function codeOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

/** What stands at the name, open: a link itself, and waiting for nothing. */
function opened(path: string): string {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  open.push(fd);
  return `/proc/self/fd/${fd}`;
}

const KINDS = ['file', 'directory', 'fifo', 'link', 'link to nothing'] as const;
const BY = {
  'its name': (path: string): string => path,
  'what is open': opened,
};
type By = keyof typeof BY;
const WAYS = Object.keys(BY) as By[];

function make(kind: (typeof KINDS)[number], name: string): string {
  const path = at(name);
  if (kind === 'file') writeFileSync(path, 'text');
  if (kind === 'directory') mkdirSync(path);
  if (kind === 'fifo') spawnSync('mkfifo', [path]);
  if (kind === 'link') {
    writeFileSync(at('target'), 'target');
    symlinkSync('target', path);
  }
  if (kind === 'link to nothing') symlinkSync('nothing', path);
  return path;
}

const factsOf = (path: string): { mode: number; mtime: bigint } => {
  const { mode, mtimeNs } = lstatSync(path, { bigint: true });
  return { mode: Number(mode) & 0o7777, mtime: mtimeNs };
};

export function hostInodeConformance(name: string, makeHost: () => Host): void {
  describe(`the Host port on inodes (${name})`, () => {
    beforeEach(() => {
      host = makeHost();
      open = [];
      folder = mkdtempSync(join(tmpdir(), 'godwit-inodes-'));
    });
    afterEach(() => {
      for (const fd of open) closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
    });
    for (const by of WAYS) describe(`inodes named by ${by}`, () => inodeTests(BY[by]));
    describe('calls without permission', rightTests);
    describe('reads of contents', contentTests);
    describe('attributes that are not synced', unsyncedTests);
  });
}

function inodeTests(way: (path: string) => string): void {
  it.each(KINDS)('the host sets the time of a %s and of nothing else', (kind) => {
    const path = make(kind, 'it');
    const target = kind === 'link' ? factsOf(at('target')) : null;
    host.setMtime(way(path), 1_000_000_000_000_000_042n);
    expect(factsOf(path).mtime).toBe(1_000_000_000_000_000_042n);
    if (target !== null) expect(factsOf(at('target'))).toEqual(target);
  });

  it.each(['file', 'directory', 'fifo'] as const)('the host sets the mode of a %s', (kind) => {
    const path = make(kind, 'it');
    for (const mode of [0o640, 0o000, 0o1700]) {
      host.setMode(way(path), mode);
      expect(factsOf(path).mode).toBe(mode);
    }
  });

  it.each(['link', 'link to nothing'] as const)(
    'the host refuses to set the mode of a %s',
    (kind) => {
      const path = make(kind, 'it');
      expect(codeOf(() => host.setMode(way(path), 0o600))).toBe('ELOOP');
      if (kind === 'link') expect(factsOf(at('target')).mode).not.toBe(0o600);
    },
  );

  it.each(['file', 'directory'] as const)(
    'the host sets and lists extended attributes of a %s',
    (kind) => {
      const path = way(make(kind, 'it'));
      host.setXattr(path, 'tags', Buffer.from('red'));
      host.setXattr(path, 'a', Buffer.from(''));
      const listed = host.listXattrs(path).map(({ name, value }) => `${name}=${String(value)}`);
      expect(listed).toEqual(['a=', 'tags=114,101,100']);
      host.removeXattr(path, 'tags');
      expect(host.listXattrs(path).map(({ name }) => name)).toEqual(['a']);
      expect(codeOf(() => host.removeXattr(path, 'tags'))).toBe('ENODATA');
    },
  );

  it.each(['fifo', 'link', 'link to nothing'] as const)(
    'the host finds and sets no extended attributes of a %s',
    (kind) => {
      const path = make(kind, 'it');
      expect(host.listXattrs(way(path))).toEqual([]);
      expect(codeOf(() => host.setXattr(way(path), 'a', Buffer.from('1')))).toBe('EPERM');
      if (kind === 'link') expect(host.listXattrs(at('target'))).toEqual([]);
    },
  );

  it('the host reports attributes that are too large or that no file system takes', () => {
    const path = way(make('file', 'it'));
    host.setXattr(path, 'n'.repeat(250), Buffer.from('1'));
    expect(codeOf(() => host.setXattr(path, 'n'.repeat(251), Buffer.from('1')))).toBe('ERANGE');
    const large = codeOf(() => host.setXattr(path, 'large', Buffer.alloc(70_000)));
    expect(['E2BIG', 'ENOSPC']).toContain(large);
    expect(codeOf(() => host.setMode(`${folder}/a\0b`, 0o600))).toBe('EINVAL');
    expect(codeOf(() => host.setMode(at('none'), 0o600))).toBe('ENOENT');
  });

  it('the host opens and lists names beneath an inode', () => {
    mkdirSync(at('d'));
    writeFileSync(at('d/file'), 'text');
    const base = way(at('d'));
    const fd = host.openBeneath(base, 'file', 'file');
    open.push(fd);
    host.setXattr(`/proc/self/fd/${fd}`, 'tags', Buffer.from('red'));
    expect(host.listXattrs(at('d/file'))).toHaveLength(1);
    host.renameNoReplace(`${base}/file`, `${base}/other`);
    writeFileSync(at('d/third'), '3');
    host.renameExchange(`${base}/other`, `${base}/third`);
    expect(readFileSync(at('d/third'), 'utf8')).toBe('text');
    host.syncDirectory(base);
  });

  it('the host reads and copies the contents of an inode', async () => {
    const path = way(make('file', 'it'));
    const whole = await host.digestFile(path);
    expect(await host.digestPart(path, 0, 100)).toEqual(whole);
    expect(await host.copyFile(path, at('copy'), { sync: false })).toEqual(whole);
    expect((await host.readParts(path, [4]))[0]?.digest).toBe(whole.digest);
    await host.joinFiles([{ path, length: 4 }], at('joined'));
    expect(readFileSync(at('joined'), 'utf8')).toBe('text');
    expect(await host.syncPath(path)).toBe(4);
    expect(await host.syncPaths([path])).toEqual([4]);
    expect([false, null]).toContain(host.isBeingWritten(path));
    if (codeOf(() => host.reflink(path, at('linked'))) === undefined)
      expect(readFileSync(at('linked'), 'utf8')).toBe('text');
  });

  it.each(['fifo', 'directory'] as const)(
    'the host refuses to read a %s without waiting or leaving anything',
    async (kind) => {
      const path = way(make(kind, 'it'));
      const code = kind === 'fifo' ? 'EINVAL' : 'EISDIR';
      await expect(host.digestFile(path)).rejects.toMatchObject({ code });
      await expect(host.digestPart(path, 0, 1)).rejects.toMatchObject({ code });
      await expect(host.copyFile(path, at('to'), { sync: false })).rejects.toMatchObject({ code });
      await expect(host.readParts(path, [1])).rejects.toMatchObject({ code });
      await expect(host.joinFiles([{ path, length: 1 }], at('to'))).rejects.toMatchObject({ code });
      expect(codeOf(() => host.reflink(path, at('to')))).toBe(code);
      if (kind === 'fifo') {
        await expect(host.syncPath(path)).rejects.toMatchObject({ code });
        expect(await host.syncPaths([path])).toMatchObject([{ code }]);
      }
      expect(existsSync(at('to'))).toBe(false);
    },
  );
}

function rightTests(): void {
  let end: () => void;
  beforeEach(() => {
    make('file', 'theirs');
    mkdirSync(at('mine'));
    chmodSync(folder, 0o755);
    chmodSync(at('mine'), 0o777);
    end = beOrdinary();
  });
  afterEach(() => end());

  it.each(WAYS)(
    'the host changes nothing of a read-only file of its own user and reports that (by %s)',
    (by) => {
      const way = BY[by];
      writeFileSync(at('mine/file'), 'text', { mode: 0o444 });
      mkdirSync(at('mine/d'), { mode: 0o555 });
      for (const name of ['mine/file', 'mine/d']) {
        const path = way(at(name));
        expect(codeOf(() => host.setXattr(path, 'a', Buffer.from('1')))).toBe('EACCES');
        host.setMtime(path, 42n);
        host.setMode(path, 0o700);
        host.setXattr(path, 'a', Buffer.from('1'));
        host.setMode(path, 0o000);
        expect(codeOf(() => host.listXattrs(path))).toBe('EACCES');
        expect(factsOf(at(name)).mtime).toBe(42n);
      }
      host.setMode(at('mine/d'), 0o700);
    },
  );

  it.each(WAYS)("the host changes nothing of another user's file (by %s)", (by) => {
    // Else nothing here is another's.
    if (process.getuid?.() !== 0) return;
    const path = BY[by](at('theirs'));
    expect(codeOf(() => host.setMode(path, 0o777))).toBe('EPERM');
    expect(codeOf(() => host.setMtime(path, 42n))).toBe('EPERM');
    expect(codeOf(() => host.setXattr(path, 'a', Buffer.from('1')))).toBe('EACCES');
  });
}

function contentTests(): void {
  it('the host follows a link that it is asked to read', async () => {
    const path = make('link', 'it');
    writeFileSync(at('target'), '');
    expect((await host.digestFile(path)).digest).toBe(EMPTY_DIGEST);
  });
}

const tool = (name: string, ...args: string[]): boolean => spawnSync(name, args).status === 0;
const told = (name: string, ...args: string[]): string =>
  spawnSync(name, args, { encoding: 'utf8' }).stdout;

function unsyncedTests(): void {
  const NOTHING: string[] = [];

  it.each(WAYS)('the host keeps attributes of any size (by %s)', (by) => {
    const [from, to] = [BY[by](make('file', 'old')), BY[by](make('file', 'new'))];
    host.setXattr(from, 'tags', Buffer.from('red'));
    host.setXattr(to, 'own', Buffer.from('1'));
    expect(host.keepUnsynced(from, to)).toEqual(NOTHING);
    expect(host.listXattrs(to).map(({ name }) => name)).toEqual(['own', 'tags']);
  });

  it('the host keeps a group that the user belongs to', () => {
    const groups = process.getgroups?.() ?? [];
    const isRoot = process.getuid?.() === 0;
    const group = isRoot ? 12_345 : (groups.find((each) => each !== process.getgid?.()) ?? -1);
    if (group < 0) return;
    make('file', 'old');
    make('file', 'new');
    expect(tool('chgrp', String(group), at('old'))).toBe(true);
    expect(host.keepUnsynced(at('old'), at('new'))).toEqual(NOTHING);
    expect(lstatSync(at('new')).gid).toBe(group);
  });

  it('the host keeps an access list and removes one that the original lacks', () => {
    make('file', 'old');
    make('file', 'new');
    if (!tool('setfacl', '-m', 'u:12345:rw', at('old'))) return;
    expect(host.keepUnsynced(at('old'), at('new'))).toEqual(NOTHING);
    expect(told('getfacl', '-nc', at('new'))).toContain('user:12345:rw-');
    make('file', 'plain');
    host.keepUnsynced(at('plain'), at('new'));
    expect(told('getfacl', '-nc', at('new'))).not.toContain('12345');
  });

  it('the host keeps flags that chattr sets', () => {
    make('file', 'old');
    make('file', 'new');
    if (!tool('chattr', '+d', at('old'))) return;
    expect(host.keepUnsynced(at('old'), at('new'))).toEqual(NOTHING);
    expect(told('lsattr', at('new')).split(' ')[0]).toContain('d');
  });

  it('the host gives no special bits to contents from elsewhere and reports the lost ones', () => {
    make('file', 'old');
    make('file', 'new');
    chmodSync(at('old'), 0o6755);
    expect(host.keepUnsynced(at('old'), at('new'))).toEqual(['setuid', 'setgid']);
    expect(factsOf(at('new')).mode & 0o7000).toBe(0);
    if (!tool('setcap', 'cap_net_raw+ep', at('old'))) return;
    expect(host.keepUnsynced(at('old'), at('new'))).toContain('capabilities');
    expect(told('getcap', at('new'))).toBe('');
  });

  it('the host reports what a user may not keep and keeps the rest', () => {
    if (process.getuid?.() !== 0) return;
    make('file', 'old');
    chmodSync(folder, 0o777);
    host.setXattr(at('old'), 'tags', Buffer.from('red'));
    const end = beOrdinary();
    try {
      make('file', 'new');
      expect(host.keepUnsynced(at('old'), at('new'))).toEqual(['group', 'owner']);
      expect(host.listXattrs(at('new'))).toHaveLength(1);
    } finally {
      end();
    }
  });

  it('the host gives a new file what its directory passes on', () => {
    mkdirSync(at('d'));
    make('file', 'new');
    host.inherit(at('d'), at('new'));
    expect(lstatSync(at('new')).gid).toBe(lstatSync(at('d')).gid);
    if (process.getuid?.() === 0) {
      tool('chgrp', '12345', at('d'));
      chmodSync(at('d'), 0o2755);
      host.inherit(opened(at('d')), at('new'));
      expect(lstatSync(at('new')).gid).toBe(12_345);
    }
    if (!tool('setfacl', '-d', '-m', 'u:12345:rw', at('d'))) return;
    host.inherit(at('d'), at('new'));
    expect(told('getfacl', '-nc', at('new'))).toContain('user:12345:rw-');
  });

  it('the host reports ENOENT for a missing file', () => {
    make('file', 'old');
    expect(codeOf(() => host.keepUnsynced(at('none'), at('old')))).toBe('ENOENT');
    expect(codeOf(() => host.keepUnsynced(at('old'), at('none')))).toBe('ENOENT');
    expect(codeOf(() => host.inherit(folder, at('none')))).toBe('ENOENT');
  });
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../wire/error-codes.ts';
import { diskError } from './disk-error.ts';
import { makeFolder } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-disk-error-'));
afterAll(() => rmSync(root, { recursive: true }));

const says = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: what the disk says`), { code, ...more });

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('an error of the disk', () => {
  it.each([
    ['ENOSPC', 'disk-full', 'the disk is full'],
    ['EDQUOT', 'disk-full', 'the quota of the disk is used up'],
    ['EROFS', 'folder-unusable', 'the disk is mounted read-only'],
    ['EIO', 'disk-failing', 'the disk can not read or write it (EIO)'],
    ['ESTALE', 'disk-failing', 'the disk can not read or write it (ESTALE)'],
    ['Unknown system error -117', 'disk-failing', 'the disk can not read or write it'],
    ['EACCES', 'folder-unusable', 'it can not be used (EACCES)'],
    ['ENOENT', 'folder-unusable', 'it can not be used (ENOENT)'],
    ['EEXIST', 'folder-unusable', 'it can not be used (EEXIST)'],
    ['EISDIR', 'in-the-way', 'a folder is there, where a file is to be'],
  ])('is translated from %s to %s', (errno, code, why) => {
    expect(diskError('/data', says(errno))).toMatchObject({ code, message: `/data: ${why}` });
    expect(diskError(null, says(errno))).toMatchObject({ code, message: why });
    const named = diskError('/data', says(errno, { path: '/data/x' }));
    expect(named).toMatchObject({ code, message: `/data/x: ${why}` });
  });

  it.each([
    ['Input/output error', 'disk-failing', 'the disk can not read or write it'],
    ['Read-only file system', 'folder-unusable', 'the disk is mounted read-only'],
    ['No space left on device', 'disk-full', 'the disk is full'],
    ['Disk quota exceeded', 'disk-full', 'the quota of the disk is used up'],
  ])('is recognised in `rmSync`, which has no code for it: %s', (words, code, why) => {
    const said = Object.assign(new Error(`, Unknown error: ${words} '/data/out'`), {
      ...{ code: '', errno: -4094, syscall: 'rm', path: '/data/out' },
    });
    expect(diskError('/data', said)).toMatchObject({ code, message: `/data/out: ${why}` });
  });

  it('reports what is in the way when a folder cannot be made', () => {
    const said = says('EEXIST', { syscall: 'mkdir', path: '/data/spool' });
    const message = '/data/spool: it is no folder, and one is to be there';
    expect(diskError('/data', said)).toMatchObject({ code: 'in-the-way', message });
  });

  it('is not made from a bug or an error of a program or an address', async () => {
    const refused = spawnSync(join(root, 'no such program')).error;
    const server = createServer();
    const taken = new Promise((resolve) => server.once('error', resolve));
    server.listen({ host: '203.0.113.1', port: 1 });
    const others = [new TypeError('x is undefined'), refused, await taken, 'text', undefined];
    const coded = new GodwitError('newer-database');
    for (const error of [...others, coded]) expect(diskError('/data', error)).toBe(error);
  });
});

describe('a folder that is made', () => {
  it('is returned with the new folders above it, and stays when it exists', () => {
    const [outer, inner] = [join(root, 'a'), join(root, 'a', 'b')];
    expect(makeFolder(inner, 0o700)).toEqual([inner, outer]);
    writeFileSync(join(inner, 'kept'), 'kept');
    expect(makeFolder(inner, 0o700)).toEqual([]);
    expect(readFileSync(join(inner, 'kept'), 'utf8')).toBe('kept');
  });

  it("is reported with the disk's error when it cannot be made", () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(thrownBy(() => makeFolder(file, 0o700))).toMatchObject({ code: 'EEXIST', path: file });
    const below = thrownBy(() => makeFolder(join(file, 'x'), 0o700));
    expect(below).toMatchObject({ code: 'ENOTDIR' });
    mkdirSync(join(root, 'there'));
    // A recursive call of Node's never returns there.
    const refused = thrownBy(() => makeFolder('/proc/self/no/such', 0o700));
    expect(refused).toMatchObject({ code: 'ENOENT', path: '/proc/self/no' });
  });
});

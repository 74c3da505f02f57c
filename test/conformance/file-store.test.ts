import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blake3 } from '@noble/hashes/blake3.js';
import { digestOf } from '../../app/sim/disk/content-digest.ts';
import { MemoryDisk } from '../../app/sim/disk/memory-disk.ts';
import { MemoryFileStore } from '../../app/sim/store/memory-file-store.ts';
import { DiskFileStore } from '../../daemon/adapters/store/file-store-disk.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { fileStoreSuite, type FileStoreHarness } from './file-store.suite.ts';

let scratch = '';
let paths = 0;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'godwit-file-store-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** A host whose disk can be full. */
class FillableHost extends NativeHost {
  full = false;

  override copyFile(from: string, to: string, options: { sync: boolean }) {
    if (!this.full) return super.copyFile(from, to, options);
    return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  }
}

function newFile(bytes: string): string {
  paths += 1;
  const path = join(scratch, String(paths));
  writeFileSync(path, bytes);
  return path;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function onDisk(): FileStoreHarness {
  paths += 1;
  const folder = join(scratch, `store-${paths}`);
  const host = new FillableHost();
  return {
    open: () => new DiskFileStore({ folder, host }),
    receive: newFile,
    elsewhere: newFile,
    write: (path, bytes) => writeFileSync(path, bytes, { flag: 'r+' }),
    read: readOrNull,
    fill: () => {
      host.full = true;
    },
    free: () => {
      host.full = false;
    },
    digestOf: (bytes) => Buffer.from(blake3(bytes)).toString('hex'),
  };
}

/** A restart is a loss of power: only what was synced is there after it. */
function inMemory(delay?: (run: () => void) => void): FileStoreHarness {
  const disk = new MemoryDisk({ capacityBytes: 1_000_000 });
  const late = delay === undefined ? {} : { delay };
  const put = (path: string, bytes: string): string => {
    disk.write(path, Buffer.from(bytes));
    return path;
  };
  return {
    open: () => {
      disk.crash();
      return new MemoryFileStore({ disk, folder: '/data/files', ...late });
    },
    receive: (bytes) => put(`/data/spool/${++paths}`, bytes),
    elsewhere: (bytes) => {
      const path = put(`/home/${++paths}`, bytes);
      disk.sync(path);
      return path;
    },
    write: (path, bytes) => void put(path, bytes),
    read: (path) => (disk.has(path) ? Buffer.from(disk.read(path)).toString() : null),
    fill: () => disk.write('/filler', new Uint8Array(disk.freeBytes)),
    free: () => disk.remove('/filler'),
    digestOf,
  };
}

fileStoreSuite('on disk', onDisk);
fileStoreSuite('in memory', () => inMemory());
fileStoreSuite('in memory, late', () => inMemory((run) => setImmediate(run)));

describe('the folder of a store', () => {
  it('is for its owner alone, files too', async () => {
    const folder = join(scratch, 'private');
    const store = new DiskFileStore({ folder, host: new NativeHost() });
    await store.stage('c1', null);
    await store.stage('c2', 'c1');
    const modes = [folder, join(folder, 'contents'), store.pathOf('c1'), store.pathOf('c2')];
    expect(modes.map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0, 0]);
  });

  it('keeps half-made copies out of the list and drops them at the start', async () => {
    const folder = join(scratch, 'halves');
    mkdirSync(join(folder, 'staging'), { recursive: true });
    const half = join(folder, 'staging', 'c1');
    writeFileSync(half, 'half');
    const store = new DiskFileStore({ folder, host: new NativeHost() });
    expect(await store.list()).toEqual([]);
    expect(readOrNull(half)).toBeNull();
  });

  it('calls a lost file by its own name where a person’s is none', async () => {
    const store = new DiskFileStore({ folder: join(scratch, 'odd'), host: new NativeHost() });
    await store.stage('c1', null);
    await store.stage('c2', null);
    expect(await store.lose('c1', '..')).toMatch(/\/lost\+found\/c1$/);
    expect(await store.lose('c2', 'x'.repeat(300))).toMatch(/\/lost\+found\/c2$/);
  });
});

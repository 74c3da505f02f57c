import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blake3 } from '@noble/hashes/blake3.js';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryFileStore } from '../../app/lab/simulator/store/memory-file-store.ts';
import { DiskFileStore } from '../../daemon/adapters/store/file-store-disk.ts';
import { PACK_BYTES, SHORT_CONTENTS } from '../../daemon/limits.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { MAX_STORE_TOGETHER } from '../../shared/wire/limits.ts';
import { fileStoreSuite, type FileStoreHarness } from './file-store.suite.ts';

let scratch = '';
let paths = 0;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'godwit-file-store-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** A host whose disk can become full. */
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
  it('is readable only by its owner, like its files', async () => {
    const folder = join(scratch, 'private');
    const store = new DiskFileStore({ folder, host: new NativeHost() });
    await store.stage('c1', null);
    await store.stage('c2', 'c1');
    const modes = [folder, join(folder, 'contents'), store.pathOf('c1'), store.pathOf('c2')];
    expect(modes.map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0, 0]);
  });

  it('leaves half-made copies out of its list and drops them at the start', async () => {
    const folder = join(scratch, 'halves');
    mkdirSync(join(folder, 'staging'), { recursive: true });
    const half = join(folder, 'staging', 'c1');
    writeFileSync(half, 'half');
    const store = new DiskFileStore({ folder, host: new NativeHost() });
    expect(await store.list()).toEqual([]);
    expect(readOrNull(half)).toBeNull();
  });

  it("names a lost file by its own name when the user's name is unusable", async () => {
    const store = new DiskFileStore({ folder: join(scratch, 'odd'), host: new NativeHost() });
    await store.stage('c1', null);
    await store.stage('c2', null);
    expect(await store.lose('c1', '..')).toMatch(/\/lost\+found\/c1$/);
    expect(await store.lose('c2', 'x'.repeat(300))).toMatch(/\/lost\+found\/c2$/);
  });
});

describe('the packs of a store', () => {
  const opened = (name: string): { store: DiskFileStore; packs: () => string[] } => {
    const folder = join(scratch, name);
    const store = new DiskFileStore({ folder, host: new NativeHost() });
    return { store, packs: () => readdirSync(join(folder, 'packs')).sort() };
  };
  const seal = async (store: DiskFileStore, ...names: string[]): Promise<void> => {
    for (const each of names) store.hold(each, Buffer.from(`text ${each}`));
    await Promise.all(names.map((each) => store.seal(each, 'ab'.repeat(32))));
  };

  it('hold files that are sealed together in one pack, which goes with the last of them', async () => {
    const { store, packs } = opened('together');
    await seal(store, 'a', 'b', 'c');
    await seal(store, 'd');
    expect(packs()).toEqual(['p1', 'p2']);
    await Promise.all(['a', 'd', 'c'].map((each) => store.remove(each)));
    expect(packs()).toEqual(['p1']);
    // What was removed of it is there again for the next process, which knows that it is nobody's.
    const next = opened('together').store;
    for (const { name } of await next.list()) await next.remove(name);
    expect(packs()).toEqual([]);
    await seal(next, 'e');
    expect(packs()).toHaveLength(1);
  });

  it('take exactly the contents that are sent together', () => {
    expect(SHORT_CONTENTS).toBe(MAX_STORE_TOGETHER);
  });

  it('never exceed their length limit', async () => {
    const { store, packs } = opened('long');
    const bytes = Buffer.alloc(SHORT_CONTENTS, 7);
    const names = Array.from({ length: 200 }, (_, index) => `c${index}`);
    for (const each of names) store.hold(each, bytes);
    await Promise.all(names.map((each) => store.seal(each, null)));
    const sizes = packs().map((each) => statSync(join(scratch, 'long', 'packs', each)).size);
    expect(Math.max(...sizes)).toBeLessThan(PACK_BYTES + 16 * 1024);
    expect((await opened('long').store.list()).length).toBe(200);
  });

  it.each<[string, (pack: string) => void]>([
    ['cut off', (pack) => truncateSync(pack, 30)],
    ['longer', (pack) => appendFileSync(pack, 'more')],
    ['empty', (pack) => truncateSync(pack, 0)],
    ['something else', (pack) => writeFileSync(pack, 'x'.repeat(5000))],
    ['damaged in its table', (pack) => flip(pack, 24)],
    ['damaged in its header', (pack) => flip(pack, 9)],
  ])('are put aside when one is %s, and the others count', async (_, spoil) => {
    const { store } = opened('spoilt');
    await seal(store, 'a', 'b');
    await seal(store, 'c');
    spoil(join(scratch, 'spoilt', 'packs', 'p1'));
    mkdirSync(join(scratch, 'spoilt', 'lost+found'), { recursive: true });
    writeFileSync(join(scratch, 'spoilt', 'lost+found', 'p1 is damaged'), 'of before');
    const next = opened('spoilt');
    expect((await next.store.list()).map(({ name }) => name)).toEqual(['c']);
    const lost = readdirSync(join(scratch, 'spoilt', 'lost+found')).sort();
    expect(lost).toEqual(['p1 is damaged', 'p1 is damaged (2)']);
    await seal(next.store, 'd');
    expect(next.packs()).toEqual(['p2', 'p3']);
  });

  it('reveal damaged contents by their digest', async () => {
    const { store } = opened('rotten');
    store.hold('a', Buffer.from('as it was'));
    const { digest } = await store.seal('a', null);
    flip(join(scratch, 'rotten', 'packs', 'p1'), -1);
    expect((await opened('rotten').store.check('a')).digest).not.toBe(digest);
  });

  it('keep contents in memory while the disk refuses them and write them later', async () => {
    const { store } = opened('full');
    rmSync(join(scratch, 'full', 'staging'), { recursive: true });
    store.hold('a', Buffer.from('text a'));
    await expect(store.seal('a', null)).rejects.toMatchObject({ code: 'not-found' });
    mkdirSync(join(scratch, 'full', 'staging'));
    expect((await store.seal('a', null)).length).toBe(6);
  });

  it('leave no single file behind for contents that were given to a reader', async () => {
    const { store } = opened('read');
    await seal(store, 'a');
    expect(readFileSync(await store.fileOf('a'), 'utf8')).toBe('text a');
    const next = opened('read').store;
    expect(readOrNull(next.pathOf('a'))).toBeNull();
    expect(await next.list()).toEqual([{ name: 'a', length: 6 }]);
  });
});

/** Changes one byte, counted from the end when `at` is negative. */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

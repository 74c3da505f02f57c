import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { MemoryContentStore } from '../../app/lab/simulator/store/memory-content-store.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { DiskContentStore } from '../../server/adapters/content-disk/content-disk.ts';
import { PackedContentStore } from '../../server/adapters/content-packs/content-packs.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';
import { contentStoreSuite, type ContentHarness } from './content-store.suite.ts';

function inMemory(): Promise<ContentHarness> {
  const disk = new MemoryDisk();
  let files = 0;
  const open = (): MemoryContentStore => new MemoryContentStore(disk, '/server');
  return Promise.resolve({
    store: open(),
    spool: (bytes: Uint8Array) => {
      const path = `/server/spool/${files++}`;
      disk.write(path, bytes);
      return path;
    },
    read: (path: string) => (disk.has(path) ? disk.read(path) : null),
    hold: (path: string) => {
      const file = disk.open(path);
      return () => file.bytes();
    },
    restart: () => {
      disk.crash();
      return Promise.resolve(open());
    },
    end: () => Promise.resolve(),
  });
}

/** `close` does what an ending process does by itself. */
async function onDisk<S extends ContentStore>(
  open: (folder: string) => Promise<S>,
  close: (store: S) => Promise<void> = () => Promise.resolve(),
): Promise<ContentHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-contents-'));
  const held: number[] = [];
  let files = 0;
  const opened: S[] = [];
  const opens = async (): Promise<S> => {
    const store = await open(folder);
    opened.push(store);
    return store;
  };
  return {
    store: await opens(),
    spool: (bytes) => {
      const path = join(folder, `spool-${files++}`);
      writeFileSync(path, bytes);
      return path;
    },
    read: (path) => {
      try {
        return new Uint8Array(readFileSync(path));
      } catch {
        return null;
      }
    },
    hold: (path) => {
      const file = openSync(path, 'r');
      held.push(file);
      return () => {
        const bytes = new Uint8Array(fstatSync(file).size);
        readSync(file, bytes, 0, bytes.length, 0);
        return bytes;
      };
    },
    restart: opens,
    end: async () => {
      for (const file of held) closeSync(file);
      for (const store of opened) await close(store);
      rmSync(folder, { recursive: true });
    },
  };
}

const log = new MemoryLog(new World(1), 'server');
const openPacks = (folder: string, packBytes?: number): Promise<PackedContentStore> =>
  PackedContentStore.open(folder, {
    log,
    wall: () => 0,
    ...(packBytes === undefined ? {} : { packBytes }),
  });
const closePacks = (store: PackedContentStore): Promise<void> => store.close();

contentStoreSuite('in memory', inMemory);
contentStoreSuite('in files', () =>
  onDisk((folder) => Promise.resolve(new DiskContentStore(folder))),
);
contentStoreSuite('in packs', () => onDisk((folder) => openPacks(folder), closePacks));
contentStoreSuite('in packs of one record', () =>
  onDisk((folder) => openPacks(folder, 1), closePacks),
);

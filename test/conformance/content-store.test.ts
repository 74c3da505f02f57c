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
import { MemoryDisk } from '../../app/sim/disk/memory-disk.ts';
import { MemoryContentStore } from '../../app/sim/store/memory-content-store.ts';
import { DiskContentStore } from '../../server/adapters/content-disk/content-disk.ts';
import { contentStoreSuite, type ContentHarness } from './content-store.suite.ts';

function inMemory(): ContentHarness {
  const disk = new MemoryDisk();
  let files = 0;
  const open = (): MemoryContentStore => new MemoryContentStore(disk, '/server');
  return {
    store: open(),
    spool: (bytes) => {
      const path = `/server/spool/${files++}`;
      disk.write(path, bytes);
      return path;
    },
    read: (path) => (disk.has(path) ? disk.read(path) : null),
    hold: (path) => {
      const file = disk.open(path);
      return () => file.bytes();
    },
    restart: () => {
      disk.crash();
      return open();
    },
    end: () => undefined,
  };
}

function onDisk(): ContentHarness {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-contents-'));
  const held: number[] = [];
  let files = 0;
  const open = (): DiskContentStore => new DiskContentStore(folder);
  return {
    store: open(),
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
    restart: open,
    end: () => {
      for (const file of held) closeSync(file);
      rmSync(folder, { recursive: true });
    },
  };
}

contentStoreSuite('in memory', inMemory);
contentStoreSuite('on the disk', onDisk);

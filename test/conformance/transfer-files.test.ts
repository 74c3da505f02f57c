import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryTransferFiles } from '../../app/lab/simulator/store/memory-transfer-files.ts';
import { DiskTransferFiles } from '../../daemon/adapters/store/transfer-files-disk.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { transferFilesSuite, type TransferFilesHarness } from './transfer-files.suite.ts';

let scratch = '';

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'godwit-transfer-files-'));
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function onDisk(): TransferFilesHarness {
  const folder = join(scratch, 'transfers');
  return {
    open: () => new DiskTransferFiles({ folder, host: new NativeHost() }),
    write: (path, bytes) => writeFileSync(path, bytes),
    read: readOrNull,
    strange: (name) => {
      const path = join(folder, 'parts', name);
      writeFileSync(path, 'strange');
      return path;
    },
  };
}

/** A restart is a loss of power: only what was synced is there after it. */
function inMemory(delay?: (run: () => void) => void): TransferFilesHarness {
  const disk = new MemoryDisk();
  const late = delay === undefined ? {} : { delay };
  const write = (path: string, bytes: string): void => disk.write(path, Buffer.from(bytes));
  return {
    open: () => {
      disk.crash();
      return new MemoryTransferFiles({ disk, folder: '/transfers', ...late });
    },
    write,
    read: (path) => (disk.has(path) ? Buffer.from(disk.read(path)).toString() : null),
    strange: (name) => {
      write(`/transfers/parts/${name}`, 'strange');
      return `/transfers/parts/${name}`;
    },
  };
}

transferFilesSuite('on disk', onDisk);
transferFilesSuite('in memory', () => inMemory());
transferFilesSuite('in memory, late', () => inMemory((run) => setImmediate(run)));

it('the folders of transfers are readable only by their owner', () => {
  const folder = join(scratch, 'private');
  new DiskTransferFiles({ folder, host: new NativeHost() });
  const modes = ['made', 'parts'].map((name) => statSync(join(folder, name)).mode & 0o077);
  expect(modes).toEqual([0, 0]);
});

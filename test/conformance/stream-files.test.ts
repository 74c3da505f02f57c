import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryStreamFiles } from '../../app/lab/simulator/store/memory-stream-files.ts';
import { nodeContentFiles } from '../../server/adapters/content-disk/content-files.ts';
import { DiskStreamFiles } from '../../server/adapters/stream-files/disk-stream-files.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { streamFilesSuite, type StreamFilesHarness } from './stream-files.suite.ts';

let scratch = '';

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'godwit-stream-files-'));
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

function onDisk(): StreamFilesHarness {
  const folder = join(scratch, 'streams');
  const files = { ...nodeContentFiles };
  return {
    next: () => new DiskStreamFiles(folder, new NativeHost(), files),
    write: (path, bytes) => writeFileSync(path, bytes),
    read: readOrNull,
    names: () => readdirSync(folder),
    strange: (name, bytes) => writeFileSync(join(folder, name), bytes),
    failSyncs: (code) => {
      files.syncFile = () => Promise.reject(Object.assign(new Error(code), { code }));
    },
  };
}

/** A restart is a loss of power: only what was synced is there after it. */
function inMemory(): StreamFilesHarness {
  const disk = new MemoryDisk();
  const folder = '/data/streams';
  return {
    next: () => {
      disk.crash();
      return new MemoryStreamFiles(disk, folder, { defer: (deliver) => setImmediate(deliver) });
    },
    write: (path, bytes) => disk.write(path, Buffer.from(bytes)),
    read: (path) => (disk.has(path) ? Buffer.from(disk.read(path)).toString() : null),
    names: () => disk.list(folder),
    strange: (name, bytes) => disk.putByHand(`${folder}/${name}`, Buffer.from(bytes)),
    failSyncs: (code) => void disk.troubles.add((call) => (call === 'sync' ? code : null)),
  };
}

streamFilesSuite('on disk', onDisk);
streamFilesSuite('in memory', inMemory);

/** The Delta port in memory and in the addon. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { blake3 } from '@noble/hashes/blake3.js';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { NativeDelta } from '../../shared/transport/native-delta.ts';
import { deltaSuite, type DeltaHarness } from './delta.suite.ts';

deltaSuite('in memory', () => {
  const disk = new MemoryDisk();
  const path = (name: string): string => `/files/${name}`;
  return {
    delta: new MemoryDelta({ disk }),
    length: 4000,
    long: 20_000,
    digestOf,
    path,
    write: (name, bytes) => {
      disk.write(path(name), bytes);
      return path(name);
    },
    read: (name) => disk.read(name),
    names: () => disk.list('/files').map((name) => name.slice('/files/'.length)),
    fill: () => {
      disk.troubles.add((call, _, growth) => (call === 'write' && growth > 0 ? 'ENOSPC' : null));
    },
    end: () => Promise.resolve(),
  };
});

function onDisk(): DeltaHarness {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-delta-'));
  const path = (name: string): string => join(folder, name);
  return {
    delta: new NativeDelta(),
    length: 200_000,
    long: 33 * 1024 * 1024,
    digestOf: (bytes) => Buffer.from(blake3(bytes)).toString('hex'),
    path,
    write: (name, bytes) => {
      writeFileSync(path(name), bytes);
      return path(name);
    },
    read: (name) => new Uint8Array(readFileSync(name)),
    names: () => readdirSync(folder).sort(),
    end: () => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    },
  };
}

deltaSuite('in the addon', onDisk);

describe('the delta of the addon', () => {
  it('survives files that are truncated while it reads them (contract 5)', async () => {
    const harness = onDisk();
    const { delta } = harness;
    const length = 8 * 1024 * 1024;
    const bytes = Buffer.alloc(length, 'some text of a file ');
    const whole = harness.write('whole', bytes);
    const known = await delta.list({ path: whole, offset: 0, length }, null);
    const longer = harness.write('longer', Buffer.concat([bytes, Buffer.from('more')]));
    const patch = harness.path('patch');
    await delta.make(known, { path: longer, offset: 0, length: length + 4 }, patch);
    for (let round = 0; round < 10; round++) {
      const contents = { path: harness.write('contents', bytes), offset: 0, length };
      const works = [
        delta.list(contents, null),
        delta.make(known, contents, harness.path('delta')),
        delta.apply(contents, patch, harness.path('out'), 2 * length),
      ];
      // The files are open or not: one of them can be read to its end, or none.
      await Promise.race([...works, new Promise(setImmediate)]).catch(() => undefined);
      truncateSync(contents.path, (length / 16) * round);
      for (const settled of await Promise.allSettled(works)) {
        if (settled.status === 'rejected')
          expect(settled.reason).toMatchObject({ code: 'not-found' });
      }
      for (const name of ['delta', 'out']) rmSync(harness.path(name), { force: true });
    }
    expect(harness.names()).toEqual(['contents', 'longer', 'patch', 'whole']);
    await harness.end();
  });

  it("accepts regular files only and reports the system's error for others", async () => {
    const harness = onDisk();
    const begun = harness.write('begun', new Uint8Array(10));
    await expect(harness.delta.join(begun, '/dev/full')).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(harness.delta.join(begun, tmpdir())).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(harness.delta.join('/dev/full', begun)).rejects.toMatchObject({ code: 'EINVAL' });
    expect(harness.names()).toEqual(['begun']);
    await harness.end();
  });
});

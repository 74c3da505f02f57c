/** The Delta port in memory. */
import { digestOf } from '../../app/sim/disk/content-digest.ts';
import { MemoryDisk } from '../../app/sim/disk/memory-disk.ts';
import { MemoryDelta } from '../../app/sim/store/memory-delta.ts';
import { deltaSuite } from './delta.suite.ts';

deltaSuite('in memory', () => {
  const disk = new MemoryDisk();
  const path = (name: string): string => `/files/${name}`;
  return {
    delta: new MemoryDelta({ disk }),
    length: 4000,
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

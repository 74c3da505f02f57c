import { readFileSync, writeFileSync } from 'node:fs';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { ReplicaState } from '../../app/lab/simulator/replica/memory-replica.ts';
import { ReplicaCopies } from '../../app/lab/simulator/replica/replica-copies.ts';
import { makeFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { commitNumber, dataVersion, mtimeOf, type VnodeStatus } from '../../shared/model/vnode.ts';
import { FolderBench } from '../support/folder-bench.ts';
import { HookedHost } from '../support/hooked-host.ts';
import { localCopiesSuite, type LocalCopiesHarness } from './local-copies.suite.ts';

const VOLUME = 1 as VolumeId;
const FOLDER = '/store/copies';
const ERRNO = { 'disk-full': 'ENOSPC', 'disk-failing': 'EIO' } as const;

async function ofTheFolder(): Promise<LocalCopiesHarness> {
  const host = new HookedHost();
  const bench = new FolderBench(host);
  await bench.start();
  const inPlace = async (name: string): Promise<VnodeStatus> => {
    await bench.settled();
    return bench.volume.status(name);
  };
  return {
    copies: bench.folder,
    file: async (name, text) => {
      await bench.other.write(name, text);
      return inPlace(name);
    },
    folder: (name) => {
      bench.other.mkdir(name);
      return inPlace(name);
    },
    remove: async (name) => {
      bench.other.remove(name);
      await bench.settled();
    },
    refuse: (name, code) =>
      code === null ? host.refuse('copying', null) : host.refuse('copying', name, ERRNO[code]),
    read: (path) => readFileSync(path, 'utf8'),
    write: (path, text) => writeFileSync(path, text),
    end: () => bench.destroy(),
  };
}

/** A file that a replica would have placed. */
class Placed {
  readonly state = new ReplicaState(VOLUME);
  readonly #fids = new Map<string, Fid>();

  put(name: string, kind: 'file' | 'directory', text: string | null): VnodeStatus {
    const fid = this.#fids.get(name) ?? makeFid(VOLUME, this.#fids.size + 2, 1);
    const before = this.state.vnodes.get(fid)?.status.version ?? 0;
    const bytes = text === null ? null : new TextEncoder().encode(text);
    const status: VnodeStatus = {
      ...{ fid, kind, mode: 0o644, mtime: mtimeOf(0n), size: bytes?.length ?? 0, links: 1 },
      ...{ version: dataVersion(before + 1), commit: commitNumber(1), target: null, xattrs: [] },
      digest: bytes === null ? null : digestOf(bytes),
    };
    this.#fids.set(name, fid);
    this.state.vnodes.set(fid, { status, bytes });
    return status;
  }

  remove(name: string): void {
    this.state.vnodes.delete(this.#fids.get(name) as Fid);
  }
}

function ofAReplica(): Promise<LocalCopiesHarness> {
  const disk = new MemoryDisk();
  const placed = new Placed();
  let over = (): void => undefined;
  return Promise.resolve({
    copies: new ReplicaCopies(placed.state, disk, FOLDER),
    file: (name, text) => Promise.resolve(placed.put(name, 'file', text)),
    folder: (name) => Promise.resolve(placed.put(name, 'directory', null)),
    remove: (name) => Promise.resolve(placed.remove(name)),
    refuse: (_, code) => {
      over();
      if (code === null) return;
      over = disk.troubles.add((call, path) =>
        call === 'write' && path.startsWith(FOLDER) ? ERRNO[code] : null,
      );
    },
    read: (path) => new TextDecoder().decode(disk.read(path)),
    write: (path, text) => disk.write(path, new TextEncoder().encode(text)),
    end: () => Promise.resolve(),
  });
}

localCopiesSuite('of the folder', ofTheFolder);
localCopiesSuite('of a replica in memory', ofAReplica);

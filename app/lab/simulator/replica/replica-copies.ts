/** The LocalCopies port over a replica in memory: what it has in place, as private copies. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../../shared/model/vnode.ts';
import type { LocalCopies, LocalCopy } from '../../../../shared/ports/file-store.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import { asStoreError } from '../store/store-error.ts';
import type { ReplicaState } from './memory-replica.ts';

/** Implements the LocalCopies port over a replica in memory. */
export class ReplicaCopies implements LocalCopies {
  readonly #state: ReplicaState;
  readonly #disk: StoreDisk;
  readonly #folder: string;
  #given = 0;

  /** `folder`: where copies are put; on the disk of the file store, which takes them. */
  constructor(state: ReplicaState, disk: StoreDisk, folder: string) {
    this.#state = state;
    this.#disk = disk;
    this.#folder = folder;
    // Of an earlier life: what the disk still has there may be a file that the store has taken, under its old name.
    for (const path of disk.list(folder)) disk.remove(path);
  }

  copyOf(fid: Fid, _version: DataVersion, digest: Digest): Promise<string | null> {
    return answered(() => {
      const vnode = this.#state.vnodes.get(fid);
      if (vnode?.status.digest !== digest || vnode.bytes === null) return null;
      return this.#put(vnode.bytes);
    });
  }

  anyCopyOf(fid: Fid): Promise<LocalCopy | null> {
    return answered(() => {
      const vnode = this.#state.vnodes.get(fid);
      if (vnode === undefined || vnode.bytes === null || vnode.status.digest === null) return null;
      const { version, digest, size: length } = vnode.status;
      return { path: this.#put(vnode.bytes), version, digest, length };
    });
  }

  #put(bytes: Uint8Array): string {
    this.#given += 1;
    const path = `${this.#folder}/copy-${this.#given}`;
    try {
      this.#disk.write(path, bytes);
    } catch (error) {
      throw asStoreError(error);
    }
    return path;
  }
}

/** At once; rejects where it throws. */
function answered<T>(answer: () => T): Promise<T> {
  return new Promise((resolve) => resolve(answer()));
}

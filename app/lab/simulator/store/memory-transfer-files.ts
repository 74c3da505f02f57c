/** The TransferFiles port over the disk in memory. One is made for each life of a process; the files are the disk's. */
import { compareNames } from '../../../../shared/model/names.ts';
import { partName, readPartName, type PartNote } from '../../../../shared/model/part-note.ts';
import type { KeptPart, TransferFiles } from '../../../../shared/ports/transfer-files.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import { asStoreError } from './store-error.ts';

export interface MemoryTransferFilesOptions {
  readonly disk: StoreDisk;
  /** Absolute path of its folder on that disk. */
  readonly folder: string;
  /** Runs what it is given, now or later; at once where it is left out. */
  readonly delay?: (run: () => void) => void;
}

/** Implements the TransferFiles port on a disk in memory. */
export class MemoryTransferFiles implements TransferFiles {
  readonly #disk: StoreDisk;
  readonly #made: string;
  readonly #parts: string;
  readonly #delay: (run: () => void) => void;
  #last = 0;

  constructor({ disk, folder, delay }: MemoryTransferFilesOptions) {
    this.#disk = disk;
    this.#made = `${folder}/made`;
    this.#parts = `${folder}/parts`;
    this.#delay = delay ?? ((run) => run());
    for (const path of disk.list(this.#made)) disk.remove(path);
  }

  newPath(): string {
    this.#last += 1;
    return `${this.#made}/${this.#last}`;
  }

  makeEmpty(): Promise<string> {
    const path = this.newPath();
    return this.#answer(() => {
      this.#disk.write(path, new Uint8Array(0));
      return path;
    });
  }

  link(path: string): Promise<string> {
    const to = this.newPath();
    return this.#answer(() => {
      this.#disk.write(to, this.#disk.read(path));
      return to;
    });
  }

  keep(path: string, note: PartNote): Promise<string> {
    return this.#answer(() => {
      const kept = `${this.#parts}/${partName(note)}`;
      this.#disk.sync(path);
      this.#disk.rename(path, kept);
      this.#disk.syncFolder(this.#parts);
      return kept;
    });
  }

  parts(): Promise<KeptPart[]> {
    return this.#answer(() => {
      const found: KeptPart[] = [];
      for (const path of this.#disk.list(this.#parts)) {
        const note = readPartName(path.slice(this.#parts.length + 1));
        if (note === null) this.#disk.remove(path);
        else found.push({ ...note, path, size: this.#disk.size(path) });
      }
      return found.sort((a, b) => b.keptAt - a.keptAt || compareNames(a.digest, b.digest));
    });
  }

  discard(path: string): Promise<void> {
    return this.#answer(() => this.#disk.remove(path, { missing: 'fine' }));
  }

  #answer<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#delay(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(asStoreError(error));
        }
      });
    });
  }
}

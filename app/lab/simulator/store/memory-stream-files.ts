/** The StreamFiles port on the disk in memory, for the simulator. One is made for each life of a server; the files are the disk's. */
import { partName, partNote } from '../../../../shared/model/upload-part.ts';
import type {
  ContentPart,
  KeptPart,
  PartNote,
  StreamFiles,
} from '../../../../shared/ports/stream-files.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import { asStoreError } from './store-error.ts';

export interface MemoryStreamFilesOptions {
  /** Called with what delivers an answer, now or later. */
  readonly defer?: (deliver: () => void) => void;
}

/** Implements the StreamFiles port on a disk in memory. */
export class MemoryStreamFiles implements StreamFiles {
  readonly #disk: StoreDisk;
  readonly #folder: string;
  readonly #defer: (deliver: () => void) => void;
  #last = 0;

  constructor(disk: StoreDisk, folder: string, options: MemoryStreamFilesOptions = {}) {
    this.#disk = disk;
    this.#folder = folder;
    this.#defer = options.defer ?? ((deliver) => deliver());
  }

  open(): Promise<{ parts: KeptPart[]; damaged: number }> {
    return this.#answer(() => {
      const parts: KeptPart[] = [];
      let damaged = 0;
      for (const path of this.#disk.list(this.#folder)) {
        const name = path.slice(this.#folder.length + 1);
        const note = partNote(name);
        if (note !== null && this.#disk.size(path) === note.kept) {
          parts.push({ ...note, path });
          continue;
        }
        if (!/^made-\d+$/.test(name)) damaged++;
        this.#disk.remove(path);
      }
      return { parts, damaged };
    });
  }

  newPath(): string {
    return `${this.#folder}/made-${++this.#last}`;
  }

  makeEmpty(): Promise<string> {
    const path = this.newPath();
    return this.#answer(() => {
      this.#disk.write(path, new Uint8Array(0));
      return path;
    });
  }

  readParts(path: string, lengths: readonly number[]): Promise<ContentPart[]> {
    return this.#answer(() => {
      const whole = this.#disk.read(path);
      if (whole.length !== lengths.reduce((sum, length) => sum + length, 0)) {
        throw new GodwitError('length-mismatch');
      }
      let end = 0;
      return lengths.map((length) => {
        end += length;
        const bytes = whole.slice(end - length, end);
        return { bytes, digest: digestOf(bytes) };
      });
    });
  }

  moveIn(path: string): Promise<string> {
    const moved = this.newPath();
    return this.#answer(() => {
      this.#disk.rename(path, moved);
      return moved;
    });
  }

  keep(path: string, note: PartNote): Promise<string> {
    return this.#answer(() => {
      const kept = `${this.#folder}/${partName(note, ++this.#last)}`;
      this.#disk.sync(path);
      this.#disk.rename(path, kept);
      this.#disk.syncFolder(this.#folder);
      return kept;
    });
  }

  discard(path: string): Promise<void> {
    return this.#answer(() => this.#disk.remove(path, { missing: 'fine' }));
  }

  #answer<T>(run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    try {
      const value = run();
      this.#defer(() => resolve(value));
    } catch (error) {
      this.#defer(() => reject(asStoreError(error)));
    }
    return promise;
  }
}

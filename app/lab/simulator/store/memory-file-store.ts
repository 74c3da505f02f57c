/**
 * The FileStore port over the disk in memory. One is made for each life of a process; the files are the disk's.
 *
 * A call does its work when `delay` runs it, a moment before it is answered.
 */
import type {
  ContentPlace,
  FileStore,
  SealedContent,
} from '../../../../shared/ports/file-store.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Later } from '../clock/later.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import { asStoreError } from './store-error.ts';

const NOTHING = new Uint8Array(0);

export interface MemoryFileStoreOptions {
  readonly disk: StoreDisk;
  /** Absolute path of the store's folder on that disk. */
  readonly folder: string;
  /** Runs what it is given, now or later; at once where it is left out. */
  readonly delay?: Later;
}

/** Implements the FileStore port on a disk in memory. */
export class MemoryFileStore implements FileStore {
  readonly #disk: StoreDisk;
  readonly #contents: string;
  readonly #staging: string;
  readonly #out: string;
  readonly #lost: string;
  readonly #delay: Later;
  readonly #held = new Map<string, Uint8Array>();
  #given = 0;

  constructor({ disk, folder, delay }: MemoryFileStoreOptions) {
    this.#disk = disk;
    this.#contents = `${folder}/contents`;
    this.#staging = `${folder}/staging`;
    this.#out = `${folder}/out`;
    this.#lost = `${folder}/lost+found`;
    this.#delay = delay ?? ((run) => run());
    for (const path of [...disk.list(this.#staging), ...disk.list(this.#out)]) disk.remove(path);
  }

  pathOf(name: string): string {
    return `${this.#contents}/${name}`;
  }

  sourceOf(name: string): ContentPlace {
    return { path: this.pathOf(name), offset: 0 };
  }

  fileOf(name: string): Promise<string> {
    return Promise.resolve(this.pathOf(name));
  }

  hold(name: string, bytes: Uint8Array): void {
    this.#held.set(name, bytes);
  }

  adopt(spool: string, name: string): Promise<void> {
    return this.#synced(() => {
      this.#disk.sync(spool);
      this.#disk.rename(spool, this.pathOf(name));
      this.#disk.syncFolder(this.#contents);
    });
  }

  stage(name: string, from: string | null): Promise<void> {
    return this.#answer(() => {
      if (from === null) this.#disk.write(this.pathOf(name), NOTHING);
      else this.#copied(this.pathOf(from), name);
    });
  }

  copyIn(path: string, name: string): Promise<SealedContent> {
    return this.#synced(() => {
      this.#copied(path, name);
      return this.#sealed(name);
    });
  }

  seal(name: string, digest: string | null): Promise<SealedContent> {
    return this.#synced(() => {
      const held = this.#held.get(name);
      if (held !== undefined) this.#disk.write(this.pathOf(name), held);
      const sealed = this.#sealed(name);
      this.#held.delete(name);
      return digest === null ? sealed : { ...sealed, digest };
    });
  }

  finish(name: string, digest: string | null): Promise<SealedContent> {
    if (this.#held.has(name)) return this.seal(name, digest);
    return this.#answer(() => {
      const path = this.pathOf(name);
      return { digest: digest ?? this.#disk.digest(path), length: this.#disk.size(path) };
    });
  }

  sync(names: readonly string[]): Promise<void> {
    return this.#synced(() => {
      for (const name of names) this.#disk.sync(this.pathOf(name));
      this.#disk.syncFolder(this.#contents);
    });
  }

  check(name: string): Promise<SealedContent> {
    return this.#answer(() => {
      const path = this.pathOf(name);
      return { digest: this.#disk.digest(path), length: this.#disk.size(path) };
    });
  }

  take(name: string): Promise<string> {
    return this.#answer(() => this.#giveAway(this.pathOf(name), name));
  }

  copyOut(name: string): Promise<string> {
    return this.#answer(() => {
      const path = this.#newOut(name);
      this.#disk.copy(this.pathOf(name), path);
      return path;
    });
  }

  join(parts: ReadonlyArray<{ name: string; length: number }>): Promise<string> {
    return this.#answer(() => {
      const pieces = parts.map(({ name, length }) => {
        const bytes = this.#disk.read(this.pathOf(name));
        if (bytes.length === length) return bytes;
        throw new GodwitError('disk-failing', `${name} has another length`);
      });
      const path = this.#newOut('joined');
      this.#disk.write(path, Buffer.concat(pieces));
      return path;
    });
  }

  handOver(spool: string): Promise<string> {
    return this.#answer(() => this.#giveAway(spool, 'received'));
  }

  read(name: string, most: number): Promise<string | null> {
    return this.#answer(() => {
      const bytes = this.#disk.read(this.pathOf(name));
      if (bytes.length > most) return null;
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {
        return null;
      }
    });
  }

  remove(name: string): Promise<void> {
    this.#held.delete(name);
    return this.#answer(() => this.#disk.remove(this.pathOf(name), { missing: 'fine' }));
  }

  discard(spool: string): Promise<void> {
    return this.#answer(() => this.#disk.remove(spool, { missing: 'fine' }));
  }

  lose(name: string, readable: string): Promise<string> {
    return this.#synced(() => {
      const wanted = `${this.#lost}/${readable.replaceAll('/', '_')}`;
      let path = wanted;
      for (let i = 2; this.#disk.has(path); i++) path = `${wanted} (${i})`;
      this.#disk.sync(this.pathOf(name));
      this.#disk.rename(this.pathOf(name), path);
      this.#disk.syncFolder(this.#lost);
      this.#disk.syncFolder(this.#contents);
      return path;
    });
  }

  list(): Promise<Array<{ name: string; length: number }>> {
    return this.#answer(() =>
      this.#disk.list(this.#contents).map((path) => ({
        name: path.slice(this.#contents.length + 1),
        length: this.#disk.size(path),
      })),
    );
  }

  /** By way of `staging`, so that a name never has half of its bytes. */
  #copied(from: string, name: string): void {
    const copy = `${this.#staging}/${name}`;
    this.#disk.copy(from, copy);
    this.#disk.rename(copy, this.pathOf(name));
  }

  #sealed(name: string): SealedContent {
    const path = this.pathOf(name);
    this.#disk.sync(path);
    this.#disk.syncFolder(this.#contents);
    return { digest: this.#disk.digest(path), length: this.#disk.size(path) };
  }

  #giveAway(path: string, name: string): string {
    const to = this.#newOut(name);
    this.#disk.rename(path, to);
    return to;
  }

  #newOut(name: string): string {
    this.#given += 1;
    return `${this.#out}/${name}.${this.#given}`;
  }

  #synced<T>(work: () => T): Promise<T> {
    return this.#answer(work, true);
  }

  #answer<T>(work: () => T, syncs = false): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#delay(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(asStoreError(error));
        }
      }, syncs);
    });
  }
}

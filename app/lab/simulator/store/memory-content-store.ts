/**
 * The ContentStore port on the disk in memory, for the simulator. It holds nothing itself: a server that starts anew makes a new
 * one over the same disk.
 *
 * Syncs and renames happen when the method is called; `defer` may let the answer come later, in any order.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { ContentStore, Located } from '../../../../shared/ports/content-store.ts';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { CollectedStore } from '../../../../server/maintenance/collect/collect-contents.ts';
import type { Later } from '../clock/later.ts';
import { DiskError } from '../disk/memory-disk.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';

export interface MemoryContentStoreOptions {
  /** Called with what delivers an answer, now or later. */
  readonly defer?: Later;
}

/** Implements the ContentStore port on a disk in memory, and what collection asks of one. */
export class MemoryContentStore implements ContentStore, CollectedStore {
  readonly #disk: StoreDisk;
  readonly #folder: string;
  readonly #defer: Later;
  #failure: ErrorCode | null = null;
  /** What was put since the collection began that goes on; null: none does. */
  #young: Set<Digest> | null = null;

  constructor(disk: StoreDisk, folder: string, options: MemoryContentStoreOptions = {}) {
    this.#disk = disk;
    this.#folder = folder;
    this.#defer = options.defer ?? ((deliver) => deliver());
  }

  /** The next put is refused; its file stays where it is. */
  failNextPut(code: ErrorCode): void {
    this.#failure = code;
  }

  put(path: string, digest: Digest): Promise<void> {
    return this.#synced(() => {
      this.#mayFail();
      this.#young?.add(digest);
      this.#disk.sync(path);
      this.#disk.rename(path, this.#pathOf(digest));
      this.#disk.syncFolder(this.#contents());
    });
  }

  putBytes(bytes: Uint8Array, digest: Digest): Promise<void> {
    return this.#synced(() => {
      this.#mayFail();
      this.#young?.add(digest);
      const begun = `${this.#folder}/begun/${digest}`;
      this.#disk.write(begun, bytes);
      this.#disk.sync(begun);
      this.#disk.rename(begun, this.#pathOf(digest));
      this.#disk.syncFolder(this.#contents());
    });
  }

  locate(digest: Digest): Promise<Located | null> {
    const path = this.#pathOf(digest);
    return this.#answer(() =>
      this.#disk.has(path) ? { path, offset: 0, length: this.#disk.size(path) } : null,
    );
  }

  quarantine(digest: Digest): Promise<void> {
    return this.#synced(() => {
      if (!this.#disk.has(this.#pathOf(digest))) return;
      this.#disk.rename(this.#pathOf(digest), `${this.#folder}/quarantine/${digest}`);
      this.#disk.syncFolder(this.#contents());
      this.#disk.syncFolder(`${this.#folder}/quarantine`);
    });
  }

  remove(digest: Digest): Promise<void> {
    return this.#answer(() => this.#disk.remove(this.#pathOf(digest), { missing: 'fine' }));
  }

  discard(path: string): Promise<void> {
    return this.#answer(() => this.#disk.remove(path, { missing: 'fine' }));
  }

  beginCollection(): void {
    this.#young = new Set();
  }

  endCollection(): void {
    this.#young = null;
  }

  get isCollected(): boolean {
    return this.#young !== null;
  }

  isYoung(digest: Digest): boolean {
    return this.#young?.has(digest) === true;
  }

  /** All are old: a run lasts no week. */
  async *stored(): AsyncGenerator<{
    digest: Digest;
    length: number;
    when: number;
    isPacked: boolean;
  }> {
    for (const path of this.#disk.list(this.#contents())) {
      if (!this.#disk.has(path)) continue;
      const digest = path.slice(this.#contents().length + 1) as Digest;
      yield await Promise.resolve({
        digest,
        length: this.#disk.size(path),
        when: 0,
        isPacked: true,
      });
    }
  }

  async removeOld(digest: Digest): Promise<void> {
    if (!this.isYoung(digest)) await this.remove(digest);
  }

  removeFile(): Promise<void> {
    return Promise.resolve();
  }

  /** There are no packs. */
  compact(): ReturnType<CollectedStore['compact']> {
    return Promise.resolve({ packs: 0, bytes: 0, aside: 0, isCutShort: false });
  }

  #mayFail(): void {
    const code = this.#failure;
    this.#failure = null;
    if (code !== null) throw new GodwitError(code);
  }

  #contents(): string {
    return `${this.#folder}/contents`;
  }

  #pathOf(digest: Digest): string {
    return `${this.#contents()}/${digest}`;
  }

  #synced<T>(run: () => T): Promise<T> {
    return this.#answer(run, true);
  }

  #answer<T>(run: () => T, syncs = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    try {
      const value = run();
      this.#defer(() => resolve(value), syncs);
    } catch (error) {
      const isFull = error instanceof DiskError && error.code === 'ENOSPC';
      this.#defer(() => reject(isFull ? new GodwitError('server-full') : error), syncs);
    }
    return promise;
  }
}

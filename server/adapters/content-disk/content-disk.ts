/**
 * The ContentStore over a folder: `contents/ab/abcd...`, by the first two digits of the digest, and `quarantine/abcd...`.
 *
 * A content gets its name only when its bytes are on the disk: a file under a digest's name is whole, whenever the power goes.
 */
import { join } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { ContentStore, Located } from '../../../shared/ports/content-store.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { isMissing, nodeContentFiles, type ContentFiles } from './content-files.ts';
import { SharedSync } from './shared-sync.ts';

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
/** 256 folders: a million contents are some four thousand names in each. */
const FOLDER_DIGITS = 2;
const DIGEST = /^[0-9a-f]{64}$/;

export const contentFolder = (folder: string, digest: Digest): string =>
  join(folder, 'contents', digest.slice(0, FOLDER_DIGITS));

export const contentPath = (folder: string, digest: Digest): string =>
  join(contentFolder(folder, digest), digest);

/** Stores each content in a file named by its digest. Damaged contents move to `quarantine`. */
export class DiskContentStore implements ContentStore {
  readonly #folder: string;
  readonly #files: ContentFiles;
  readonly #syncs = new Map<string, SharedSync>();
  /** Folders that are there, durably. */
  readonly #made = new Map<string, Promise<void>>();
  #begun = 0;

  /** `folder` is there, on the same file system as the spool. `files`: for a test that wants to watch the disk. */
  constructor(folder: string, files: ContentFiles = nodeContentFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  async put(path: string, digest: Digest): Promise<void> {
    const target = this.#pathOf(digest);
    const folder = this.#folderOf(digest);
    try {
      await Promise.all([this.#files.syncFile(path), this.#makeFolder(folder)]);
      await this.#files.rename(path, target);
      await this.#sync(folder);
    } catch (error) {
      if (FULL.has((error as { code?: unknown }).code)) throw new GodwitError('server-full');
      throw error;
    }
  }

  async putBytes(bytes: Uint8Array, digest: Digest): Promise<void> {
    const path = `${this.#pathOf(digest)}.${(this.#begun += 1)}`;
    try {
      await this.#makeFolder(this.#folderOf(digest));
      await this.#files.write(path, bytes);
      await this.put(path, digest);
    } catch (error) {
      await this.#files.remove(path).catch(() => undefined);
      if (FULL.has((error as { code?: unknown }).code)) throw new GodwitError('server-full');
      throw error;
    }
  }

  async locate(digest: Digest): Promise<Located | null> {
    const path = this.#pathOf(digest);
    const found = await this.#files.look(path);
    return found === null ? null : { path, offset: 0, length: found.length };
  }

  async quarantine(digest: Digest): Promise<void> {
    const aside = join(this.#folder, 'quarantine');
    await this.#makeFolder(aside);
    try {
      await this.#files.rename(this.#pathOf(digest), join(aside, digest));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await Promise.all([this.#sync(aside), this.#sync(this.#folderOf(digest))]);
  }

  /** A damaged content that lay elsewhere. */
  async putAside(digest: Digest, bytes: Uint8Array): Promise<void> {
    const aside = join(this.#folder, 'quarantine');
    await this.#makeFolder(aside);
    const path = join(aside, digest);
    await this.#files.write(path, bytes);
    await this.#files.syncFile(path);
    await this.#sync(aside);
  }

  async remove(digest: Digest): Promise<void> {
    await this.#files.remove(this.#pathOf(digest));
  }

  /** When it was put, in milliseconds since 1970; never, if it is absent. */
  async putAt(digest: Digest): Promise<number> {
    return (await this.#files.look(this.#pathOf(digest)))?.when ?? Infinity;
  }

  async discard(path: string): Promise<void> {
    await this.#files.remove(path);
  }

  /** Every content, by digest. What has another name than one is left alone. */
  async *list(): AsyncGenerator<{ digest: Digest; length: number; when: number }> {
    const contents = join(this.#folder, 'contents');
    for (const folder of await this.#files.list(contents)) {
      for (const name of await this.#files.list(join(contents, folder))) {
        if (!DIGEST.test(name)) continue;
        const found = await this.#files.look(join(contents, folder, name));
        if (found !== null) yield { digest: name as Digest, ...found };
      }
    }
  }

  #folderOf(digest: Digest): string {
    return contentFolder(this.#folder, digest);
  }

  #pathOf(digest: Digest): string {
    return contentPath(this.#folder, digest);
  }

  #makeFolder(folder: string): Promise<void> {
    let made = this.#made.get(folder);
    if (made === undefined) {
      made = this.#makeDurable(folder);
      this.#made.set(folder, made);
      // One that failed is tried again by the next who needs it.
      made.catch(() => this.#made.delete(folder));
    }
    return made;
  }

  async #makeDurable(folder: string): Promise<void> {
    await this.#files.makeFolder(folder);
    // Also where it was there: the process that made it may have ended before its sync.
    const above = join(folder, '..');
    await this.#sync(above);
    if (above !== this.#folder) await this.#sync(join(above, '..'));
  }

  #sync(folder: string): Promise<void> {
    let sync = this.#syncs.get(folder);
    if (sync === undefined) {
      sync = new SharedSync(() => this.#files.syncFolder(folder));
      this.#syncs.set(folder, sync);
    }
    return sync.request();
  }
}

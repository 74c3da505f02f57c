/** Contents that are files of their own: those that the backup has not are copied, and get their name when they are whole. */
import { join } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import { contentFolder, contentPath } from '../../adapters/content-disk/content-disk.ts';
import { isMissing } from '../../adapters/content-disk/content-files.ts';
import type { CopyParts } from './copy-packs.ts';

export interface CopiedFile {
  /** `gone`: neither side has it. `damaged`: it is not what its name says, and was not copied. */
  readonly what: 'copied' | 'there' | 'gone' | 'damaged';
  readonly length: number;
}

/** Copies contents that are files of their own into a backup, each held against its digest. */
export class FileCopier {
  readonly #at: CopyParts;
  readonly #verify: boolean;
  readonly #made = new Set<string>();

  constructor(at: CopyParts, verify: boolean) {
    this.#at = at;
    this.#verify = verify;
  }

  async copy(digest: Digest): Promise<CopiedFile> {
    const { source, target, files, host, copied } = this.#at;
    const [from, to] = [contentPath(source, digest), contentPath(target, digest)];
    const there = await files.length(to);
    if (there !== null && !this.#verify) return { what: 'there', length: there };
    if (there !== null && (await host.digestFile(to)).digest === digest) {
      return { what: 'there', length: there };
    }
    const length = await files.length(from);
    if (length === null) return { what: there === null ? 'gone' : 'damaged', length: 0 };
    await this.#makeFolder(digest);
    await files.remove(`${to}.new`);
    try {
      await files.copyPart(from, `${to}.new`, { start: 0, end: length }, copied);
    } catch (error) {
      // The server has put it aside meanwhile.
      if (isMissing(error)) return { what: 'gone', length: 0 };
      throw error;
    }
    if ((await host.digestFile(`${to}.new`)).digest !== digest) {
      await files.remove(`${to}.new`);
      return { what: 'damaged', length };
    }
    await files.rename(`${to}.new`, to);
    return { what: 'copied', length };
  }

  /** All that was copied has its name durably. */
  async sync(): Promise<void> {
    const { files, target } = this.#at;
    for (const folder of this.#made) await files.syncFolder(folder);
    if (this.#made.size === 0) return;
    await files.syncFolder(join(target, 'contents'));
    await files.syncFolder(target);
  }

  async #makeFolder(digest: Digest): Promise<void> {
    const { files, target } = this.#at;
    const folder = contentFolder(target, digest);
    if (this.#made.has(folder)) return;
    await files.makeFolder(join(target, 'contents'));
    await files.makeFolder(folder);
    this.#made.add(folder);
  }
}

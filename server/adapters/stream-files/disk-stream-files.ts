/** The StreamFiles port over one folder of the server's disk: parts carry their note in their name, all else is temporary. */
import { join } from 'node:path';
import { partName, partNote } from '../../../shared/model/upload-part.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type {
  ContentPart,
  KeptPart,
  PartNote,
  StreamFiles,
} from '../../../shared/ports/stream-files.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { nodeContentFiles, type ContentFiles } from '../content-disk/content-files.ts';

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
const TEMPORARY = /^made-\d+$/;

/** Temporary files and kept upload parts of the server, in one folder. */
export class DiskStreamFiles implements StreamFiles {
  readonly #folder: string;
  readonly #host: Pick<Host, 'readParts'>;
  readonly #files: ContentFiles;
  #last = 0;

  /** `folder` is on the file system of contents and spool. `files`: for a test that watches the disk, or fails it. */
  constructor(
    folder: string,
    host: Pick<Host, 'readParts'>,
    files: ContentFiles = nodeContentFiles,
  ) {
    this.#folder = folder;
    this.#host = host;
    this.#files = files;
  }

  async open(): Promise<{ parts: KeptPart[]; damaged: number }> {
    await coded(this.#files.makeFolder(this.#folder));
    const parts: KeptPart[] = [];
    let damaged = 0;
    for (const name of await coded(this.#files.list(this.#folder))) {
      const path = join(this.#folder, name);
      const note = partNote(name);
      const found = note === null ? null : await this.#files.look(path).catch(() => null);
      if (note !== null && found?.length === note.kept) {
        parts.push({ ...note, path });
        continue;
      }
      if (!TEMPORARY.test(name)) damaged++;
      // A file that can't be removed does no harm.
      await this.#files.remove(path).catch(() => undefined);
    }
    return { parts, damaged };
  }

  newPath(): string {
    return join(this.#folder, `made-${++this.#last}`);
  }

  async makeEmpty(): Promise<string> {
    const path = this.newPath();
    await coded(this.#files.write(path, new Uint8Array(0)));
    return path;
  }

  async moveIn(path: string): Promise<string> {
    const moved = this.newPath();
    await coded(this.#files.rename(path, moved));
    return moved;
  }

  async keep(path: string, note: PartNote): Promise<string> {
    const kept = join(this.#folder, partName(note, ++this.#last));
    await coded(this.#files.syncFile(path));
    await coded(this.#files.rename(path, kept));
    await coded(this.#files.syncFolder(this.#folder));
    return kept;
  }

  async readParts(path: string, lengths: readonly number[]): Promise<ContentPart[]> {
    try {
      return await this.#host.readParts(path, lengths);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'EINVAL') throw new GodwitError('length-mismatch');
      return coded(Promise.reject(error as Error));
    }
  }

  async discard(path: string): Promise<void> {
    await coded(this.#files.remove(path));
  }
}

async function coded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isFull = FULL.has((error as { code?: unknown }).code);
    throw new GodwitError(isFull ? 'disk-full' : 'disk-failing', String(error));
  }
}

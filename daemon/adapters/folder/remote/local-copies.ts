/**
 * Contents that are in place in the folder, copied for the daemon and checked on the way: what is there need not be fetched.
 */
import { dirname, join } from 'node:path';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { LocalCopy } from '../../../../shared/ports/file-store.ts';
import type { Random } from '../../../../shared/ports/random.ts';
import { coded, codeOf } from '../../store/disk-errors.ts';
import type { Disk } from '../disk/disk.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import { isUntouched } from '../disk/disk-facts.ts';

/** What the place of the copies says, and the contents may be sound all the same. */
const NO_COPY: ReadonlySet<unknown> = new Set(['disk-full', 'disk-failing']);

export interface LocalCopiesParts {
  readonly root: SafeRoot;
  readonly files: Disk;
  readonly random: Pick<Random, 'hex'>;
  /** Where the copies are put. */
  readonly dataDir: string;
  readonly records: FolderRecords;
}

/** Copies contents that are in place in the folder, so that the daemon need not fetch them. */
export class LocalCopies {
  readonly #parts: LocalCopiesParts;

  constructor(parts: LocalCopiesParts) {
    this.#parts = parts;
  }

  /** A private copy of the contents with this digest; null: they are not here. Throws `disk-full`, `disk-failing`. */
  async of(fid: Fid, digest: Digest): Promise<string | null> {
    const { root, dataDir, records, random } = this.#parts;
    const record = records.get(fid);
    const [place] = records.names(fid);
    const path = place === undefined ? null : records.pathOfPlace(place);
    if (!record?.disk || path === null || place === undefined) return null;
    if (record.placeholder === true) return null;
    // The version may be one that the server lost, or has not told yet: the contents are what counts.
    if (record.digest !== digest) return null;
    const facts = root.factsOrNull(path);
    if (facts === null || !isUntouched(facts, record.disk)) return null;
    const copy = join(dataDir, 'folder-copies', random.hex(12));
    try {
      const copied = await coded(this.#copy(path, copy));
      if (copied.digest === digest) return copy;
      this.#parts.files.remove(copy);
    } catch (error) {
      this.#removeIfPossible(copy);
      // Gone or unreadable meanwhile: then it is fetched. What can be read is here, though the disk takes no copy of it.
      if (NO_COPY.has(codeOf(error)) && (await this.#isReadable(path, digest))) throw error;
    }
    return null;
  }

  async #copy(path: readonly string[], copy: string): Promise<{ digest: string }> {
    const { root, files } = this.#parts;
    files.makeDirectories(dirname(copy), 0o700);
    return root.reading(path, (file) => files.copyFile(file, copy, { sync: false }));
  }

  async #isReadable(path: readonly string[], digest: Digest): Promise<boolean> {
    const { root, files } = this.#parts;
    const reading = root.reading(path, (file) => files.digestFile(file));
    return reading.then((read) => read.digest === digest).catch(() => false);
  }

  /** A private copy of whatever is in place. */
  async any(fid: Fid): Promise<LocalCopy | null> {
    const record = this.#parts.records.get(fid);
    if (record === null || record.digest === null) return null;
    const { version, digest, size: length } = record;
    const path = await this.of(fid, digest);
    return path === null ? null : { path, version, digest, length };
  }

  /** Where it can not be, its disk has just said so. */
  #removeIfPossible(path: string): void {
    try {
      this.#parts.files.remove(path);
    } catch {
      return;
    }
  }
}

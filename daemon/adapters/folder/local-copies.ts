/**
 * Contents that are in place in the folder, copied for the daemon and checked on the way: what is there need not be fetched.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import { coded, codeOf } from '../store/disk-errors.ts';
import type { FolderParts } from './build-folder.ts';
import { isUntouched } from './disk-facts.ts';

type LocalCopiesParts = Pick<FolderParts, 'root' | 'host' | 'dataDir' | 'loaded'>;

export class LocalCopies {
  readonly #parts: LocalCopiesParts;

  constructor(parts: LocalCopiesParts) {
    this.#parts = parts;
  }

  /** A private copy of the contents with this digest; null: they are not here. */
  async of(fid: Fid, digest: Digest): Promise<string | null> {
    const { root, host, dataDir, loaded } = this.#parts;
    const record = loaded.records.get(fid);
    const [place] = loaded.records.names(fid);
    const path = place === undefined ? null : loaded.records.pathOfPlace(place);
    if (!record?.disk || path === null || place === undefined) return null;
    // The version may be one that the server lost, or has not told yet: the contents are what counts.
    if (record.digest !== digest) return null;
    const facts = root.facts(path.slice(0, -1), place.name);
    if (facts === null || !isUntouched(facts, record.disk)) return null;
    const folder = join(dataDir, 'folder-copies');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copy = join(folder, randomBytes(12).toString('hex'));
    try {
      const copying = root.reading(path, (file) => host.copyFile(file, copy, { sync: false }));
      const copied = await coded(copying);
      if (copied.digest === digest) return copy;
    } catch (error) {
      if (codeOf(error) === 'disk-full') {
        rmSync(copy, { force: true });
        throw error;
      }
      // Gone or unreadable meanwhile: then it is fetched.
    }
    rmSync(copy, { force: true });
    return null;
  }

  /** A private copy of whatever is in place. */
  async any(fid: Fid): Promise<LocalCopy | null> {
    const record = this.#parts.loaded.records.get(fid);
    if (record === null || record.digest === null) return null;
    const { version, digest, size: length } = record;
    const path = await this.of(fid, digest);
    return path === null ? null : { path, version, digest, length };
  }
}

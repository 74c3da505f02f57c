/**
 * The TransferFiles port on a folder of this machine: `made` for what is on its way, emptied at the start, and `parts`.
 *
 * A part's name is its note (model/part-note.ts).
 */
import { rmSync } from 'node:fs';
import { link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareNames } from '../../../shared/model/names.ts';
import { partName, readPartName, type PartNote } from '../../../shared/model/part-note.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { KeptPart, TransferFiles } from '../../../shared/ports/transfer-files.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { coded, syncFolder } from './disk-errors.ts';
import { SharedSync } from './shared-sync.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface DiskTransferFilesOptions {
  /** Absolute path; made if it is missing. One daemon at a time uses it. */
  readonly folder: string;
  readonly host: Host;
}

/** Temporary files and kept parts of transfers, in two folders of this machine. */
export class DiskTransferFiles implements TransferFiles {
  readonly #made: string;
  readonly #parts: string;
  readonly #sync: SharedSync;
  #last = 0;

  constructor({ folder, host }: DiskTransferFilesOptions) {
    this.#made = join(folder, 'made');
    this.#parts = join(folder, 'parts');
    this.#sync = new SharedSync(() => syncFolder(this.#parts, host));
    rmSync(this.#made, { recursive: true, force: true });
    for (const path of [this.#made, this.#parts]) {
      makeFolder(path, PRIVATE_FOLDER);
    }
  }

  newPath(): string {
    this.#last += 1;
    return join(this.#made, String(this.#last));
  }

  makeEmpty(): Promise<string> {
    const path = this.newPath();
    return coded(
      (async () => {
        await writeFile(path, '', { flag: 'wx', mode: PRIVATE_FILE });
        return path;
      })(),
    );
  }

  link(path: string): Promise<string> {
    const to = this.newPath();
    return coded(link(path, to).then(() => to));
  }

  keep(path: string, note: PartNote): Promise<string> {
    return coded(
      (async () => {
        const file = await open(path, 'r+');
        try {
          await file.sync();
        } finally {
          await file.close();
        }
        const kept = join(this.#parts, partName(note));
        await rename(path, kept);
        await this.#sync.request();
        return kept;
      })(),
    );
  }

  parts(): Promise<KeptPart[]> {
    return coded(
      (async () => {
        const found: KeptPart[] = [];
        for (const name of await readdir(this.#parts)) {
          const path = join(this.#parts, name);
          const note = readPartName(name);
          const facts = await stat(path);
          if (note !== null && facts.isFile()) found.push({ ...note, path, size: facts.size });
          else await rm(path, { recursive: true, force: true });
        }
        return found.sort((a, b) => b.keptAt - a.keptAt || compareNames(a.digest, b.digest));
      })(),
    );
  }

  discard(path: string): Promise<void> {
    return coded(rm(path, { force: true }));
  }
}

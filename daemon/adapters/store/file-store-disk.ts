/**
 * The FileStore port on a folder of this machine.
 *
 * Folders beneath it: `contents`, the store itself, a file per name; `staging`, copies being made, so that a name never has
 * half of its bytes; `out`, what was given away; `lost+found`, for people. `staging` and `out` are emptied at the start.
 * The spool must be on the same file system: a received file is moved, not copied.
 *
 * Work on files runs beside JavaScript, so much at a time; what is sealed side by side is synced as one group, and syncs of the folder
 * are shared, or a thousand small files would each pay for one.
 */
import { constants, rmSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_TASKS } from '../../limits.ts';
import { compareNames, nameFault } from '../../../shared/model/names.ts';
import type { FileStore, SealedContent } from '../../../shared/ports/file-store.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { coded, codeOf, removeFile, syncFolder } from './disk-errors.ts';
import { GroupSync } from './group-sync.ts';
import { SharedSync } from './shared-sync.ts';
import { Slots } from '../../../shared/slots/slots.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface DiskFileStoreOptions {
  /** Absolute path; made where it is missing. One store at a time uses it. */
  readonly folder: string;
  readonly host: Host;
}

export class DiskFileStore implements FileStore {
  readonly #host: Host;
  readonly #contents: string;
  readonly #staging: string;
  readonly #out: string;
  readonly #lost: string;
  readonly #slots = new Slots(FILE_TASKS);
  readonly #contentsSync: SharedSync;
  readonly #lostSync: SharedSync;
  readonly #sealed: GroupSync;
  #given = 0;

  constructor({ folder, host }: DiskFileStoreOptions) {
    this.#host = host;
    this.#contents = join(folder, 'contents');
    this.#staging = join(folder, 'staging');
    this.#out = join(folder, 'out');
    this.#lost = join(folder, 'lost+found');
    this.#contentsSync = new SharedSync(() => syncFolder(this.#contents, host));
    this.#lostSync = new SharedSync(() => syncFolder(this.#lost, host));
    this.#sealed = new GroupSync(this.#contents, host);
    rmSync(this.#staging, { recursive: true, force: true });
    rmSync(this.#out, { recursive: true, force: true });
    for (const path of [this.#contents, this.#staging, this.#out, this.#lost]) {
      makeFolder(path, PRIVATE_FOLDER);
    }
    host.syncDirectory(folder);
  }

  pathOf(name: string): string {
    return join(this.#contents, name);
  }

  async adopt(spool: string, name: string): Promise<void> {
    await this.#work(async () => {
      await this.#host.syncPath(spool);
      await rename(spool, this.pathOf(name));
    });
    await this.#syncContents();
  }

  stage(name: string, from: string | null): Promise<void> {
    return this.#work(async () => {
      if (from === null) {
        return writeFile(this.pathOf(name), '', { flag: 'wx', mode: PRIVATE_FILE });
      }
      const copy = join(this.#staging, name);
      await copyOf(this.pathOf(from), copy);
      await rename(copy, this.pathOf(name));
    });
  }

  async copyIn(path: string, name: string): Promise<SealedContent> {
    const sealed = await this.#work(async () => {
      const copy = join(this.#staging, name);
      const { digest, length } = await this.#host.copyFile(path, copy, { sync: true });
      await rename(copy, this.pathOf(name));
      return { digest, length };
    });
    await this.#syncContents();
    return sealed;
  }

  async seal(name: string, digest: string | null): Promise<SealedContent> {
    const length = await coded(this.#sealed.sync(this.pathOf(name)));
    return digest === null ? this.check(name) : { digest, length };
  }

  check(name: string): Promise<SealedContent> {
    return this.#work(async () => {
      const { digest, length } = await this.#host.digestFile(this.pathOf(name));
      return { digest, length };
    });
  }

  take(name: string): Promise<string> {
    return this.#giveAway(this.pathOf(name), name);
  }

  copyOut(name: string): Promise<string> {
    return this.#work(async () => {
      const to = this.#newOut(name);
      await copyOf(this.pathOf(name), to);
      return to;
    });
  }

  join(parts: ReadonlyArray<{ name: string; length: number }>): Promise<string> {
    return this.#work(async () => {
      const to = this.#newOut('joined');
      const from = parts.map(({ name, length }) => ({ path: this.pathOf(name), length }));
      await this.#host.joinFiles(from, to);
      return to;
    });
  }

  handOver(spool: string): Promise<string> {
    return this.#giveAway(spool, 'received');
  }

  read(name: string, most: number): Promise<string | null> {
    return this.#work(async () => {
      const { size } = await stat(this.pathOf(name));
      if (size > most) return null;
      return textOf(await readFile(this.pathOf(name)));
    });
  }

  remove(name: string): Promise<void> {
    return this.#work(() => removeFile(this.pathOf(name)));
  }

  discard(spool: string): Promise<void> {
    return this.#work(() => removeFile(spool));
  }

  async lose(name: string, readable: string): Promise<string> {
    const lost = await this.#work(async () => {
      await this.#host.syncPath(this.pathOf(name));
      return this.#moveToLost(name, readable.replaceAll('/', '_'));
    });
    // The new name first: there is no moment in which the file has none.
    await this.#lostSync.request();
    await this.#syncContents();
    return lost;
  }

  async list(): Promise<Array<{ name: string; length: number }>> {
    const entries = await this.#work(() => readdir(this.#contents, { withFileTypes: true }));
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const found = await Promise.all(names.map((name) => this.#lengthOf(name)));
    return found.filter((file) => file !== null).sort((a, b) => compareNames(a.name, b.name));
  }

  /** null: it was removed meanwhile. */
  async #lengthOf(name: string): Promise<{ name: string; length: number } | null> {
    try {
      const { size } = await this.#work(() => stat(this.pathOf(name)));
      return { name, length: size };
    } catch (error) {
      if (error instanceof GodwitError && error.code === 'not-found') return null;
      throw error;
    }
  }

  #giveAway(path: string, name: string): Promise<string> {
    return this.#work(async () => {
      const to = this.#newOut(name);
      await rename(path, to);
      return to;
    });
  }

  /** A dot is in no name of the store, so nothing given away gets another one's path. */
  #newOut(name: string): string {
    this.#given += 1;
    return join(this.#out, `${name}.${this.#given}`);
  }

  /** Under the first of the readable name, it with (2), (3) and so on, that is free. */
  #moveToLost(name: string, readable: string): string {
    for (let i = 1; ; i++) {
      const numbered = (base: string): string => (i === 1 ? base : `${base} (${i})`);
      const wanted = numbered(readable);
      const to = join(this.#lost, nameFault(wanted) === null ? wanted : numbered(name));
      try {
        this.#host.renameNoReplace(this.pathOf(name), to);
        return to;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  #syncContents(): Promise<void> {
    return coded(this.#contentsSync.request());
  }

  #work<T>(work: () => Promise<T>): Promise<T> {
    return coded(this.#slots.run(work));
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A writable copy, sharing blocks where the file system can. On failure nothing is left at `to`. */
async function copyOf(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, PRIVATE_FILE);
  } catch (error) {
    await removeFile(to);
    throw error;
  }
}

/**
 * The FileStore port on a folder of this machine.
 *
 * Folders beneath it: `contents`, the store itself, a file per name; `packs`, with short contents that came as bytes; `staging`, copies being made, so that a name never has
 * half of its bytes; `out`, what was given away; `lost+found`, for people. `staging` and `out` are emptied at the start.
 * The spool must be on the same file system: a received file is moved, not copied.
 *
 * Work on files runs off the JavaScript thread, FILE_TASKS at a time; what is sealed side by side is synced as one group, and syncs of the folder
 * are shared, or a thousand small files would each pay for one.
 */
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_TASKS } from '../../limits.ts';
import { compareNames, nameFault } from '../../../shared/model/names.ts';
import type { ContentPlace, FileStore, SealedContent } from '../../../shared/ports/file-store.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { ContentsInPacks } from './contents-in-packs.ts';
import { coded, codeOf, removeFile, syncFolder } from './disk-errors.ts';
import { GroupSync } from './group-sync.ts';
import { readRanges } from './read-ranges.ts';
import { SharedSync } from './shared-sync.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface DiskFileStoreOptions {
  /** Absolute path; made if it is missing. One store at a time uses it. */
  readonly folder: string;
  readonly host: Host;
}

/** The file store in folders of this machine. At most FILE_TASKS long operations run at a time. */
export class DiskFileStore implements FileStore {
  readonly #host: Host;
  readonly #contents: string;
  readonly #staging: string;
  readonly #out: string;
  readonly #lost: string;
  readonly #slots = new Semaphore(FILE_TASKS);
  readonly #contentsSync: SharedSync;
  readonly #lostSync: SharedSync;
  readonly #sealed: GroupSync;
  readonly #packed: ContentsInPacks;
  /** Of those in packs, which have a file as well: it is not durable. */
  readonly #unpacked = new Set<string>();
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
    const packs = join(folder, 'packs');
    for (const path of [this.#contents, packs, this.#staging, this.#out, this.#lost]) {
      makeFolder(path, PRIVATE_FOLDER);
    }
    host.syncDirectory(folder);
    this.#packed = new ContentsInPacks({ packs, staging: this.#staging, lost: this.#lost }, host);
    for (const { name } of this.#packed.list()) rmSync(this.pathOf(name), { force: true });
  }

  pathOf(name: string): string {
    return join(this.#contents, name);
  }

  sourceOf(name: string): ContentPlace {
    const place = this.#packed.placeOf(name);
    if (place === null) return { path: this.pathOf(name), offset: 0 };
    return { path: place.path, offset: place.offset };
  }

  fileOf(name: string): Promise<string> {
    if (this.#packed.placeOf(name) === null || this.#unpacked.has(name)) {
      return Promise.resolve(this.pathOf(name));
    }
    return this.#work(async () => {
      await this.#copied(name, name);
      this.#unpacked.add(name);
      return this.pathOf(name);
    });
  }

  hold(name: string, bytes: Uint8Array): void {
    this.#packed.hold(name, bytes);
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
      if (from === null) return makeFile(this.pathOf(name));
      await this.#copied(from, name);
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
    if (this.#packed.isHeld(name)) await coded(this.#packed.seal(name));
    const packed = this.#packed.placeOf(name)?.length;
    const length = packed ?? (await coded(this.#sealed.sync(this.pathOf(name))));
    return digest === null ? this.check(name) : { digest, length };
  }

  /** Bytes that were held go into a pack, and are durable with it. */
  async finish(name: string, digest: string | null): Promise<SealedContent> {
    if (this.#packed.isHeld(name)) return this.seal(name, digest);
    if (digest === null) return this.check(name);
    const { size: length } = await this.#work(() => stat(this.pathOf(name)));
    return { digest, length };
  }

  async sync(names: readonly string[]): Promise<void> {
    const files = names.filter((name) => this.#packed.placeOf(name) === null);
    await coded(Promise.all(files.map((name) => this.#sealed.sync(this.pathOf(name)))));
  }

  check(name: string): Promise<SealedContent> {
    return this.#work(async () => {
      const place = this.#packed.placeOf(name);
      if (place === null) return this.#host.digestFile(this.pathOf(name));
      return this.#host.digestPart(place.path, place.offset, place.length);
    });
  }

  async take(name: string): Promise<string> {
    if (this.#packed.placeOf(name) === null) return this.#giveAway(this.pathOf(name), name);
    const path = await this.copyOut(name);
    await this.remove(name);
    return path;
  }

  copyOut(name: string): Promise<string> {
    return this.#work(async () => {
      const to = this.#newOut(name);
      await this.#copyOf(name, to);
      return to;
    });
  }

  join(parts: ReadonlyArray<{ name: string; length: number }>): Promise<string> {
    return this.#work(async () => {
      const to = this.#newOut('joined');
      const from = parts.map(({ name, length }) => this.#partOf(name, length));
      if (from.some(({ offset }) => offset !== null)) {
        await writeFile(to, await readRanges(from), { flag: 'wx', mode: PRIVATE_FILE });
      } else {
        await this.#host.joinFiles(from, to);
      }
      return to;
    });
  }

  handOver(spool: string): Promise<string> {
    return this.#giveAway(spool, 'received');
  }

  read(name: string, most: number): Promise<string | null> {
    return this.#work(async () => {
      const place = this.#packed.placeOf(name);
      if (place !== null) return place.length > most ? null : textOf(await readRanges([place]));
      const { size } = await stat(this.pathOf(name));
      if (size > most) return null;
      return textOf(await readFile(this.pathOf(name)));
    });
  }

  remove(name: string): Promise<void> {
    return this.#work(async () => {
      const hasFile = this.#packed.placeOf(name) === null || this.#unpacked.delete(name);
      await this.#packed.remove(name);
      if (hasFile) await removeFile(this.pathOf(name));
    });
  }

  discard(spool: string): Promise<void> {
    return this.#work(() => removeFile(spool));
  }

  async lose(name: string, readable: string): Promise<string> {
    await this.fileOf(name);
    const lost = await this.#work(async () => {
      await this.#host.syncPath(this.pathOf(name));
      return this.#moveToLost(name, readable.replaceAll('/', '_'));
    });
    // The new name first: there is no moment in which the file has none.
    await this.#lostSync.request();
    await this.#syncContents();
    this.#unpacked.delete(name);
    await this.#packed.remove(name);
    return lost;
  }

  async list(): Promise<Array<{ name: string; length: number }>> {
    const entries = await this.#work(() => readdir(this.#contents, { withFileTypes: true }));
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const inFiles = names.filter((name) => !this.#unpacked.has(name));
    const found = await Promise.all(inFiles.map((name) => this.#lengthOf(name)));
    return [...found.filter((file) => file !== null), ...this.#packed.list()].sort((a, b) =>
      compareNames(a.name, b.name),
    );
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

  /** A file of its own with the bytes of another content: by way of `staging`, under a name that no other call copies to meanwhile. */
  async #copied(from: string, name: string): Promise<void> {
    this.#given += 1;
    const copy = join(this.#staging, `${name}.${this.#given}`);
    await this.#copyOf(from, copy);
    await rename(copy, this.pathOf(name));
  }

  async #copyOf(name: string, to: string): Promise<void> {
    const place = this.#packed.placeOf(name);
    if (place === null) return copyOf(this.pathOf(name), to);
    await writeFile(to, await readRanges([place]), { flag: 'wx', mode: PRIVATE_FILE });
  }

  /** `offset` null: the whole of a file, which has to be as long. */
  #partOf(name: string, length: number): { path: string; offset: number | null; length: number } {
    const place = this.#packed.placeOf(name);
    if (place === null) return { path: this.pathOf(name), offset: null, length };
    if (place.length === length) return place;
    throw new GodwitError('disk-failing', `${name} has another length`);
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

/** Two short calls: threads for them would take ten times as long. */
function makeFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE));
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

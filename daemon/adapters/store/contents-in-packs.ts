/**
 * Short contents, many in a file and with one sync for all of them (rule D1): a file and an fsync for each would cost a disk more than their bytes.
 *
 * What is sealed while a pack is being written goes into the next one, so that on a slow disk they are few and large, and a lone content waits for
 * nobody. A pack is written beside, synced, and then has its name: one with a name is whole. It goes when the last content of it has gone; short ones are on
 * their way to the server, and soon are.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../../../shared/ports/host.ts';
import type { ContentPlace } from '../../../shared/ports/file-store.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MOST_SYNCED, PACK_BYTES } from '../../limits.ts';
import { removeFile } from './disk-errors.ts';
import { decodeHeader, decodeTable, encodePack, HEADER_BYTES, type Packed } from './pack-format.ts';
import { SharedSync } from './shared-sync.ts';

const PRIVATE_FILE = 0o600;
const SIDE_BY_SIDE = 2;
const PACK_NAME = /^p([1-9][0-9]{0,14})$/;

interface Pack {
  readonly path: string;
  left: number;
}

interface Place {
  readonly pack: Pack;
  readonly offset: number;
  readonly length: number;
}

interface Waiting {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface PackFolders {
  readonly packs: string;
  /** Of the same file system; emptied at the start. */
  readonly staging: string;
  /** For people: what is no pack, and should be one. */
  readonly lost: string;
}

/** Stores short contents in packs: many in one file, with one sync for all of them (rule D1). */
export class ContentsInPacks {
  readonly #folders: PackFolders;
  readonly #host: Pick<Host, 'syncPath'>;
  readonly #names: SharedSync;
  readonly #held = new Map<string, Uint8Array>();
  readonly #places = new Map<string, Place>();
  #waiting: Waiting[] = [];
  /** Being written; false: it is no longer needed. */
  readonly #writing = new Map<string, boolean>();
  #running = 0;
  #last = 0;

  /** Reads what is there: call it when `packs` is. */
  constructor(folders: PackFolders, host: Pick<Host, 'syncPath'>) {
    this.#folders = folders;
    this.#host = host;
    this.#names = new SharedSync(async () => {
      await host.syncPath(folders.packs);
    });
    for (const name of readdirSync(folders.packs)) this.#load(name);
  }

  hold(name: string, bytes: Uint8Array): void {
    this.#held.set(name, bytes);
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  /** null: it is in no pack. */
  placeOf(name: string): (ContentPlace & { readonly length: number }) | null {
    const place = this.#places.get(name);
    if (place === undefined) return null;
    const { pack, offset, length } = place;
    return { path: pack.path, offset, length };
  }

  list(): Array<{ name: string; length: number }> {
    return [...this.#places].map(([name, { length }]) => ({ name, length }));
  }

  /** Resolves when what is held under the name survives a loss of power. Rejects as the disk does; then it is held still. */
  seal(name: string): Promise<void> {
    const bytes = this.#held.get(name);
    if (bytes === undefined) return Promise.reject(new GodwitError('not-found', name));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ name, bytes, done: resolve, failed: reject });
    if (this.#running < SIDE_BY_SIDE) void this.#run();
    return promise;
  }

  /** Does nothing if it is in no pack. */
  async remove(name: string): Promise<void> {
    this.#held.delete(name);
    if (this.#writing.has(name)) this.#writing.set(name, false);
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    place.pack.left -= 1;
    if (place.pack.left === 0) await removeFile(place.pack.path);
  }

  async #run(): Promise<void> {
    this.#running += 1;
    // Those who ask in the same turn go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#write(this.#nextGroup());
    this.#running -= 1;
  }

  #nextGroup(): Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting, index) => {
      bytes += waiting.bytes.length;
      return index > 0 && (index >= MOST_SYNCED || bytes > PACK_BYTES);
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    for (const { name } of group) this.#writing.set(name, true);
    this.#last += 1;
    const file = `p${this.#last}`;
    const path = join(this.#folders.packs, file);
    const { bytes, packed } = encodePack(group);
    try {
      await this.#makePack(join(this.#folders.staging, file), path, bytes);
    } catch (error) {
      for (const { name, failed } of group) {
        this.#writing.delete(name);
        failed(error);
      }
      return;
    }
    const pack: Pack = { path, left: group.length };
    for (const { name, offset, length } of packed) {
      this.#places.set(name, { pack, offset, length });
      this.#held.delete(name);
    }
    const unwanted = group.filter(({ name }) => this.#writing.get(name) === false);
    for (const { name, done } of group) {
      this.#writing.delete(name);
      done();
    }
    for (const { name } of unwanted) await this.remove(name).catch(() => undefined);
  }

  async #makePack(beside: string, path: string, bytes: Buffer): Promise<void> {
    try {
      await writeFile(beside, bytes, { flag: 'wx', mode: PRIVATE_FILE });
      await this.#host.syncPath(beside);
      await rename(beside, path);
      await this.#names.request();
    } catch (error) {
      // What stays is dropped at the next start: nothing in it was answered.
      await Promise.allSettled([removeFile(beside), removeFile(path)]);
      throw error;
    }
  }

  #load(file: string): void {
    const number = PACK_NAME.exec(file)?.[1];
    if (number === undefined) return;
    this.#last = Math.max(this.#last, Number(number));
    const path = join(this.#folders.packs, file);
    const packed = readTable(path);
    if (packed === null) {
      return renameSync(path, freeName(join(this.#folders.lost, `${file} is damaged`)));
    }
    if (packed.length === 0) return unlinkSync(path);
    const pack: Pack = { path, left: packed.length };
    for (const { name, offset, length } of packed) {
      this.#places.set(name, { pack, offset, length });
    }
  }
}

function freeName(path: string): string {
  let free = path;
  for (let i = 2; existsSync(free); i++) free = `${path} (${i})`;
  return free;
}

/** null: it is no whole pack. */
function readTable(path: string): Packed[] | null {
  const file = openSync(path, 'r');
  try {
    const header = decodeHeader(readAt(file, 0, HEADER_BYTES));
    if (header === null) return null;
    const { size } = fstatSync(file);
    if (size !== HEADER_BYTES + header.tableBytes + header.contentBytes) return null;
    return decodeTable(readAt(file, HEADER_BYTES, header.tableBytes), header);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}

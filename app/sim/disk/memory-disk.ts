/**
 * A disk in memory: paths to bytes. The link's spool, the content store and the file store of one machine share it, so
 * contents pass between them by rename, as on a real one.
 *
 * It outlives the processes that use it. `crash` is the machine losing power: bytes not synced become empty, and names
 * not synced go back to what they were. A killed process alone loses nothing. Syncing a file keeps its bytes and its
 * name (as ext4 does); `syncFolder` keeps the renames and removals in a folder.
 *
 * Folders exist by having files. Bytes given and got are not copied: nobody changes an array after handing it over.
 */
import { blake3 } from '@noble/hashes/blake3.js';
import { compareNames } from '../../../shared/model/names.ts';
import type { Digest } from '../../../shared/model/vnode.ts';

/** As Node's own errors have it: the errno name in `code`. */
export class DiskError extends Error {
  readonly code: 'ENOENT' | 'EEXIST' | 'ENOSPC';

  constructor(code: DiskError['code'], path: string) {
    super(`${code}: ${path}`);
    this.name = 'DiskError';
    this.code = code;
  }
}

/** A file held open: it is the same one whatever happens to its name. */
export interface OpenedFile {
  bytes(): Uint8Array;
}

interface Inode {
  readonly id: number;
  bytes: Uint8Array;
  synced: Uint8Array;
  digest: Digest | null;
}

const NOTHING = new Uint8Array(0);

export class MemoryDisk {
  readonly #capacity: number;
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  #lastInode = 0;
  #used = 0;

  constructor(options: { capacityBytes?: number } = {}) {
    this.#capacity = options.capacityBytes ?? Number.POSITIVE_INFINITY;
  }

  get usedBytes(): number {
    return this.#used;
  }

  get freeBytes(): number {
    return this.#capacity - this.#used;
  }

  has(path: string): boolean {
    return this.#names.has(path);
  }

  /** The bytes at a path. Throws ENOENT. */
  read(path: string): Uint8Array {
    return this.#inode(path).bytes;
  }

  /** Throws ENOENT. */
  open(path: string): OpenedFile {
    const inode = this.#inode(path);
    return { bytes: () => inode.bytes };
  }

  size(path: string): number {
    return this.#inode(path).bytes.length;
  }

  /** Tells one file from another that took its name. */
  inode(path: string): number {
    return this.#inode(path).id;
  }

  /** BLAKE3-256 of the bytes at a path. */
  digest(path: string): Digest {
    const inode = this.#inode(path);
    inode.digest ??= digestOf(inode.bytes);
    return inode.digest;
  }

  /** Makes a file, or gives an existing one new bytes in place. */
  write(path: string, bytes: Uint8Array): void {
    const inode = this.#names.get(path);
    const growth = bytes.length - (inode?.bytes.length ?? 0);
    if (growth > this.freeBytes) throw new DiskError('ENOSPC', path);
    this.#used += growth;
    if (inode === undefined) {
      const made = { id: ++this.#lastInode, bytes, synced: NOTHING, digest: null };
      this.#names.set(path, made);
    } else {
      inode.bytes = bytes;
      inode.digest = null;
    }
  }

  append(path: string, bytes: Uint8Array): void {
    const before = this.has(path) ? this.read(path) : NOTHING;
    const joined = new Uint8Array(before.length + bytes.length);
    joined.set(before);
    joined.set(bytes, before.length);
    this.write(path, joined);
  }

  copy(from: string, to: string): void {
    this.write(to, this.read(from));
  }

  sync(path: string): void {
    const inode = this.#inode(path);
    inode.synced = inode.bytes;
    this.#syncedNames.set(path, inode);
  }

  rename(from: string, to: string): void {
    const inode = this.#inode(from);
    if (from === to) return;
    this.remove(to, { missing: 'fine' });
    this.#names.delete(from);
    this.#names.set(to, inode);
  }

  remove(path: string, options: { missing?: 'fine' } = {}): void {
    const inode = this.#names.get(path);
    if (inode === undefined) {
      if (options.missing === 'fine') return;
      throw new DiskError('ENOENT', path);
    }
    this.#names.delete(path);
    this.#used -= inode.bytes.length;
  }

  /** Makes what happened to the names directly in a folder durable. */
  syncFolder(folder: string): void {
    for (const path of this.#syncedNames.keys()) {
      if (folderOf(path) === folder) this.#syncedNames.delete(path);
    }
    for (const [path, inode] of this.#names) {
      if (folderOf(path) === folder) this.#syncedNames.set(path, inode);
    }
  }

  /** Paths beneath a folder, at any depth, in code-unit order. */
  list(folder: string): string[] {
    const prefix = folder.endsWith('/') ? folder : `${folder}/`;
    return [...this.#names.keys()].filter((path) => path.startsWith(prefix)).sort(compareNames);
  }

  /** Power lost: only what was synced is there afterwards. */
  crash(): void {
    this.#names = new Map(this.#syncedNames);
    this.#used = 0;
    for (const inode of new Set(this.#names.values())) {
      inode.bytes = inode.synced;
      inode.digest = null;
      this.#used += inode.bytes.length;
    }
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new DiskError('ENOENT', path);
    return inode;
  }
}

export function digestOf(bytes: Uint8Array): Digest {
  return Buffer.from(blake3(bytes)).toString('hex') as Digest;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

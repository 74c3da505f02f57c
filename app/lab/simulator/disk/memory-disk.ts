/**
 * A disk in memory: paths to bytes. The link's spool, the content store and the file store of one machine share it, so
 * contents pass between them by rename, as on a real one.
 *
 * It outlives the processes that use it. `crash` is the machine losing power: bytes not synced become empty, and names
 * not synced go back to what they were; with a random source, any of what was not synced may be there all the same, torn
 * (torn.ts, name-journal.ts). A killed process alone loses nothing. Syncing a file keeps its bytes and its name (as ext4
 * does); `syncFolder` keeps the renames and removals in a folder.
 *
 * `troubles`: a full disk, a failing one. They come from outside, and end.
 *
 * Folders exist by having files. Bytes given and got are not copied: nobody changes an array after handing it over.
 */
import { compareNames } from '../../../../shared/model/names.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { healed, rotten, type Rot } from './bit-rot.ts';
import { digestOf } from './content-digest.ts';
import { applyChange, NameJournal } from './name-journal.ts';
import type { NameChange } from './name-journal.ts';
import { survivor } from './torn.ts';
import { Troubles } from './troubles.ts';

export type DiskErrorCode = 'ENOENT' | 'EEXIST' | 'ENOSPC' | 'EIO';

/** The calls of a disk, as troubles and labels name them. */
export type DiskCall = 'read' | 'write' | 'sync' | 'rename' | 'remove';

/** As Node's own errors have it: the errno name in `code`. */
export class DiskError extends Error {
  readonly code: DiskErrorCode;

  constructor(code: DiskError['code'], path: string) {
    super(`${code}: ${path}`);
    this.name = 'DiskError';
    this.code = code;
  }
}

/** A file held open: it stays the same one when its name is removed or replaced. */
export interface OpenedFile {
  bytes(): Uint8Array;
}

interface Inode {
  bytes: Uint8Array;
  synced: Uint8Array;
  digest: Digest | null;
}

const NOTHING = new Uint8Array(0);

/** A disk as the stores of a machine use it. */
export type StoreDisk = Pick<
  MemoryDisk,
  | 'has'
  | 'read'
  | 'size'
  | 'digest'
  | 'list'
  | 'write'
  | 'copy'
  | 'sync'
  | 'syncFolder'
  | 'rename'
  | 'remove'
>;

/** Keeps files in memory, and loses at a power failure what was not synced. */
export class MemoryDisk {
  /** Asked with the call, the path, and the bytes that it wants more (a new file wants one at least). */
  readonly troubles = new Troubles<[DiskCall, string, number], DiskErrorCode>();
  readonly #capacity: number;
  #inHand = false;
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  readonly #journal = new NameJournal<Inode>();
  /** Names that may be others than the synced ones, by folder. */
  readonly #changed = new Map<string, Set<string>>();
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
    const { bytes } = this.#inode(path);
    this.#meet('read', path);
    return bytes;
  }

  /** Throws ENOENT. */
  open(path: string): OpenedFile {
    this.#meet('read', path);
    const inode = this.#inode(path);
    return { bytes: () => inode.bytes };
  }

  size(path: string): number {
    return this.#inode(path).bytes.length;
  }

  /** Of the bytes at a path. */
  digest(path: string): Digest {
    const inode = this.#inode(path);
    this.#meet('read', path);
    inode.digest ??= digestOf(inode.bytes);
    return inode.digest;
  }

  /** Makes a file, or gives an existing one new bytes in place. */
  write(path: string, bytes: Uint8Array): void {
    const inode = this.#names.get(path);
    const growth = bytes.length - (inode?.bytes.length ?? 0);
    this.#meet('write', path, inode === undefined ? Math.max(growth, 1) : growth);
    if (growth > this.freeBytes) throw new DiskError('ENOSPC', path);
    this.#used += growth;
    if (inode === undefined) {
      const made = { bytes, synced: NOTHING, digest: null };
      this.#names.set(path, made);
      this.#note({ kind: 'made', path, node: made });
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
    this.#meet('sync', path);
    inode.synced = inode.bytes;
    this.#syncedNames.set(path, inode);
    this.#journal.synced((other) => other === path);
  }

  rename(from: string, to: string): void {
    const inode = this.#inode(from);
    if (from === to) return;
    this.#meet('rename', to);
    const replaced = this.#names.get(to);
    if (replaced !== undefined) this.#used -= replaced.bytes.length;
    this.#names.delete(from);
    this.#names.set(to, inode);
    this.#note({ kind: 'moved', from, path: to, node: inode });
  }

  remove(path: string, options: { missing?: 'fine' } = {}): void {
    const inode = this.#names.get(path);
    if (inode === undefined) {
      if (options.missing === 'fine') return;
      throw new DiskError('ENOENT', path);
    }
    this.#meet('remove', path);
    this.#names.delete(path);
    this.#used -= inode.bytes.length;
    this.#note({ kind: 'gone', path, node: inode });
  }

  /** Makes what happened to the names directly in a folder durable. */
  syncFolder(folder: string): void {
    this.#meet('sync', folder);
    const changed = this.#changed.get(folder);
    if (changed === undefined) return;
    for (const path of changed) {
      const inode = this.#names.get(path);
      if (inode === undefined) this.#syncedNames.delete(path);
      else this.#syncedNames.set(path, inode);
    }
    this.#changed.delete(folder);
    // All that the journal has of the folder is among these.
    this.#journal.synced((path) => changed.has(path));
  }

  /** Paths beneath a folder, at any depth, in code-unit order. */
  list(folder: string): string[] {
    const prefix = folder.endsWith('/') ? folder : `${folder}/`;
    return [...this.#names.keys()].filter((path) => path.startsWith(prefix)).sort(compareNames);
  }

  /** Power lost: what was synced is there afterwards; of the rest nothing, or what the random source leaves. */
  crash(random: SeededRandom | null = null): void {
    const reached = random === null ? 0 : random.below(this.#journal.length + 1);
    for (const change of this.#journal.take(reached)) applyChange(this.#syncedNames, change);
    this.#names = new Map(this.#syncedNames);
    this.#changed.clear();
    this.#used = 0;
    for (const inode of new Set(this.#names.values())) {
      if (inode.bytes !== inode.synced && random !== null) {
        inode.synced = survivor(random, inode.synced, inode.bytes);
      }
      inode.bytes = inode.synced;
      inode.digest = null;
      this.#used += inode.bytes.length;
    }
  }

  /** What a person does with the files of a machine that is down, or copies from it: at a time when the disk has no trouble. */
  byHand<T>(work: () => T): T {
    this.#inHand = true;
    try {
      return work();
    } finally {
      this.#inHand = false;
    }
  }

  /** Flips a bit of the file at a path, without an event. Null if the file is empty or gone. */
  rot(path: string, bit: number): Rot | null {
    const inode = this.#names.get(path);
    if (inode === undefined || inode.bytes.length === 0) return null;
    const rot = { bit };
    turn(inode, rotten(inode.bytes, rot));
    return rot;
  }

  /** Puts it right where the bytes at a path are the ones that it happened to, on this disk or on one that was copied to it. */
  heal(path: string, rot: Rot): void {
    const inode = this.#names.get(path);
    if (inode === undefined) return;
    const good = healed(inode.bytes, rot);
    if (good !== null) turn(inode, good);
  }

  /** Somebody puts a file in place with other means: it is durable, and no trouble is in the way. */
  putByHand(path: string, bytes: Uint8Array): void {
    const inode = { bytes, synced: bytes, digest: null };
    this.#used += bytes.length - (this.#names.get(path)?.bytes.length ?? 0);
    this.#names.set(path, inode);
    this.#syncedNames.set(path, inode);
    this.#journal.synced((other) => other === path);
  }

  #note(change: NameChange<Inode>): void {
    this.#touch(change.path);
    if (change.kind === 'moved') this.#touch(change.from);
    const old = this.#journal.add(change);
    if (old !== null) applyChange(this.#syncedNames, old);
  }

  #touch(path: string): void {
    const folder = folderOf(path);
    const paths = this.#changed.get(folder);
    if (paths === undefined) this.#changed.set(folder, new Set([path]));
    else paths.add(path);
  }

  #meet(call: DiskCall, path: string, growth = 0): void {
    if (this.#inHand) return;
    const code = this.troubles.first(call, path, growth);
    if (code !== null) throw new DiskError(code, path);
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new DiskError('ENOENT', path);
    return inode;
  }
}

/** Other bytes in place, as durable as those before. */
function turn(inode: Inode, bytes: Uint8Array): void {
  if (inode.synced === inode.bytes) inode.synced = bytes;
  inode.bytes = bytes;
  inode.digest = null;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

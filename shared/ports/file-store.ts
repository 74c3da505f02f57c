/**
 * The FileStore port: the contents a daemon has on its disk, by name. Which content a name stands for is a row of the
 * ClientStore; a file without a row is an orphan and goes at the next start.
 *
 * Short contents that are given as bytes have no file of their own, and share a sync (rule D1): they lie in packs.
 *
 * Contract
 * 1. Names are of lower-case letters, digits and dashes, made up by the core, and never reused.
 * 2. After `adopt` and `seal` resolve, the file under that name survives a loss of power with exactly these bytes.
 * 3. `stage` makes a file that may be written at `pathOf(name)` until it is sealed; after that it is not written.
 * 4. `take`, `copyOut`, `join` and `handOver` give a file away: the caller moves or removes it. What was given away and is still there at the
 *    next start goes.
 * 5. `remove` of a name that is not there does nothing; every other call on it rejects `not-found`.
 * 6. What `sourceOf` gives of a sealed content counts until that is taken or removed. `pathOf` is where a staged file is; of contents that were
 *    given as bytes `fileOf` makes a file.
 * 7. What `finish` resolves for is what it will be, and survives the end of the process; a loss of power only after a `sync` of that name.
 * Calls on different names may run side by side. Errors: GodwitError `not-found`, `disk-full`,
 * `disk-failing`.
 */
import type { Fid } from '../model/fid.ts';
import type { DataVersion, Digest } from '../model/vnode.ts';

export interface SealedContent {
  /** Lower-case hex BLAKE3-256. */
  readonly digest: string;
  readonly length: number;
}

/** Where the bytes of a content begin. */
export interface ContentPlace {
  /** Absolute. */
  readonly path: string;
  readonly offset: number;
}

export interface FileStore {
  /** Absolute path of a file of the store, there or not. */
  pathOf(name: string): string;
  /** Where a sealed content lies. */
  sourceOf(name: string): ContentPlace;
  /** Absolute path of a file with the bytes of a sealed content alone, for a caller who reads it; of what is not sealed `pathOf`. */
  fileOf(name: string): Promise<string>;
  /**
   * Short contents that are to be sealed under a name: until `seal` they are in memory alone, and `remove`
   * drops them.
   */
  hold(name: string, bytes: Uint8Array): void;
  /** Moves a received file into the store. `spool` is gone afterwards. */
  adopt(spool: string, name: string): Promise<void>;
  /** A private writable file: empty, or with the bytes of another one of the store. */
  stage(name: string, from: string | null): Promise<void>;
  /** Copies a file from elsewhere on this machine into the store, and makes it durable. */
  copyIn(path: string, name: string): Promise<SealedContent>;
  /** Makes a staged file, or what is held, durable. `digest`: known to the caller, else the file is hashed. */
  seal(name: string, digest: string | null): Promise<SealedContent>;
  /** As `seal`, for a caller who answers for the rest: durable it is after `sync`. */
  finish(name: string, digest: string | null): Promise<SealedContent>;
  /** Makes what was finished durable, all of these. */
  sync(names: readonly string[]): Promise<void>;
  /** Reads a file of the store: what it has become. */
  check(name: string): Promise<SealedContent>;
  /** The file leaves the store; its new path. */
  take(name: string): Promise<string>;
  /** A copy of a file for a caller; its path. */
  copyOut(name: string): Promise<string>;
  /**
   * One file with the bytes of these, one after the other; its path, for a caller who discards it. They are short. One that has another length
   * than was announced rejects `disk-failing`.
   */
  join(parts: ReadonlyArray<{ name: string; length: number }>): Promise<string>;
  /** Hands a received file on to a caller; its new path. */
  handOver(spool: string): Promise<string>;
  /** A short text in UTF-8; null: it has more than `most` bytes, or is no text. */
  read(name: string, most: number): Promise<string | null>;
  remove(name: string): Promise<void>;
  /** Removes a received file that is not needed. */
  discard(spool: string): Promise<void>;
  /** Moves a file to `lost+found` under a name a person can read; its path. */
  lose(name: string, readable: string): Promise<string>;
  /** Every file of the store, in code-unit order of names. */
  list(): Promise<Array<{ name: string; length: number }>>;
}

export interface LocalCopy {
  readonly path: string;
  readonly version: DataVersion;
  readonly digest: Digest;
  readonly length: number;
}

/** Who may have a file's contents in place already (the folder), so that they need no fetch. */
export interface LocalCopies {
  /**
   * Absolute path of a private copy with exactly these contents, which is the caller's from now on; null: there is none. The
   * digest decides; the version says what it is wanted for. Where the disk takes no copy, `disk-full` or `disk-failing`: it
   * is here all the same.
   */
  copyOf(fid: Fid, version: DataVersion, digest: Digest): Promise<string | null>;
  /** The same for the contents of the vnode that are in place, of whichever committed version; null: there are none. */
  anyCopyOf(fid: Fid): Promise<LocalCopy | null>;
}

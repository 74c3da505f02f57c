/**
 * What the operating system can do and Node has no call for. The real adapter sits on the native
 * addon. All paths are absolute. Errors carry the errno name in `code` (ENOENT, EEXIST, ENOTSUP ...),
 * as Node's own do.
 *
 * `/proc/self/fd/N` (Linux) is a path of what is open as N, whatever its names are, and each call takes it for that inode. What sets or lists
 * something of an inode takes a name for what stands there, never for what a link there leads to. What reads contents follows links, waits
 * for no FIFO and reads no device (EINVAL).
 */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

export interface CopyOptions {
  readonly sync: boolean;
  /**
   * The copy is there in case the file changes: it is not kept in memory, and what the Link sends of it are the bytes of the file itself, as long as
   * that is untouched and not open for writing.
   */
  readonly spare?: boolean;
}

export interface ListedXattr {
  /** Without the prefix `user.`. */
  readonly name: string;
  readonly value: Uint8Array;
  /** False: the name's bytes are no UTF-8. It is told with a backslash, an x and two digits for each such byte; the value is empty. */
  readonly isText: boolean;
}

export interface DirectoryEvent {
  readonly watch: number;
  /** What it happened to in the directory; null: the directory itself. */
  readonly name: string | null;
  readonly isDirectory: boolean;
  /** The watch is no more: its directory went, or what it lies on was unmounted. */
  readonly isEnded: boolean;
}

export interface DirectoryEvents {
  happened(event: DirectoryEvent): void;
  /** So much has happened that some events were dropped. */
  lost(): void;
}

export interface DirectoryWatches {
  /**
   * Watches a directory; gives the number of the watch, the same for one that is watched already, by whatever name. `follow`: `path` may be a link to
   * it. Throws ENOSPC where the system gives no more of them, and ENOENT, ENOTDIR, ELOOP, EACCES.
   */
  add(path: string, follow: boolean): number;
  /** No event of it comes any more, except its end. */
  remove(watch: number): void;
  /** Resolves when all that happened before the call was told, or was lost, or the watches are closed. Left out: who watches can't know that. */
  hear?(): Promise<void>;
  close(): void;
}

export interface Host {
  /** Milliseconds since boot, suspend included (CLOCK_BOOTTIME). Fractions allowed. */
  bootTimeMs(): number;
  /**
   * Sets the modification time as exactly as the disk keeps it (FAT: two seconds), on the link itself where `path` is a symlink. Access time
   * stays. Nanoseconds since 1970 of 64 bits with a sign (EINVAL beyond); what is finer or further than the file system keeps, it cuts.
   */
  setMtime(path: string, nanoseconds: bigint): void;
  /** Permission bits, 0..0o7777. ELOOP: it is a symlink, whose mode is its system's own. */
  setMode(path: string, mode: number): void;
  /**
   * Copies to the file `to` what `from` has and is not synced: owner and group as far as we may, access control list, every extended attribute,
   * flags such as `nodump`. Never setuid, setgid or capabilities. The mode of `to` is set after this. Gives what `from` has and `to` has not
   * got: 'setuid', 'setgid', 'capabilities', 'owner', 'group', 'access list', 'flags', or the name of an attribute.
   */
  keepUnsynced(from: string, to: string): string[];
  /**
   * Gives a private file what one made in the directory has from it: the group of a setgid directory, the default access control list.
   * The mode of the file is set after this.
   */
  inherit(directory: string, file: string): void;
  /**
   * Opens a directory or a regular file beneath `root`, in one step, without following any link on the way, and never
   * outside (openat2). The descriptor stands for what was opened, whatever becomes of its names; it wakes and blocks
   * nothing, and the caller closes it. `/proc/self/fd/N` is its path. '' is the root. ENOENT, ENOTDIR, ELOOP (a link), EXDEV
   * (the way leads outside), EISDIR and EINVAL (no regular file), ENAMETOOLONG (the whole way: 4,095 bytes). ENOSYS or EPERM where
   * the system has no such call.
   */
  openBeneath(root: string, path: string, as: 'directory' | 'file'): number;
  /**
   * Renames and fails with EEXIST where `to` exists, on every disk: by renameat2 RENAME_NOREPLACE; where that is lacking, a file gets the new name as
   * a second one and loses the first, so a daemon that dies in between leaves both. A disk without second names is looked at right before the rename:
   * what a program puts there in that moment is lost.
   */
  renameNoReplace(from: string, to: string): void;
  /** Swaps two existing names in one step (RENAME_EXCHANGE). ENOTSUP/EINVAL where the file system can't. */
  renameExchange(a: string, b: string): void;
  /** Copies by reflink (FICLONE). ENOTSUP/EXDEV/EINVAL where the file system can't; never a slow copy. */
  reflink(from: string, to: string): void;
  /** User extended attributes in byte order of names; [] where there is no support. */
  listXattrs(path: string): ListedXattr[];
  setXattr(path: string, name: string, value: Uint8Array): void;
  removeXattr(path: string, name: string): void;
  /** Who is at the other end of a connected Unix socket (SO_PEERCRED). */
  peerCredentials(fd: number): PeerCredentials;
  /**
   * Takes an exclusive lock on a file (made with mode 0600 where missing). It ends with the process, however
   * that ends. null: another process holds it. What it throws names the file, as `path`.
   */
  lockFile(path: string): { release(): void } | null;
  /**
   * Whether a process has a regular file open to write, or maps it so, at this moment; null: unknown (another owner's file, or a file
   * system that keeps no such account). Changes nothing, and does not block.
   */
  isBeingWritten(path: string): boolean | null;
  /**
   * Watches of directories, none at first; they keep no process alive. Throws EMFILE where the system gives no more of them, and ENOSYS where
   * there is no such thing (inotify).
   */
  watchDirectories(events: DirectoryEvents): DirectoryWatches;
  /** fsync of a directory, so that renames in it are durable. Nothing on a disk that can not sync one. */
  syncDirectory(path: string): void;
  /**
   * fsync of a file or a directory by its path, off the main thread and in one go: opening, syncing and closing as calls of their own cost
   * three times the threads. Gives the file's length.
   */
  syncPath(path: string): Promise<number>;
  /** What was written to an open file is on the disk, and its length (fdatasync): on a thread of its own, not behind copies. */
  syncData(fd: number): Promise<void>;
  /**
   * As `syncPath`, of many, one after the other, in one go; what was written to the first is on the disk before the next is begun with. One that
   * fails has its error, and the others go on.
   */
  syncPaths(paths: readonly string[]): Promise<Array<number | Error>>;
  /** BLAKE3-256 of a whole file, lower-case hex, computed off the main thread. */
  digestFile(path: string): Promise<{ digest: string; length: number }>;
  /** The same of `length` bytes from `offset` on, or of as many as there are. */
  digestPart(
    path: string,
    offset: number,
    length: number,
  ): Promise<{ digest: string; length: number }>;
  /**
   * Puts regular files together, one after the other, in a new file, off the main thread and in memory: they are short. Each must have the
   * length that was announced, or all fails with EIO; then there is no new file.
   */
  joinFiles(from: ReadonlyArray<{ path: string; length: number }>, to: string): Promise<void>;
  /** The other way round: the bytes of each part and their BLAKE3-256. EINVAL: the file is longer or shorter. */
  readParts(
    path: string,
    lengths: readonly number[],
  ): Promise<Array<{ bytes: Uint8Array; digest: string }>>;
  /**
   * Copies a regular file's bytes (EISDIR, EINVAL: it is none) to a new file, in which long runs of zeros are holes, and hashes them on the way, off the main thread (reflink first where the file
   * system can; then the copy is hashed). The copy is synced to the disk when `sync` is true; the disk begins with a long one
   * before it is whole in any case.
   */
  copyFile(
    from: string,
    to: string,
    options: CopyOptions,
  ): Promise<{ digest: string; length: number }>;
}

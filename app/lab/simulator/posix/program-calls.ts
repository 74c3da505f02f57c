/**
 * What a program asks of its kernel: the calls of one process on files, each of them synchronous. The simulated kernel fulfils it, and so does
 * Node on the disk of this machine (real-program-calls.ts): the same programs run on both.
 *
 * Contract (test/conformance/program-calls.suite.ts)
 * 1. A path that does not begin with `/` is taken from `cwd`: `cwd`, a slash and the path as it is written; '' is ENOENT. A text is UTF-8; bytes may be
 *    none. Nothing is tidied: `a/../b` goes through `a`, and a slash at the end asks for a directory.
 * 2. Errors are those of Linux, with their name in `code` (ENOTSUP for EOPNOTSUPP, as Node has it). A call that throws has changed nothing, but where it is said.
 * 3. A call is done when it returns, and the next one sees it. It is durable only after `fsync` of the file, and for a name of its directory.
 * 4. Times are nanoseconds since 1970. The kernel sets them as Linux does: a write changes mtime and ctime, a name the ctime of what it names and
 *    both of its directory, a read the atime (relatime). What the file system does not keep so exactly, it cuts.
 * 5. Modes are bits 0..0o7777. What is made gets those that the umask leaves, or what the directory's default access list says.
 * 6. Links at the end of a path are followed by open, read, stat, access, truncate, chmod, chown, utimes and the calls on extended attributes;
 *    not by those with an `l`, nor by link, rename, unlink, readlink, rmdir.
 */
import type { OpenFlags } from './open-flags.ts';

/** A text, or the bytes of a name that may be no UTF-8. */
export type Path = string | Uint8Array;

export type InodeKind = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'device';

export interface Stats {
  readonly kind: InodeKind;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Permission bits, 0..0o7777. */
  readonly mode: number;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Blocks of 512 bytes that are taken; what a sparse file leaves out is not. */
  readonly blocks: number;
  readonly atime: bigint;
  readonly mtime: bigint;
  readonly ctime: bigint;
  /** When the inode was made; 0n: the file system keeps no such time. Node says the ctime, or nothing, where that is so. */
  readonly birth: bigint;
}

/** Who a process is. Root (0) passes all rights. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  /** Further groups. */
  readonly groups: readonly number[];
}

/** What is read of an open directory, name by name; names made or removed meanwhile may be among them or not, others are there once. */
export interface DirectoryReader {
  /** Without `.` and `..`; null: that was all. */
  next(): string | null;
  close(): void;
}

/** A file in the memory of a process. It lives on when the descriptor is closed. */
export interface Mapping {
  /** Within the length that the file has (SIGBUS beyond: here EFAULT). The times of the file may stay as they are until `sync` or `unmap`. */
  write(at: number, bytes: Uint8Array): void;
  /** msync: durable, and the times say so. */
  sync(): void;
  unmap(): void;
}

export interface ProgramCalls {
  /** The working directory, absolute. */
  readonly cwd: string;
  readonly who: Credentials;

  /** Throws EMFILE, EISDIR (to write a directory), ENXIO (a FIFO to write that nobody reads), ETXTBSY never. `mode` 0o666 where none is given. */
  open(path: Path, flags: OpenFlags, mode?: number): number;
  /** Throws EBADF. What was written late may fail here. */
  close(fd: number): void;
  /** From where the last one ended. Fewer bytes than asked for at the end, none after it. */
  read(fd: number, length: number): Uint8Array;
  pread(fd: number, length: number, at: number): Uint8Array;
  /** The number of bytes written: fewer where the disk is full after them. ENOSPC, EDQUOT, EFBIG, EIO. */
  write(fd: number, bytes: Uint8Array): number;
  /** As `write`; to a file opened to append, at its end all the same. */
  pwrite(fd: number, bytes: Uint8Array, at: number): number;
  ftruncate(fd: number, length: number): void;
  fsync(fd: number): void;
  /** As `fsync`, without the times. */
  fdatasync(fd: number): void;
  fstat(fd: number): Stats;
  fchmod(fd: number, mode: number): void;
  /** -1: stays as it is. */
  fchown(fd: number, uid: number, gid: number): void;
  futimes(fd: number, atime: bigint, mtime: bigint): void;
  /** Takes an exclusive lock without waiting (flock); false: another has it. It ends with `unlock`, or when all descriptors of this open are closed. */
  lock(fd: number): boolean;
  unlock(fd: number): void;
  /** The file must be open to read and write (EACCES). Where a kernel has no such call for us, its writes are those of pwrite. */
  map(fd: number): Mapping;

  stat(path: Path): Stats;
  lstat(path: Path): Stats;
  /** `mode`: 4 read, 2 write, 1 execute or pass, 0 is there. EACCES, EROFS. */
  access(path: Path, mode: number): void;
  /** Names in no order, without `.` and `..`; what is no UTF-8 has U+FFFD in its name. */
  readdir(path: Path): string[];
  readdirBytes(path: Path): Uint8Array[];
  opendir(path: Path): DirectoryReader;
  /** `mode` 0o777 where none is given. */
  mkdir(path: Path, mode?: number): void;
  rmdir(path: Path): void;
  unlink(path: Path): void;
  rename(from: Path, to: Path): void;
  /** Throws EEXIST, or EINVAL where the file system has no such call. */
  renameNoReplace(from: Path, to: Path): void;
  /** Throws EINVAL where the file system has no such call. */
  exchange(one: Path, other: Path): void;
  link(file: Path, path: Path): void;
  symlink(target: Path, path: Path): void;
  readlink(path: Path): string;
  mkfifo(path: Path, mode?: number): void;
  truncate(path: Path, length: number): void;
  chmod(path: Path, mode: number): void;
  chown(path: Path, uid: number, gid: number): void;
  lchown(path: Path, uid: number, gid: number): void;
  /** The atime may be cut to microseconds. */
  utimes(path: Path, atime: bigint, mtime: bigint): void;
  lutimes(path: Path, atime: bigint, mtime: bigint): void;

  /** Names in full, as `user.zone` or `system.posix_acl_access`, in byte order. */
  listxattr(path: Path): string[];
  /** Throws ENODATA. */
  getxattr(path: Path, name: string): Uint8Array;
  setxattr(path: Path, name: string, value: Uint8Array): void;
  /** Throws ENODATA. */
  removexattr(path: Path, name: string): void;
  /** Makes `to` share the blocks of `from`. Throws ENOTSUP, EXDEV, EINVAL, and then `to` is not there. EEXIST. */
  reflink(from: Path, to: Path): void;

  /** Sets the umask and gives the one before. */
  umask(mask: number): number;
  /** The process ends: its descriptors, locks and mappings go. */
  end(): void;
}

/** The whole of a file. */
export function readFile(calls: ProgramCalls, path: Path): Uint8Array {
  const fd = calls.open(path, 'r');
  try {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const piece = calls.read(fd, 65_536);
      if (piece.length === 0) break;
      pieces.push(piece);
      length += piece.length;
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  } finally {
    calls.close(fd);
  }
}

/** Writes a file anew in place, as `cp` and most programs do, to the last byte. `flags`: 'w' where none are given. */
export function writeFile(
  calls: ProgramCalls,
  path: Path,
  bytes: Uint8Array,
  { flags = 'w', mode = 0o666 }: { flags?: OpenFlags; mode?: number } = {},
): void {
  const fd = calls.open(path, flags, mode);
  try {
    for (let done = 0; done < bytes.length;) done += calls.write(fd, bytes.subarray(done));
  } finally {
    calls.close(fd);
  }
}

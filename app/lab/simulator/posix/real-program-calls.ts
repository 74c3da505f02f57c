/**
 * The calls of a program on the disk of this machine, by Node, the addon, and small programs for what neither has: for programs of the simulator
 * that are to run on a real disk, and for the test that holds the simulated kernel against the real one.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import type { Host } from '../../../../shared/ports/host.ts';
import { OPEN, openBits, type OpenFlags } from './open-flags.ts';
import type {
  Credentials,
  DirectoryReader,
  InodeKind,
  Mapping,
  Path,
  ProgramCalls,
  Stats,
} from './program-calls.ts';

type HostCalls = Pick<
  Host,
  | 'listXattrs'
  | 'lockFile'
  | 'reflink'
  | 'removeXattr'
  | 'renameExchange'
  | 'renameNoReplace'
  | 'setMtime'
  | 'setXattr'
>;

const USER = 'user.';

/** Fulfils the contract of `ProgramCalls` in a directory of the disk. */
export class RealProgramCalls implements ProgramCalls {
  readonly cwd: string;
  readonly #host: HostCalls;
  readonly #open = new Set<number>();
  readonly #locks = new Map<number, { release(): void }>();

  constructor(cwd: string, host: HostCalls) {
    this.cwd = cwd;
    this.#host = host;
  }

  get who(): Credentials {
    const { geteuid, getegid, getgroups } = process;
    return { uid: geteuid?.() ?? 0, gid: getegid?.() ?? 0, groups: getgroups?.() ?? [] };
  }

  open(path: Path, flags: OpenFlags, mode = 0o666): number {
    const fd = fs.openSync(this.#at(path), openBits(flags), mode);
    this.#open.add(fd);
    return fd;
  }

  close(fd: number): void {
    this.unlock(fd);
    fs.closeSync(fd);
    this.#open.delete(fd);
  }

  read(fd: number, length: number): Uint8Array {
    return readSome(fd, length, null);
  }

  pread(fd: number, length: number, at: number): Uint8Array {
    return readSome(fd, length, at);
  }

  write(fd: number, bytes: Uint8Array): number {
    return fs.writeSync(fd, bytes);
  }

  pwrite(fd: number, bytes: Uint8Array, at: number): number {
    return fs.writeSync(fd, bytes, 0, bytes.length, at);
  }

  ftruncate(fd: number, length: number): void {
    fs.ftruncateSync(fd, length);
  }

  fsync(fd: number): void {
    fs.fsyncSync(fd);
  }

  fdatasync(fd: number): void {
    fs.fdatasyncSync(fd);
  }

  fstat(fd: number): Stats {
    return statsOf(fs.fstatSync(fd, { bigint: true }));
  }

  fchmod(fd: number, mode: number): void {
    fs.fchmodSync(fd, mode);
  }

  fchown(fd: number, uid: number, gid: number): void {
    fs.fchownSync(fd, ownerOf(uid), ownerOf(gid));
  }

  futimes(fd: number, atime: bigint, mtime: bigint): void {
    fs.futimesSync(fd, secondsOf(atime), secondsOf(mtime));
    this.#host.setMtime(`/proc/self/fd/${fd}`, mtime);
  }

  lock(fd: number): boolean {
    if (this.#locks.has(fd)) return true;
    const lock = this.#host.lockFile(`/proc/self/fd/${fd}`);
    if (lock !== null) this.#locks.set(fd, lock);
    return lock !== null;
  }

  unlock(fd: number): void {
    this.#locks.get(fd)?.release();
    this.#locks.delete(fd);
  }

  map(fd: number): Mapping {
    let own = fs.openSync(`/proc/self/fd/${fd}`, OPEN.readWrite);
    return {
      write: (at, bytes) => {
        if (at + bytes.length > fs.fstatSync(own).size) throw systemError('EFAULT', 'mmap');
        fs.writeSync(own, bytes, 0, bytes.length, at);
      },
      sync: () => fs.fsyncSync(own),
      unmap: () => {
        if (own >= 0) fs.closeSync(own);
        own = -1;
      },
    };
  }

  stat(path: Path): Stats {
    return statsOf(fs.statSync(this.#at(path), { bigint: true }));
  }

  lstat(path: Path): Stats {
    return statsOf(fs.lstatSync(this.#at(path), { bigint: true }));
  }

  access(path: Path, mode: number): void {
    fs.accessSync(this.#at(path), mode);
  }

  readdir(path: Path): string[] {
    return fs.readdirSync(this.#at(path));
  }

  readdirBytes(path: Path): Uint8Array[] {
    return fs.readdirSync(this.#at(path), { encoding: 'buffer' });
  }

  opendir(path: Path): DirectoryReader {
    const dir = fs.opendirSync(this.#at(path));
    return { next: () => dir.readSync()?.name ?? null, close: () => dir.closeSync() };
  }

  mkdir(path: Path, mode = 0o777): void {
    fs.mkdirSync(this.#at(path), { mode });
  }

  rmdir(path: Path): void {
    fs.rmdirSync(this.#at(path));
  }

  unlink(path: Path): void {
    fs.unlinkSync(this.#at(path));
  }

  rename(from: Path, to: Path): void {
    fs.renameSync(this.#at(from), this.#at(to));
  }

  renameNoReplace(from: Path, to: Path): void {
    this.#host.renameNoReplace(this.#text(from), this.#text(to));
  }

  exchange(one: Path, other: Path): void {
    this.#host.renameExchange(this.#text(one), this.#text(other));
  }

  link(file: Path, path: Path): void {
    fs.linkSync(this.#at(file), this.#at(path));
  }

  symlink(target: Path, path: Path): void {
    fs.symlinkSync(typeof target === 'string' ? target : Buffer.from(target), this.#at(path));
  }

  readlink(path: Path): string {
    return fs.readlinkSync(this.#at(path));
  }

  mkfifo(path: Path, mode = 0o666): void {
    const at = this.#text(path);
    if (fs.lstatSync(at, { throwIfNoEntry: false })) throw systemError('EEXIST', 'mknod', at);
    const masked = mode & ~process.umask();
    if (spawnSync('mkfifo', ['-m', masked.toString(8), at]).status === 0) return;
    // The program only has words for why.
    fs.closeSync(fs.openSync(at, 'wx'));
    fs.unlinkSync(at);
    throw systemError('EPERM', 'mknod', at);
  }

  truncate(path: Path, length: number): void {
    const fd = fs.openSync(this.#at(path), OPEN.writeOnly);
    try {
      fs.ftruncateSync(fd, length);
    } finally {
      fs.closeSync(fd);
    }
  }

  chmod(path: Path, mode: number): void {
    fs.chmodSync(this.#at(path), mode);
  }

  chown(path: Path, uid: number, gid: number): void {
    fs.chownSync(this.#at(path), ownerOf(uid), ownerOf(gid));
  }

  lchown(path: Path, uid: number, gid: number): void {
    fs.lchownSync(this.#at(path), ownerOf(uid), ownerOf(gid));
  }

  utimes(path: Path, atime: bigint, mtime: bigint): void {
    const at = this.#at(path);
    fs.utimesSync(at, secondsOf(atime), secondsOf(mtime));
    const fd = fs.openSync(at, OPEN.path);
    try {
      this.#host.setMtime(`/proc/self/fd/${fd}`, mtime);
    } finally {
      fs.closeSync(fd);
    }
  }

  lutimes(path: Path, atime: bigint, mtime: bigint): void {
    fs.lutimesSync(this.#at(path), secondsOf(atime), secondsOf(mtime));
    this.#host.setMtime(this.#text(path), mtime);
  }

  listxattr(path: Path): string[] {
    const { stdout, stderr, status } = spawnSync(
      'getfattr',
      ['--absolute-names', '-m', '-', this.#text(path)],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw systemError(codeIn(stderr), 'listxattr');
    return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  getxattr(path: Path, name: string): Uint8Array {
    const args = ['--absolute-names', '--only-values', '-n', name, this.#text(path)];
    const { stdout, stderr, status } = spawnSync('getfattr', args);
    if (status !== 0) throw systemError(codeIn(stderr.toString()), 'getxattr');
    return Uint8Array.from(stdout);
  }

  setxattr(path: Path, name: string, value: Uint8Array): void {
    const at = this.#followed(path);
    if (name.startsWith(USER)) return this.#host.setXattr(at, name.slice(USER.length), value);
    const args = ['-n', name, '-v', `0x${Buffer.from(value).toString('hex')}`, at];
    const { stderr, status } = spawnSync('setfattr', args, { encoding: 'utf8' });
    if (status !== 0) throw systemError(codeIn(stderr), 'setxattr');
  }

  removexattr(path: Path, name: string): void {
    const at = this.#followed(path);
    if (name.startsWith(USER)) return this.#host.removeXattr(at, name.slice(USER.length));
    const { stderr, status } = spawnSync('setfattr', ['-x', name, at], { encoding: 'utf8' });
    if (status !== 0) throw systemError(codeIn(stderr), 'removexattr');
  }

  reflink(from: Path, to: Path): void {
    this.#host.reflink(this.#text(from), this.#text(to));
  }

  umask(mask: number): number {
    return process.umask(mask);
  }

  end(): void {
    for (const lock of this.#locks.values()) lock.release();
    this.#locks.clear();
    for (const fd of this.#open) fs.closeSync(fd);
    this.#open.clear();
  }

  #at(path: Path): string | Buffer {
    if (typeof path === 'string') {
      return path === '' || path.startsWith('/') ? path : `${this.cwd}/${path}`;
    }
    const bytes = Buffer.from(path);
    return bytes[0] === SLASH ? bytes : Buffer.concat([Buffer.from(`${this.cwd}/`), bytes]);
  }

  /** The addon and programs take texts. */
  #text(path: Path): string {
    return this.#at(path).toString();
  }

  /** The addon does not follow a link. */
  #followed(path: Path): string {
    return fs.realpathSync(this.#text(path));
  }
}

const SLASH = 0x2f;

function readSome(fd: number, length: number, at: number | null): Uint8Array {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, at));
}

/** Of 32 bits without a sign; -1 stays as it is. */
const ownerOf = (id: number): number => (id < 0 ? 0xffff_ffff : id);

const secondsOf = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1e6;

function kindOf(stats: fs.BigIntStats): InodeKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'device';
}

function statsOf(stats: fs.BigIntStats): Stats {
  return {
    kind: kindOf(stats),
    dev: stats.dev,
    ino: stats.ino,
    mode: Number(stats.mode) & 0o7777,
    links: Number(stats.nlink),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    size: Number(stats.size),
    blocks: Number(stats.blocks),
    atime: stats.atimeNs,
    mtime: stats.mtimeNs,
    ctime: stats.ctimeNs,
    birth: stats.birthtimeNs,
  };
}

/** What programs say instead of a number. */
const WORDS: ReadonlyArray<readonly [string, string]> = [
  ['No such attribute', 'ENODATA'],
  ['No data available', 'ENODATA'],
  ['No such file', 'ENOENT'],
  ['Operation not supported', 'ENOTSUP'],
  ['Operation not permitted', 'EPERM'],
  ['Permission denied', 'EACCES'],
  ['No space left', 'ENOSPC'],
  ['Invalid argument', 'EINVAL'],
  ['Not a directory', 'ENOTDIR'],
  ['Numerical result out of range', 'ERANGE'],
  ['Argument list too long', 'E2BIG'],
];

function codeIn(words: string): string {
  return WORDS.find(([text]) => words.includes(text))?.[1] ?? 'EIO';
}

function systemError(code: string, syscall: string, path?: string): Error {
  const where = path === undefined ? '' : ` '${path}'`;
  return Object.assign(new Error(`${code}: ${syscall}${where}`), { code, syscall, path });
}

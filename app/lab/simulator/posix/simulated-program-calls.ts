/** The calls of one process of the simulated kernel. */
import * as attributes from './attribute-calls.ts';
import * as contents from './contents-calls.ts';
import { DirectoryWalk, listing } from './directory-reader.ts';
import type { Kernel } from './kernel.ts';
import { KernelError } from './kernel-error.ts';
import type { Place } from './mount.ts';
import * as names from './name-calls.ts';
import * as opening from './open-call.ts';
import { OPEN, openBits, type OpenFlags } from './open-flags.ts';
import { encodeName, shownName, takenPath } from './path-bytes.ts';
import { PathWalk } from './path-walk.ts';
import { Process } from './process.ts';
import type {
  Credentials,
  DirectoryReader,
  Mapping,
  Path,
  ProgramCalls,
  Stats,
} from './program-calls.ts';
import { rename, type RenameHow } from './rename-call.ts';
import * as xattrs from './xattr-calls.ts';

export interface ProgramOptions {
  /** It runs on another machine that has the same network disk. */
  readonly isElsewhere?: boolean;
  readonly mostOpen?: number;
}

/** Fulfils the contract of `ProgramCalls` on a simulated kernel. */
export class SimulatedProgramCalls implements ProgramCalls {
  readonly process: Process;
  readonly kernel: Kernel;
  readonly #isElsewhere: boolean;

  constructor(kernel: Kernel, who: Credentials, cwd: string, options: ProgramOptions = {}) {
    this.kernel = kernel;
    this.process = new Process(who, cwd, options.mostOpen);
    this.#isElsewhere = options.isElsewhere ?? false;
  }

  get cwd(): string {
    return this.process.cwd;
  }

  get who(): Credentials {
    return this.process;
  }

  open(path: Path, flags: OpenFlags, mode = 0o666): number {
    const how = { bits: openBits(flags), mode };
    return this.call('open', () => opening.open(this.kernel, this.process, path, how), path);
  }

  close(fd: number): void {
    this.call('close', () => opening.close(this.kernel, this.process, fd));
  }

  read(fd: number, length: number): Uint8Array {
    return this.#read(fd, length, null);
  }

  pread(fd: number, length: number, at: number): Uint8Array {
    return this.#read(fd, length, at);
  }

  #read(fd: number, length: number, at: number | null): Uint8Array {
    return this.call('read', () => contents.read(this.kernel, this.process, fd, { length, at }));
  }

  write(fd: number, bytes: Uint8Array): number {
    return this.#write(fd, bytes, null);
  }

  pwrite(fd: number, bytes: Uint8Array, at: number): number {
    return this.#write(fd, bytes, at);
  }

  #write(fd: number, bytes: Uint8Array, at: number | null): number {
    return this.call('write', () => contents.write(this.kernel, this.process, fd, { bytes, at }));
  }

  ftruncate(fd: number, length: number): void {
    this.call('ftruncate', () => contents.ftruncate(this.kernel, this.process, fd, length));
  }

  fsync(fd: number): void {
    this.call('fsync', () => contents.sync(this.kernel, this.process, fd));
  }

  fdatasync(fd: number): void {
    this.call('fdatasync', () => contents.sync(this.kernel, this.process, fd));
  }

  fstat(fd: number): Stats {
    return this.call('fstat', () => attributes.statsOf(this.kernel, this.process.file(fd).place));
  }

  fchmod(fd: number, mode: number): void {
    this.call('fchmod', () =>
      attributes.chmod(this.kernel, this.process, this.process.used(fd).place, mode),
    );
  }

  fchown(fd: number, uid: number, gid: number): void {
    this.call('fchown', () =>
      attributes.chown(this.kernel, this.process, this.process.used(fd).place, { uid, gid }),
    );
  }

  futimes(fd: number, atime: bigint, mtime: bigint): void {
    this.call('futime', () =>
      attributes.setTimes(this.kernel, this.process, this.process.used(fd).place, {
        atime,
        mtime,
      }),
    );
  }

  lock(fd: number): boolean {
    return this.call('flock', () => opening.lock(this.process, fd));
  }

  unlock(fd: number): void {
    this.call('flock', () => opening.unlock(this.process, fd));
  }

  map(fd: number): Mapping {
    const mapping = this.call('mmap', () => contents.map(this.kernel, this.process, fd));
    return {
      write: (at, bytes) => this.call('mmap', () => mapping.write(at, bytes)),
      sync: () => this.call('msync', () => mapping.sync()),
      unmap: () => this.call('munmap', () => mapping.unmap()),
    };
  }

  stat(path: Path): Stats {
    return this.#at('stat', path, true, (place) => attributes.statsOf(this.kernel, place));
  }

  lstat(path: Path): Stats {
    return this.#at('lstat', path, false, (place) => attributes.statsOf(this.kernel, place));
  }

  access(path: Path, mode: number): void {
    this.#at('access', path, true, (place) =>
      attributes.access(this.kernel, this.process, place, mode),
    );
  }

  readdir(path: Path): string[] {
    return this.#at('scandir', path, true, (place) =>
      listing(this.kernel, this.process, place).map(({ name }) => shownName(name)),
    );
  }

  readdirBytes(path: Path): Uint8Array[] {
    return this.#at('scandir', path, true, (place) =>
      listing(this.kernel, this.process, place).map(({ name }) => encodeName(name)),
    );
  }

  opendir(path: Path): DirectoryReader {
    const walk = this.#at(
      'opendir',
      path,
      true,
      (place) => new DirectoryWalk(this.kernel, this.process, place),
    );
    return {
      next: () =>
        this.call('readdir', () => {
          const entry = walk.next();
          return entry === null ? null : shownName(entry.name);
        }),
      close: () => walk.close(),
    };
  }

  mkdir(path: Path, mode = 0o777): void {
    this.call('mkdir', () => names.mkdir(this.kernel, this.process, path, mode), path);
  }

  rmdir(path: Path): void {
    this.call('rmdir', () => names.rmdir(this.kernel, this.process, path), path);
  }

  unlink(path: Path): void {
    this.call('unlink', () => names.unlink(this.kernel, this.process, path), path);
  }

  rename(from: Path, to: Path): void {
    this.#rename(from, to, 'replace');
  }

  renameNoReplace(from: Path, to: Path): void {
    this.#rename(from, to, 'no replace');
  }

  exchange(one: Path, other: Path): void {
    this.#rename(one, other, 'exchange');
  }

  #rename(from: Path, to: Path, how: RenameHow): void {
    this.call('rename', () => rename(this.kernel, this.process, { from, to }, how), from, to);
  }

  link(file: Path, path: Path): void {
    this.call('link', () => names.link(this.kernel, this.process, file, path), file, path);
  }

  symlink(target: Path, path: Path): void {
    const make = (): void => names.symlink(this.kernel, this.process, target, path);
    this.call('symlink', make, target, path);
  }

  readlink(path: Path): string {
    const read = (): string => shownName(names.readlink(this.kernel, this.process, path));
    return this.call('readlink', read, path);
  }

  mkfifo(path: Path, mode = 0o666): void {
    this.call('mknod', () => names.mkfifo(this.kernel, this.process, path, mode), path);
  }

  truncate(path: Path, length: number): void {
    const fd = this.open(path, OPEN.writeOnly);
    try {
      this.ftruncate(fd, length);
    } finally {
      this.close(fd);
    }
  }

  chmod(path: Path, mode: number): void {
    this.#at('chmod', path, true, (place) =>
      attributes.chmod(this.kernel, this.process, place, mode),
    );
  }

  chown(path: Path, uid: number, gid: number): void {
    this.#at('chown', path, true, (place) =>
      attributes.chown(this.kernel, this.process, place, { uid, gid }),
    );
  }

  lchown(path: Path, uid: number, gid: number): void {
    this.#at('lchown', path, false, (place) =>
      attributes.chown(this.kernel, this.process, place, { uid, gid }),
    );
  }

  utimes(path: Path, atime: bigint, mtime: bigint): void {
    this.#at('utime', path, true, (place) =>
      attributes.setTimes(this.kernel, this.process, place, { atime, mtime }),
    );
  }

  lutimes(path: Path, atime: bigint, mtime: bigint): void {
    this.#at('lutime', path, false, (place) =>
      attributes.setTimes(this.kernel, this.process, place, { atime, mtime }),
    );
  }

  listxattr(path: Path): string[] {
    return this.#at('listxattr', path, true, (place) =>
      xattrs.listxattr(this.kernel, this.process, place),
    );
  }

  getxattr(path: Path, name: string): Uint8Array {
    return this.#at('getxattr', path, true, (place) =>
      xattrs.getxattr(this.kernel, this.process, place, name).slice(),
    );
  }

  setxattr(path: Path, name: string, value: Uint8Array): void {
    this.#at('setxattr', path, true, (place) =>
      xattrs.setxattr(this.kernel, this.process, place, { name, value }),
    );
  }

  removexattr(path: Path, name: string): void {
    this.#at('removexattr', path, true, (place) =>
      xattrs.removexattr(this.kernel, this.process, place, name),
    );
  }

  reflink(from: Path, to: Path): void {
    const source = this.open(from, OPEN.readOnly | OPEN.nonBlocking);
    try {
      const copy = this.open(to, 'wx', 0o600);
      try {
        this.shareBlocks(source, copy);
      } catch (error) {
        this.unlink(to);
        throw error;
      } finally {
        this.close(copy);
      }
    } finally {
      this.close(source);
    }
  }

  /** FICLONE: the open file `copy` shares the blocks of another. */
  shareBlocks(source: number, copy: number): void {
    const placeOf = (fd: number): Place => this.process.used(fd).place;
    this.call('ioctl', () => contents.shareContents(this.kernel, placeOf(source), placeOf(copy)));
  }

  umask(mask: number): number {
    const before = this.process.umask;
    this.process.umask = mask & 0o777;
    return before;
  }

  end(): void {
    opening.endProcess(this.kernel, this.process);
  }

  #at<T>(syscall: string, path: Path, follow: boolean, act: (place: Place) => T): T {
    const run = (): T =>
      act(new PathWalk(this.kernel, this.process).place(takenPath(path), follow));
    return this.call(syscall, run, path);
  }

  /** Runs a call of the kernel, and names its error. */
  call<T>(syscall: string, act: () => T, path?: Path, dest?: Path): T {
    const { caller } = this.kernel;
    this.kernel.isElsewhere = this.#isElsewhere;
    this.kernel.caller = this.process;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      if (error.code === 'ESILENT') this.process.isHung = true;
      throw error.named({ syscall, path: textOf(path), dest: textOf(dest) });
    } finally {
      this.kernel.isElsewhere = false;
      this.kernel.caller = caller;
    }
  }
}

function textOf(path: Path | undefined): string | undefined {
  return path === undefined ? undefined : shownName(takenPath(path));
}

/** The `Disk` of the folder (daemon/adapters/folder/disk/disk.ts) over a process of the simulated kernel, call by call as the real one has it. */
import type {
  Disk,
  DiskHandles,
  DiskLooks,
  DiskStatus,
  DiskTexts,
  SmallFile,
} from '../../../../daemon/adapters/folder/disk/disk.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import { listing } from './directory-reader.ts';
import type { WatchSystem } from './directory-watches.ts';
import { KernelError } from './kernel-error.ts';
import { readlink } from './name-calls.ts';
import { OPEN } from './open-flags.ts';
import { encodeName, shownName, takenPath } from './path-bytes.ts';
import { PathWalk } from './path-walk.ts';
import { readFile, writeFile, type InodeKind, type Stats } from './program-calls.ts';
import { quickHostCalls, type HostCallOptions } from './simulated-host-calls.ts';
import type { SimulatedProgramCalls } from './simulated-program-calls.ts';
import { removeName, slowCalls, type StepWaits } from './slow-calls.ts';

export interface SimulatedDiskParts extends Partial<HostCallOptions> {
  /** Of the process that the folder runs in. */
  readonly calls: SimulatedProgramCalls;
  /** Where slow calls wait: of the machine, which may sleep. */
  readonly schedule: Pick<Schedule, 'in'>;
  readonly random: SeededRandom;
  readonly watches: WatchSystem;
  /** False: the process is gone, and none of its calls goes on. */
  readonly isAlive?: () => boolean;
  readonly hasHandlePaths?: boolean;
  readonly hasDirectoryWatches?: boolean;
  /** Milliseconds that a step of a slow call takes at most. */
  readonly mostDelay?: number;
}

const MOST_DELAY = 2;
const KIND_BITS: Readonly<Record<InodeKind, number>> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  fifo: 0o010000,
  socket: 0o140000,
  device: 0o020000,
};

/** Fulfils the contract of `Disk` on a simulated kernel. */
export function simulatedDisk(parts: SimulatedDiskParts): Disk {
  const { calls, openBeneath = null } = parts;
  const named = <T>(syscall: string, path: string, act: () => T): T =>
    calls.call(syscall, act, path);
  return {
    ...quickHostCalls(calls, { openBeneath }),
    ...slowCalls(calls, stepWaits(parts)),
    watchDirectories: (events) => parts.watches.open(calls, events),
    ...looks(calls),
    ...handles(calls, parts.hasHandlePaths ?? true),
    ...texts(calls),
    ...namesIn(calls),
    hasDirectoryWatches: parts.hasDirectoryWatches ?? true,
    mayList: (path) =>
      calls.close(calls.open(path, OPEN.readOnly | OPEN.directory | OPEN.noFollow)),
    exists: (path) => goes(() => calls.stat(path)),
    entryAt: (path) => {
      const { kind, ino } = calls.lstat(path);
      return { isDirectory: kind === 'directory', inode: ino };
    },
    lastUse: (path) => {
      const stats = orNull(() => calls.lstat(path));
      return stats === null ? null : { read: stats.atime, changed: stats.ctime };
    },
    readSmall: (path, most) => readSmall(calls, path, most),
    makeDirectory: (path, mode) => calls.mkdir(path, mode),
    makeDirectories: (path, mode) => makeDirectories(calls, path, mode),
    makeEmpty: (path) => calls.close(calls.open(path, 'wx', 0o600)),
    writeNew: (path, text) => writeNew(calls, path, text),
    link: (file, path) => calls.link(file, path),
    symlink: (target, path) => calls.symlink(target, path),
    rename: (from, to) => calls.rename(from, to),
    unlink: (path) => calls.unlink(path),
    remove: (path) => named('rm', path, () => removeName(calls, path)),
    removeDirectory: (path) => calls.rmdir(path),
    removeTree: (path) => removeTree(calls, path),
  };
}

function stepWaits(parts: SimulatedDiskParts): StepWaits {
  const { schedule, random, isAlive = () => true, mostDelay = MOST_DELAY } = parts;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const delay = ms ?? random.fraction() * mostDelay;
        schedule.in(delay, 'disk answers', () => {
          if (isAlive()) resolve();
        });
      }),
  };
}

function looks(calls: SimulatedProgramCalls): DiskLooks {
  return {
    status: (path) => statusOf(orNull(() => calls.lstat(path))),
    statusBehind: (path) => statusOf(orNull(() => calls.stat(path), NO_WAY)),
    readLink: (path) =>
      calls.call(
        'readlink',
        () => Buffer.from(encodeName(readlink(calls.kernel, calls.process, path))),
        path,
      ),
    realPath: (path) =>
      calls.call(
        'realpath',
        () => {
          const place = new PathWalk(calls.kernel, calls.process).place(takenPath(path), true);
          return shownName(calls.kernel.pathOf(place));
        },
        path,
      ),
    mayChange: (path) => calls.access(path, 7),
  };
}

function handles(calls: SimulatedProgramCalls, hasHandlePaths: boolean): DiskHandles {
  const entry = hasHandlePaths ? OPEN.path : OPEN.readOnly | OPEN.nonBlocking;
  return {
    hasHandlePaths,
    openRoot: (path) => calls.open(path, entry | OPEN.directory),
    openDirectory: (path) => calls.open(path, entry | OPEN.directory | OPEN.noFollow),
    openEntry: (path) => calls.open(path, entry | OPEN.noFollow),
    statusOf: (handle) => knownStatus(calls.fstat(handle)),
    pathOf: (handle) => `/proc/self/fd/${handle}`,
    close: (handle) => calls.close(handle),
  };
}

function texts(calls: SimulatedProgramCalls): DiskTexts {
  return {
    readText: (path) => new TextDecoder().decode(readFile(calls, path)),
    writeText: (path, text, mode) =>
      writeFile(calls, path, new TextEncoder().encode(text), { mode }),
  };
}

function namesIn(
  calls: SimulatedProgramCalls,
): Pick<Disk, 'names' | 'namesAsBytes' | 'directoriesIn'> {
  const { kernel } = calls;
  const caller = calls.process;
  return {
    names: (path) => calls.readdir(path),
    namesAsBytes: (path) => calls.readdirBytes(path).map((bytes) => Buffer.from(bytes)),
    directoriesIn: (path) =>
      calls.call(
        'scandir',
        () => {
          const place = new PathWalk(kernel, caller).place(takenPath(path), true);
          return listing(kernel, caller, place)
            .filter(({ inode }) => inode.kind === 'directory')
            .map(({ name }) => shownName(name));
        },
        path,
      ),
  };
}

function statusOf(stats: Stats | null): DiskStatus | null {
  return stats === null ? null : knownStatus(stats);
}

function knownStatus(stats: Stats): DiskStatus {
  return {
    dev: stats.dev,
    ino: stats.ino,
    mode: BigInt(KIND_BITS[stats.kind] | stats.mode),
    nlink: BigInt(stats.links),
    uid: BigInt(stats.uid),
    gid: BigInt(stats.gid),
    size: BigInt(stats.size),
    atimeNs: stats.atime,
    mtimeNs: stats.mtime,
    ctimeNs: stats.ctime,
    birthtimeNs: stats.birth,
  };
}

/** To Node what links lead to is also not there where the way is none. */
const NO_WAY: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** null for the codes that say that nothing is there. */
function orNull<T>(act: () => T, codes: readonly unknown[] = ['ENOENT']): T | null {
  try {
    return act();
  } catch (error) {
    if (codes.includes(codeOf(error))) return null;
    throw error;
  }
}

function goes(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof KernelError && error.code !== 'ESILENT') return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof KernelError ? error.code : null);

function readSmall(calls: SimulatedProgramCalls, path: string, most: number): SmallFile {
  const fd = calls.open(path, OPEN.readOnly | OPEN.noFollow | OPEN.nonBlocking);
  try {
    const { kind, size } = calls.fstat(fd);
    if (kind !== 'file') return 'no file';
    return size > most ? 'too large' : Buffer.from(calls.pread(fd, size, 0));
  } finally {
    calls.close(fd);
  }
}

/** As shared/system/make-folder.ts. */
function makeDirectories(calls: SimulatedProgramCalls, path: string, mode: number): string[] {
  const missing: string[] = [];
  for (let at = path; orNull(() => calls.lstat(at)) === null; at = parentOf(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    try {
      calls.mkdir(folder, mode);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  if (calls.stat(path).kind !== 'directory') calls.mkdir(path);
  return missing;
}

function parentOf(path: string): string {
  const end = path.replace(/\/+$/, '').lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

function writeNew(calls: SimulatedProgramCalls, path: string, text: string): void {
  const fd = calls.open(path, 'wx', 0o600);
  try {
    calls.write(fd, new TextEncoder().encode(text));
    calls.fsync(fd);
  } finally {
    calls.close(fd);
  }
}

/** No link is followed; what is gone meanwhile is gone. */
function removeTree(calls: SimulatedProgramCalls, path: string): void {
  const stats = orNull(() => calls.lstat(path));
  if (stats === null) return;
  if (stats.kind !== 'directory') return removeName(calls, path);
  for (const name of orNull(() => calls.readdirBytes(path)) ?? []) {
    removeTree(calls, `${path}/${new TextDecoder().decode(name)}`);
  }
  orNull(() => calls.rmdir(path));
}

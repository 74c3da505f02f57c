/** The disk of this machine, by Node and the addon. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Host } from '../../../../shared/ports/host.ts';
import { makeFolder } from '../../../../shared/system/make-folder.ts';
import type {
  Disk,
  DiskHandles,
  DiskLooks,
  DiskTexts,
  HostFileCalls,
  LastUse,
  SmallFile,
} from './disk.ts';
import { sparseCopy } from './sparse-copy.ts';

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
const { R_OK, W_OK, X_OK } = constants;

const IS_LINUX = process.platform === 'linux';
const HAS_HANDLE_PATHS = IS_LINUX && existsSync('/proc/self/fd');
/** Linux's O_PATH, which Node has no name for: an open that needs no right to the contents, and waits for nothing. */
const O_PATH = HAS_HANDLE_PATHS ? 0o10000000 : 0;

const looks: DiskLooks = {
  status: (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null,
  statusBehind: (path) => statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null,
  readLink: (path) => readlinkSync(path, { encoding: 'buffer' }),
  realPath: (path) => realpathSync(path),
  mayChange: (path) => accessSync(path, R_OK | W_OK | X_OK),
};

const handles: DiskHandles = {
  hasHandlePaths: HAS_HANDLE_PATHS,
  openRoot: (path) => openSync(path, O_PATH | O_DIRECTORY),
  openDirectory: (path) => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW),
  openEntry: (path) => openSync(path, O_PATH | O_NOFOLLOW),
  statusOf: (handle) => fstatSync(handle, { bigint: true }),
  pathOf: (handle) => `/proc/self/fd/${handle}`,
  close: (handle) => closeSync(handle),
};

const texts: DiskTexts = {
  readText: (path) => readFileSync(path, 'utf8'),
  writeText: (path, text, mode) => writeFileSync(path, text, { mode }),
};

/** Fulfils the contract of `Disk` for the disks of this machine. */
export function systemDisk(host: Host): Disk {
  return {
    ...hostCalls(host),
    ...looks,
    ...handles,
    ...texts,
    hasDirectoryWatches: IS_LINUX,
    names: (path) => readdirSync(path),
    namesAsBytes: (path) => readdirSync(path, { encoding: 'buffer' }),
    directoriesIn: (path) =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    mayList: (path) => closeSync(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)),
    exists: (path) => existsSync(path),
    entryAt: (path) => {
      const stats = lstatSync(path, { bigint: true });
      return { isDirectory: stats.isDirectory(), inode: stats.ino };
    },
    lastUse,
    readSmall,
    makeDirectory: (path, mode) => mkdirSync(path, { mode }),
    makeDirectories: (path, mode) => makeFolder(path, mode),
    makeEmpty: (path) => closeSync(openSync(path, 'wx', 0o600)),
    writeNew,
    link: (file, path) => linkSync(file, path),
    symlink: (target, path) => symlinkSync(target, path),
    rename: (from, to) => renameSync(from, to),
    unlink: (path) => unlinkSync(path),
    remove: (path) => rmSync(path, { force: true }),
    removeDirectory: (path) => rmdirSync(path),
    removeTree: (path) => rmSync(path, { force: true, recursive: true }),
    move: (from, to) => rename(from, to),
    drop: (path) => rm(path, { force: true }),
    syncFile,
    copySparse: (from, to) => sparseCopy(from, to),
  };
}

function hostCalls(host: Host): HostFileCalls {
  return {
    copyFile: (from, to, options) => host.copyFile(from, to, options),
    digestFile: (path) => host.digestFile(path),
    inherit: (directory, file) => host.inherit(directory, file),
    isBeingWritten: (path) => host.isBeingWritten(path),
    keepUnsynced: (from, to) => host.keepUnsynced(from, to),
    listXattrs: (path) => host.listXattrs(path),
    lockFile: (path) => host.lockFile(path),
    openBeneath: (root, path, as) => host.openBeneath(root, path, as),
    readParts: (path, lengths) => host.readParts(path, lengths),
    removeXattr: (path, name) => host.removeXattr(path, name),
    renameExchange: (one, other) => host.renameExchange(one, other),
    renameNoReplace: (from, to) => host.renameNoReplace(from, to),
    setMode: (path, mode) => host.setMode(path, mode),
    setMtime: (path, nanoseconds) => host.setMtime(path, nanoseconds),
    setXattr: (path, name, value) => host.setXattr(path, name, value),
    syncDirectory: (path) => host.syncDirectory(path),
    watchDirectories: (events) => host.watchDirectories(events),
  };
}

function lastUse(path: string): LastUse | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  return { read: stats.atimeNs, changed: stats.ctimeNs };
}

/** As `Disk.readSmall`. */
export function readSmall(path: string, most: number): SmallFile {
  const opened = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile()) return 'no file';
    if (stats.size > most) return 'too large';
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(opened);
  }
}

function writeNew(path: string, text: string): void {
  const opened = openSync(path, 'wx', 0o600);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

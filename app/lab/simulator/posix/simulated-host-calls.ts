/** What the Host offers for files, on the simulated kernel and at once: as the addon does it on a real one, step by step. Slow calls are in slow-calls.ts. */
import type { HostFileCalls } from '../../../../daemon/adapters/folder/disk/disk.ts';
import { chmod, setTimes } from './attribute-calls.ts';
import { syncPlace } from './contents-calls.ts';
import { inodeAt } from './inode-path.ts';
import { fail, KernelError, type ErrorName } from './kernel-error.ts';
import { openPath } from './open-call.ts';
import { OPEN } from './open-flags.ts';
import { byteLength, escapedName, takenPath } from './path-bytes.ts';
import { PathWalk } from './path-walk.ts';
import { rename, type RenameHow } from './rename-call.ts';
import type { SimulatedProgramCalls } from './simulated-program-calls.ts';
import { inherit, keepUnsynced } from './unsynced-attributes.ts';
import { getxattr, listxattr, removexattr, setxattr } from './xattr-calls.ts';

const USER = 'user.';
const MOST_PATH_BYTES = 4095;
const LEAST_TIME = -(2n ** 63n);
const MOST_TIME = 2n ** 63n - 1n;

/** The errors of a call or a flag that a file system does not know. */
const LACKS = new Set<ErrorName>(['EINVAL', 'ENOSYS', 'ENOTSUP']);

export type QuickHostCalls = Omit<
  HostFileCalls,
  'copyFile' | 'digestFile' | 'readParts' | 'watchDirectories'
>;

export interface HostCallOptions {
  /** The kernel, or a sandbox, has no openat2; null: it has. */
  readonly openBeneath: 'ENOSYS' | 'EPERM' | null;
}

/** The calls that need no time, of the process of `calls`. */
export function quickHostCalls(
  calls: SimulatedProgramCalls,
  options: HostCallOptions,
): QuickHostCalls {
  const { kernel } = calls;
  const caller = calls.process;
  const named = <T>(syscall: string, path: string, act: () => T): T =>
    calls.call(syscall, act, path);
  return {
    setMode: (path, mode) =>
      named('chmod', path, () => {
        const place = inodeAt(kernel, caller, path);
        if (place.inode.kind === 'symlink') fail('ELOOP');
        chmod(kernel, caller, place, mode);
      }),
    setMtime: (path, mtime) =>
      named('utimensat', path, () => {
        if (mtime < LEAST_TIME || mtime > MOST_TIME) fail('EINVAL');
        setTimes(kernel, caller, inodeAt(kernel, caller, path), { atime: null, mtime });
      }),
    ...xattrCalls(calls),
    ...renames(calls),
    keepUnsynced: (from, to) =>
      named('keep', from, () =>
        keepUnsynced(
          { kernel, caller },
          inodeAt(kernel, caller, from),
          inodeAt(kernel, caller, to),
        ),
      ),
    inherit: (directory, file) =>
      named('inherit', file, () =>
        inherit(
          { kernel, caller },
          inodeAt(kernel, caller, directory),
          inodeAt(kernel, caller, file),
        ),
      ),
    lockFile: (path) => named('flock', path, () => lockFile(calls, path)),
    openBeneath: (root, path, as) =>
      named('openat2', path, () => openBeneath(calls, { root, path, as }, options)),
    isBeingWritten: (path) => named('fcntl', path, () => isBeingWritten(calls, path)),
    syncDirectory: (path) => named('fsync', path, () => syncDirectory(calls, path)),
  };
}

function xattrCalls(
  calls: SimulatedProgramCalls,
): Pick<HostFileCalls, 'listXattrs' | 'setXattr' | 'removeXattr'> {
  const { kernel } = calls;
  const caller = calls.process;
  return {
    listXattrs: (path) =>
      calls.call(
        'listxattr',
        () => {
          const place = inodeAt(kernel, caller, path);
          const names = listxattr(kernel, caller, place).filter((name) => name.startsWith(USER));
          return names.map((name) => {
            const isText = name.isWellFormed();
            const value = isText
              ? getxattr(kernel, caller, place, name).slice()
              : new Uint8Array(0);
            return { name: escapedName(name.slice(USER.length)), value, isText };
          });
        },
        path,
      ),
    setXattr: (path, name, value) =>
      calls.call(
        'setxattr',
        () => {
          if (name.includes('\0')) fail('EINVAL');
          const place = inodeAt(kernel, caller, path);
          setxattr(kernel, caller, place, { name: `${USER}${name}`, value });
        },
        path,
      ),
    removeXattr: (path, name) =>
      calls.call(
        'removexattr',
        () => removexattr(kernel, caller, inodeAt(kernel, caller, path), `${USER}${name}`),
        path,
      ),
  };
}

function renames(
  calls: SimulatedProgramCalls,
): Pick<HostFileCalls, 'renameNoReplace' | 'renameExchange'> {
  const { kernel } = calls;
  const caller = calls.process;
  const go = (from: string, to: string, how: RenameHow): void =>
    rename(kernel, caller, { from, to }, how);
  return {
    renameExchange: (from, to) => calls.call('rename', () => go(from, to, 'exchange'), from, to),
    renameNoReplace: (from, to) =>
      calls.call(
        'rename',
        () => {
          try {
            go(from, to, 'no replace');
          } catch (error) {
            if (!(error instanceof KernelError) || !LACKS.has(error.code)) throw error;
            renameWithoutFlag(calls, from, to);
          }
        },
        from,
        to,
      ),
  };
}

/** A file gets the new name as a second one, and loses the first. Where that is lacking, a look comes right before the rename. */
function renameWithoutFlag(calls: SimulatedProgramCalls, from: string, to: string): void {
  const { kernel } = calls;
  const caller = calls.process;
  if (inodeAt(kernel, caller, from).inode.kind !== 'directory') {
    try {
      calls.link(from, to);
      calls.unlink(from);
      return;
    } catch (error) {
      if ((error as KernelError).code === 'EEXIST') throw error;
    }
  }
  if (isThere(calls, to)) fail('EEXIST');
  rename(kernel, caller, { from, to }, 'replace');
}

function isThere(calls: SimulatedProgramCalls, path: string): boolean {
  try {
    inodeAt(calls.kernel, calls.process, path);
    return true;
  } catch (error) {
    if ((error as KernelError).code !== 'ENOENT') throw error;
    return false;
  }
}

function lockFile(calls: SimulatedProgramCalls, path: string): { release(): void } | null {
  const fd = calls.open(path, OPEN.readWrite | OPEN.create, 0o600);
  try {
    if (!calls.lock(fd)) {
      calls.close(fd);
      return null;
    }
  } catch (error) {
    calls.close(fd);
    throw error;
  }
  let isHeld = true;
  return {
    release: () => {
      if (isHeld) calls.close(fd);
      isHeld = false;
    },
  };
}

function openBeneath(
  calls: SimulatedProgramCalls,
  { root, path, as }: { root: string; path: string; as: 'directory' | 'file' },
  { openBeneath: lack }: HostCallOptions,
): number {
  const { kernel } = calls;
  const caller = calls.process;
  caller.requireNumber();
  const top = new PathWalk(kernel, caller).place(takenPath(root), true);
  if (top.inode.kind !== 'directory') fail('ENOTDIR');
  if (lack !== null) fail(lack);
  const taken = path === '' ? '.' : takenPath(path);
  if (byteLength(taken) > MOST_PATH_BYTES) fail('ENAMETOOLONG');
  if (taken.startsWith('/')) fail('EXDEV');
  const walk = new PathWalk(kernel, caller, { beneath: true });
  const place = walk.end(walk.spotFrom(top, taken), false);
  const bits = OPEN.path | OPEN.noFollow | (as === 'directory' ? OPEN.directory : 0);
  const file = openPath(kernel, place, bits);
  if (as === 'file' && place.inode.kind !== 'file') {
    kernel.closeFile(file);
    if (place.inode.kind === 'symlink') fail('ELOOP');
    fail(place.inode.kind === 'directory' ? 'EISDIR' : 'EINVAL');
  }
  return caller.add(file);
}

/** As a read lease tells it: of a regular file, to its owner. */
function isBeingWritten(calls: SimulatedProgramCalls, path: string): boolean | null {
  const fd = calls.open(path, OPEN.readOnly | OPEN.nonBlocking);
  try {
    const { inode } = calls.process.file(fd);
    const { leases } = inode.fs.switches;
    const isOwn = calls.process.uid === 0 || calls.process.uid === inode.uid;
    if (inode.kind !== 'file' || !isOwn || leases === 'unknown') return null;
    return leases === 'always' || inode.writers > 0;
  } finally {
    calls.close(fd);
  }
}

/** A file system that can not sync a directory keeps its names some other way. */
function syncDirectory(calls: SimulatedProgramCalls, path: string): void {
  const fd = calls.open(path, OPEN.readOnly | OPEN.directory);
  try {
    syncPlace(calls.kernel, calls.process.file(fd).place);
  } catch (error) {
    if (!LACKS.has((error as KernelError).code)) throw error;
  } finally {
    calls.close(fd);
  }
}

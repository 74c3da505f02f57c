/**
 * The disk as the folder sees it: every call that reads or changes files goes through one such object, which is handed in. Nothing else of the folder
 * knows `node:fs` or the addon.
 *
 * Contract
 * 1. Paths are absolute. `/proc/self/fd/N` (Linux) stands for what is open as N. Calls on names follow no link at the end of a path, but where it is said.
 * 2. Errors are those of the system, with its name in `code` (ENOENT, EEXIST, ENOSPC ...). Calls that do not say otherwise throw; promises reject.
 * 3. Calls without a promise are done when they return; nothing of the folder comes in between. They are not durable before the directory is synced.
 * 4. Times are nanoseconds since 1970; sizes are bytes; modes are permission bits, 0..0o7777.
 */
import type { Host } from '../../../../shared/ports/host.ts';

/** What the Host offers for files (shared/ports/host.ts says what each promises). */
export type HostFileCalls = Pick<
  Host,
  | 'copyFile'
  | 'digestFile'
  | 'inherit'
  | 'isBeingWritten'
  | 'keepUnsynced'
  | 'listXattrs'
  | 'openBeneath'
  | 'readParts'
  | 'removeXattr'
  | 'renameExchange'
  | 'renameNoReplace'
  | 'setMode'
  | 'setMtime'
  | 'setXattr'
  | 'syncDirectory'
  | 'watchDirectories'
>;

/** The bytes of a file that should be small; why there are none. */
export type SmallFile = Buffer | 'no file' | 'too large';

/** What stands at a name, as a watcher tells two apart. */
export interface DirectoryEntry {
  readonly isDirectory: boolean;
  readonly inode: bigint;
}

export interface Disk extends HostFileCalls {
  /** Names in a directory, in no order, without `.` and `..`. */
  names(path: string): string[];
  /** The same as bytes: some may be no UTF-8. */
  namesAsBytes(path: string): Buffer[];
  /** Names of the directories in a directory; links to one are none. */
  directoriesIn(path: string): string[];
  /** Throws EACCES where the names in a directory may not be read, and ENOTDIR and ELOOP where it is none. */
  mayList(path: string): void;
  /** Whether something is there, links followed. Never throws: what can't be known is not there. */
  exists(path: string): boolean;
  /** Throws ENOENT. */
  entryAt(path: string): DirectoryEntry;
  /** The later of the times of access and of change, in nanoseconds; null: nothing is there. */
  lastUse(path: string): bigint | null;
  /** The whole of a regular file of at most `most` bytes. It waits for no FIFO and reads no device. Throws ELOOP where it is a link. */
  readSmall(path: string, most: number): SmallFile;

  /** Throws EEXIST. `mode` as the umask leaves it. */
  makeDirectory(path: string, mode: number): void;
  /** An empty file of mode 0600. Throws EEXIST. */
  makeEmpty(path: string): void;
  /** A new file of mode 0600 with this text, which is durable. Throws EEXIST; of what it fails at later the file may be left. */
  writeNew(path: string, text: string): void;
  /** A further name for a file. Throws EEXIST. */
  link(file: string, path: string): void;
  /** Throws EEXIST. */
  symlink(target: string, path: string): void;
  /** Takes the place of a file that has the new name. */
  rename(from: string, to: string): void;
  /** Takes away a name that is no directory's. Throws ENOENT. */
  unlink(path: string): void;
  /** The same; nothing where there is none. */
  remove(path: string): void;
  /** Throws ENOTEMPTY or EEXIST where something is in it. */
  removeDirectory(path: string): void;
  /** A directory and all that is in it, or a file; nothing where there is none. */
  removeTree(path: string): void;

  /** As `rename`, off the main thread. */
  move(from: string, to: string): Promise<void>;
  /** As `remove`, off the main thread. */
  drop(path: string): Promise<void>;
  /** What was written to the file is durable. */
  syncFile(path: string): Promise<void>;
  /** Copies to a new file without long runs of zeros, and durable. False, and nothing is there: it has no holes, or has them already. */
  copySparse(from: string, to: string): Promise<boolean>;
}

/** Removes a directory with nothing in it. False: something is in it, and it stays. Throws what else the disk says. */
export function removeEmptied(files: Pick<Disk, 'removeDirectory'>, path: string): boolean {
  try {
    files.removeDirectory(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    return false;
  }
}

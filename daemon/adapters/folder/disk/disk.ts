/**
 * The disk as the folder sees it: every call that reads or changes files goes through one such object, which is handed in. Nothing else of the folder
 * knows `node:fs` or the addon. The real one is system-disk.ts.
 *
 * Contract
 * 1. Paths are absolute texts. Calls on names follow no link at the end of a path, but where it is said; links on the way are followed, as everywhere.
 * 2. Errors are those of the system, with its name in `code` (ENOENT, EEXIST, ENOSPC ...), and `syscall` and `path` for the words, as Node's own have
 *    them. Calls that do not say otherwise throw; promises reject. After an error of a change to a name nothing was changed.
 * 3. Calls without a promise are done when they return, and nothing of the folder comes in between. Other programs may: between two calls, and between
 *    the steps of one that takes several (`removeTree`, `makeDirectories`, `writeNew`, `writeText`, a read), never in the middle of a change to one name.
 * 4. Times are nanoseconds since 1970; sizes are bytes; modes that are given are permission bits, 0..0o7777. Where a mode makes something new, the umask
 *    of this process takes from it.
 * 5. A change to names is seen at once by every later call, and survives a power loss once `syncDirectory` of its directory has returned. Until then it
 *    may be undone, whole: after a power loss a renamed thing has one of its two names, and a replaced name leads to the old thing or to the new one.
 *    Contents survive once `syncFile`, or the call that says so, has returned; until then they may be short, empty or zeros beneath a name that stayed.
 * 6. It is a plain object whose calls need no `this`: whoever wants some of them to be others makes a copy, and replaces them.
 * 7. Handles are small numbers that are used again after `close`. One stands for an inode, whatever becomes of its names, and keeps it and its number from
 *    being used again; it gives no right to the contents, wakes nothing and waits for nothing. Only `statusOf`, `pathOf` and `close` take one.
 * 8. Where `hasHandlePaths`, `pathOf(handle)` is a path of the inode. Names beneath it are names in that directory, wherever it is meanwhile, and none of
 *    them is found once it was removed. The path by itself is the inode to what reads, lists and sets (`names`, `copyFile`, `setMode` ...), `statusBehind`
 *    included. To `status`, and to what changes names, it is a link: they are given it with `/.` behind.
 * 9. Events of a watch come later, never from inside of a call. They may be merged, and come in the order in which things happened in one directory.
 *
 * What a disk may lack, and how it says so
 * - second names (`link`): EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS; symbolic links (`symlink`): the same
 * - swapping names (`renameExchange`): EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP. A rename that replaces nothing is never lacking: shared/ports/host.ts says how
 * - permissions (`setMode`): EPERM, ENOSYS, ENOTSUP, EOPNOTSUPP, or it says nothing and `status` shows another mode
 * - extended attributes: none are listed, and ENOTSUP, EOPNOTSUPP or EPERM for one that is set; ENOSPC, EDQUOT, E2BIG, ERANGE, EINVAL for a name or value
 * - locks (`lockFile`): ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, and EROFS where nothing can be written
 * - an account of who has a file open to write (`isBeingWritten`): null, or true of a file that nobody has open
 * - opening beneath a root in one step (`openBeneath`): ENOSYS, EPERM, ENOTSUP
 * - syncing a directory: `syncDirectory` does nothing; watches: `hasDirectoryWatches` is false; a time of birth: `birthtimeNs` is 0
 * - fine times: they are cut to what it keeps, down to two seconds; a time of change that tells of a change of mode or time; a time of a directory that
 *   tells what came into it or went
 * - inodes without a name: `statusOf` says ENOENT once the last one has gone, and so does what reads by the path of the handle
 * - holes: a file takes the room of its length, and `copySparse` copies for nothing
 * - names: EINVAL, EILSEQ, EPERM or ENAMETOOLONG for one that it refuses, such as bytes that are no UTF-8. One that it folds (case, Unicode form, dots and blanks at the end) is listed in
 *   another spelling, or found by several. Nothing tells that but trying: `names` and `exists` say it
 * - it is there no more, or fails: EIO, ENOTCONN, ESTALE, ENXIO, ENODEV; full: ENOSPC, EDQUOT; read only: EROFS
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
  | 'lockFile'
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

/**
 * What the system says of an inode. Node's `BigIntStats` is one: nothing is copied for each of the files of a large folder.
 */
export interface DiskStatus {
  readonly dev: bigint;
  /** Used again once nothing leads to the inode and nobody has it open. */
  readonly ino: bigint;
  /** Permission bits, and the kind in the bits beyond them (S_IFMT): `kindOf` in disk-facts.ts tells it. */
  readonly mode: bigint;
  readonly nlink: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
  readonly size: bigint;
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
  /** Of the last change to the inode: its contents, attributes, or number of names. Nobody sets it. */
  readonly ctimeNs: bigint;
  /** 0: the file system keeps none. */
  readonly birthtimeNs: bigint;
}

/** What stands at a name, as a watcher tells two apart. */
export interface DirectoryEntry {
  readonly isDirectory: boolean;
  readonly inode: bigint;
}

/** What tells of inodes, by their paths. */
export interface DiskLooks {
  /** Of what stands at a name, a link itself included; null: nothing does (ENOENT). Throws all else: ENOTDIR, EACCES, ELOOP, ENAMETOOLONG ... */
  status(path: string): DiskStatus | null;
  /** The same of what links lead to; null also for a link to nothing, and where the way is none (ENOTDIR). */
  statusBehind(path: string): DiskStatus | null;
  /** Where a link leads to, as bytes: they may be no UTF-8. Throws ENOENT, and EINVAL where it is no link. */
  readLink(path: string): Buffer;
  /** The same place by a path without links. Throws ENOENT, ENOTDIR, EACCES, ELOOP. */
  realPath(path: string): string;
  /** Throws EACCES where this process may not list, change and pass a directory, and EROFS. Links are followed. */
  mayChange(path: string): void;
}

/** What opens directories and files so that nothing can come between a check and what follows it. */
export interface DiskHandles {
  /** An open handle has a path (Linux: `/proc/self/fd/N`). The same for the whole life of this object. */
  readonly hasHandlePaths: boolean;
  /** A directory, links followed. Throws ENOENT, ENOTDIR, ELOOP, EACCES (no right to pass the way; without handle paths also none to list it), EMFILE. */
  openRoot(path: string): number;
  /** The same; a link at the end is not followed: ENOTDIR or ELOOP. */
  openDirectory(path: string): number;
  /** Whatever stands there, a link itself included. Without handle paths it is opened to read: then ELOOP for a link, and nothing but a file is to be asked. */
  openEntry(path: string): number;
  /** Throws EBADF, and ENOENT where a file system keeps no inode that has lost its last name. */
  statusOf(handle: number): DiskStatus;
  /** Only where `hasHandlePaths`, and good until `close`. */
  pathOf(handle: number): string;
  close(handle: number): void;
}

/** Short texts of our own. Links are followed. */
export interface DiskTexts {
  /** The whole of a file, as UTF-8. Throws ENOENT, ENOTDIR, EISDIR, EACCES. */
  readText(path: string): string;
  /** Empties the file, or makes it with that mode, and writes; not durable. What fails in between leaves part of it. Throws EISDIR, ENOENT, ENOSPC ... */
  writeText(path: string, text: string, mode: number): void;
}

/** The times of access and of change (ctime) of an inode, in nanoseconds since 1970. A disk may note accesses late, or never. */
export interface LastUse {
  readonly read: bigint;
  readonly changed: bigint;
}

/**
 * All that is done to files. How much room there is, what is mounted, and whether a mount answers are no part of it: FolderOptions has them
 * (`diskRoom`, `mounts`, `askMount`).
 */
export interface Disk extends HostFileCalls, DiskLooks, DiskHandles, DiskTexts {
  /** `watchDirectories` works. Where it is false the folder is watched by a library, which looks at the disk of this machine. */
  readonly hasDirectoryWatches: boolean;

  /**
   * Names in a directory, in no order, without `.` and `..`. What is there all the while is in it once; what comes or goes meanwhile may be. Throws
   * ENOENT, ENOTDIR, EACCES. A link at the end is followed, as by each call that lists.
   */
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
  /** When it was read and changed last; null: nothing is there. */
  lastUse(path: string): LastUse | null;
  /** The whole of a regular file of at most `most` bytes. It waits for no FIFO and reads no device. Throws ELOOP where it is a link. */
  readSmall(path: string, most: number): SmallFile;

  /** Throws EEXIST, whatever is there. */
  makeDirectory(path: string, mode: number): void;
  /**
   * A directory with those above it that are missing; gives those that it made, the innermost first. Nothing where a directory is there already,
   * behind a link too. Throws EEXIST (`syscall` is `mkdir`) where something else is there, and ENOTDIR on the way.
   */
  makeDirectories(path: string, mode: number): string[];
  /** An empty file of mode 0600. Throws EEXIST. */
  makeEmpty(path: string): void;
  /** A new file of mode 0600 with this text, which is durable. Throws EEXIST; of what it fails at later the file may be left. */
  writeNew(path: string, text: string): void;
  /** A further name for a file, or for a link itself. Throws EEXIST, ENOENT, EXDEV, EPERM (a directory, or nothing of the kind here), EMLINK. */
  link(file: string, path: string): void;
  /** Throws EEXIST. */
  symlink(target: string, path: string): void;
  /**
   * In one step: at no moment has nobody the new name, if somebody had it. Takes the place of a file or link that has it, or of an empty directory where
   * `from` is one; nothing happens where both names are one inode's. Throws ENOENT, EXDEV, EISDIR, ENOTDIR, ENOTEMPTY or EEXIST, and EINVAL (into itself).
   * A directory gets another place only with the right to write it.
   */
  rename(from: string, to: string): void;
  /** Takes away a name that is no directory's. Throws ENOENT, and EISDIR or EPERM for a directory. */
  unlink(path: string): void;
  /** The same; nothing where there is none. Throws for a directory, with whatever code. */
  remove(path: string): void;
  /** Throws ENOTEMPTY or EEXIST where something is in it, ENOTDIR where it is none, ENOENT, and EBUSY where something is mounted on it. */
  removeDirectory(path: string): void;
  /** A directory and all that is in it, or a file; nothing where there is none. No link is followed. What fails in between leaves the rest. */
  removeTree(path: string): void;

  /** As `rename`, off the main thread. */
  move(from: string, to: string): Promise<void>;
  /** As `remove`, off the main thread. */
  drop(path: string): Promise<void>;
  /** What was written to the file is durable. */
  syncFile(path: string): Promise<void>;
  /**
   * Copies to a new file without long runs of zeros, and durable. False, and nothing is there: it would have no holes, or has them already. Nothing is there
   * either where it fails.
   */
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

/** What `status` or `statusBehind` gave, where something has to be there. Throws ENOENT. */
export function there(status: DiskStatus | null, path: string): DiskStatus {
  if (status !== null) return status;
  throw Object.assign(new Error(`ENOENT: nothing is there: ${path}`), { code: 'ENOENT', path });
}

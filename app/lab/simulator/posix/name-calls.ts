/** The calls of the simulated kernel that make names and take them away. Renames are in rename-call.ts. */
import { isOwner, mayAccess, READ, requireCreate, requireRemove, WRITE } from './access-rights.ts';
import { touchAccess } from './access-time.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import { requireTaken } from './name-rules.ts';
import { makeInode, stampDirectory, stampInode } from './new-inode.ts';
import { byteLength, takenPath } from './path-bytes.ts';
import { PathWalk, type Spot } from './path-walk.ts';
import type { Process } from './process.ts';
import type { InodeKind, Path } from './program-calls.ts';

const MOST_TARGET_BYTES = 4095;
/** Of the mode that is asked for, a new directory gets these. */
const DIRECTORY_MODE = 0o1777;

/** A spot at which nothing is, for something new. Throws EEXIST, ENOENT, EROFS. */
function freeSpot(kernel: Kernel, caller: Process, path: Path, kind: InodeKind): Spot {
  const walk = new PathWalk(kernel, caller);
  const spot = walk.spot(takenPath(path));
  if (spot.kind !== 'name' || walk.find(spot) !== null) fail('EEXIST');
  if (spot.hasSlash && kind !== 'directory') fail('ENOENT');
  kernel.requireWritable(spot.directory);
  return spot;
}

/** Puts an inode under a name that is free. */
export function giveName(kernel: Kernel, { directory, name }: Spot, inode: Inode): void {
  const { fs } = directory.inode;
  fs.setEntry(directory.inode, name, inode);
  fs.link(inode, inode.kind === 'directory' ? 2 : 1);
  if (inode.kind === 'directory') {
    fs.moveTo(inode, directory.inode);
    if (fs.switches.countsDirectories) fs.link(directory.inode, 1);
    else inode.links = 1;
  }
  stampDirectory(kernel, directory.inode);
  kernel.tellName(directory.inode, name, inode);
}

function make(
  kernel: Kernel,
  caller: Process,
  path: Path,
  wanted: { kind: InodeKind; mode: number },
): Inode {
  const spot = freeSpot(kernel, caller, path, wanted.kind);
  const { directory, name } = spot;
  kernel.meet('make', directory);
  requireCreate(caller, directory.inode);
  const { switches } = directory.inode.fs;
  requireTaken(switches.names, name);
  if (wanted.kind === 'symlink' && switches.symlinks !== null) fail(switches.symlinks);
  if (wanted.kind === 'fifo' && !switches.fifos) fail('EPERM');
  const inode = makeInode(kernel, caller, directory.inode, wanted);
  giveName(kernel, spot, inode);
  return inode;
}

export function mkdir(kernel: Kernel, caller: Process, path: Path, mode: number): void {
  make(kernel, caller, path, { kind: 'directory', mode: mode & DIRECTORY_MODE });
}

export function mkfifo(kernel: Kernel, caller: Process, path: Path, mode: number): void {
  make(kernel, caller, path, { kind: 'fifo', mode: mode & 0o777 });
}

export function symlink(kernel: Kernel, caller: Process, target: Path, path: Path): void {
  const text = takenPath(target);
  if (text === '') fail('ENOENT');
  if (byteLength(text) > MOST_TARGET_BYTES) fail('ENAMETOOLONG');
  const made = make(kernel, caller, path, { kind: 'symlink', mode: 0o777 });
  made.target = text;
}

export function link(kernel: Kernel, caller: Process, file: Path, path: Path): void {
  const old = new PathWalk(kernel, caller);
  const from = old.spot(takenPath(file));
  // A link of /proc is of another file system.
  if (from.kind === 'open') fail('EXDEV');
  const place = old.end(from, false);
  const spot = freeSpot(kernel, caller, path, 'file');
  if (place.mount !== spot.directory.mount) fail('EXDEV');
  addName(kernel, caller, place, spot);
}

/** A further name for what is at a place. */
function addName(kernel: Kernel, caller: Process, { inode }: Place, spot: Spot): void {
  const { directory, name } = spot;
  if (!mayLink(caller, inode)) fail('EPERM');
  kernel.meet('link', directory);
  requireCreate(caller, directory.inode);
  const { links, mostLinks, names } = inode.fs.switches;
  if (inode.isImmutable || links !== null || inode.kind === 'directory') fail(links ?? 'EPERM');
  if (inode.links === 0) fail('ENOENT');
  if (inode.links >= mostLinks) fail('EMLINK');
  requireTaken(names, name);
  stampInode(kernel, inode);
  giveName(kernel, spot, inode);
  kernel.tellSelf(inode);
}

/** What could lend rights, or is not ours to read and write, gets no further name (protected_hardlinks). */
function mayLink(caller: Process, inode: Inode): boolean {
  if (isOwner(caller, inode)) return true;
  const lendsGroup = (inode.mode & 0o2010) === 0o2010;
  if (inode.kind !== 'file' || (inode.mode & 0o4000) !== 0 || lendsGroup) return false;
  return mayAccess(caller, inode, READ | WRITE);
}

/** What is named at a spot, not what is mounted over it. Throws ENOENT. */
export function namedAt({ directory, name }: Spot): Inode {
  return directory.inode.entries?.get(name)?.inode ?? fail('ENOENT');
}

export function unlink(kernel: Kernel, caller: Process, path: Path): void {
  const walk = new PathWalk(kernel, caller);
  const spot = walk.spot(takenPath(path));
  if (spot.kind !== 'name') fail(spot.kind === 'open' ? 'EPERM' : 'EISDIR');
  kernel.requireWritable(spot.directory);
  walk.find(spot);
  const inode = namedAt(spot);
  if (spot.hasSlash) fail(inode.kind === 'directory' ? 'EISDIR' : 'ENOTDIR');
  kernel.meet('remove', spot.directory);
  requireRemove(caller, spot.directory.inode, inode, false);
  takeName(kernel, spot, inode);
  kernel.release(inode);
}

export function rmdir(kernel: Kernel, caller: Process, path: Path): void {
  const walk = new PathWalk(kernel, caller);
  const spot = walk.spot(takenPath(path));
  if (spot.kind === 'dots') fail('ENOTEMPTY');
  if (spot.kind === 'dot') fail('EINVAL');
  if (spot.kind === 'root') fail('EBUSY');
  if (spot.kind === 'open') fail('ENOTDIR');
  kernel.requireWritable(spot.directory);
  walk.find(spot);
  const inode = namedAt(spot);
  kernel.meet('remove', spot.directory);
  requireRemove(caller, spot.directory.inode, inode, true);
  if (kernel.isMountPoint(inode)) fail('EBUSY');
  if ((inode.entries?.count ?? 0) > 0) fail('ENOTEMPTY');
  takeName(kernel, spot, inode);
  kernel.release(inode);
}

function takeName(kernel: Kernel, { directory, name }: Spot, inode: Inode): void {
  const { fs } = directory.inode;
  fs.setEntry(directory.inode, name, null);
  dropName(kernel, directory.inode, inode);
  stampDirectory(kernel, directory.inode);
  kernel.tellName(directory.inode, name, inode);
}

/** An inode has lost a name in a directory, which says something else by now. */
export function dropName(kernel: Kernel, directory: Inode, inode: Inode): void {
  const { fs } = directory;
  stampInode(kernel, inode);
  if (inode.kind === 'directory') {
    fs.link(inode, -inode.links);
    if (fs.switches.countsDirectories) fs.link(directory, -1);
  } else {
    fs.link(inode, -1);
    kernel.tellSelf(inode);
  }
}

export function readlink(kernel: Kernel, caller: Process, path: Path): string {
  const walk = new PathWalk(kernel, caller);
  const spot = walk.spot(takenPath(path));
  if (spot.open !== null) return kernel.pathOf(spot.open.place);
  const place = walk.end(spot, false);
  if (place.inode.kind !== 'symlink') return fail('EINVAL');
  kernel.meet('readlink', place);
  touchAccess(kernel, place);
  return place.inode.target;
}

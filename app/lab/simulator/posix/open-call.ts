/** How the simulated kernel opens what a path names: which errors come first, what is made, and what is cut. */
import { EXECUTE, READ, requireAccess, requireCreate, WRITE } from './access-rights.ts';
import { resizeFile } from './contents-calls.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import { uncovered, type Place } from './mount.ts';
import { giveName } from './name-calls.ts';
import { requireTaken } from './name-rules.ts';
import { makeInode } from './new-inode.ts';
import { ACCESS_MODE, OPEN } from './open-flags.ts';
import { takenPath } from './path-bytes.ts';
import { PathWalk, type Spot } from './path-walk.ts';
import { OpenFile, type Process } from './process.ts';
import type { Path } from './program-calls.ts';

/** Gives the number of a new descriptor. */
export function open(
  kernel: Kernel,
  caller: Process,
  path: Path,
  { bits, mode }: { bits: number; mode: number },
): number {
  caller.requireNumber();
  const file = openFile(kernel, caller, path, { bits, mode });
  return caller.add(file);
}

function openFile(
  kernel: Kernel,
  caller: Process,
  path: Path,
  { bits, mode }: { bits: number; mode: number },
): OpenFile {
  const walk = new PathWalk(kernel, caller);
  const spot = walk.spot(takenPath(path));
  if (isSet(bits, OPEN.path))
    return openPath(kernel, walk.end(spot, !isSet(bits, OPEN.noFollow)), bits);
  if (isSet(bits, OPEN.temporary))
    return openTemporary(kernel, caller, walk.end(spot, true), { bits, mode });
  if (!isSet(bits, OPEN.create)) {
    return openFound(kernel, caller, walk.end(spot, !isSet(bits, OPEN.noFollow)), bits);
  }
  const at = spotToMake(walk, spot, bits);
  const found = walk.find(at);
  if (found === null) return openMade(kernel, caller, at, { bits, mode });
  if (isSet(bits, OPEN.exclusive)) fail('EEXIST');
  if (found.inode.kind === 'directory') fail('EISDIR');
  return openFound(kernel, caller, found, bits);
}

function isSet(bits: number, flag: number): boolean {
  return (bits & flag) === flag;
}

/** A link that leads to nothing is where a file is made, unless it must be new or no link. */
function spotToMake(walk: PathWalk, spot: Spot, bits: number): Spot {
  let at = spot;
  while (at.kind === 'name') {
    if (at.hasSlash) fail('EISDIR');
    const found = walk.find(at);
    if (found?.inode.kind !== 'symlink' || isSet(bits, OPEN.exclusive)) break;
    if (isSet(bits, OPEN.noFollow)) fail('ELOOP');
    at = walk.behind(at, found);
  }
  return at;
}

/** It stands for what is there, and needs no right to it. */
export function openPath(kernel: Kernel, place: Place, bits: number): OpenFile {
  if (isSet(bits, OPEN.directory) && place.inode.kind !== 'directory') fail('ENOTDIR');
  kernel.meet('open', place);
  return opened(place, bits);
}

function opened(place: Place, bits: number): OpenFile {
  const by = place.by === null ? null : { ...place.by };
  const file = new OpenFile({ ...place, by }, bits);
  place.inode.opens += 1;
  if (by !== null) place.inode.openedBy.add(by);
  if (file.writes) place.inode.writers += 1;
  return file;
}

function openMade(
  kernel: Kernel,
  caller: Process,
  spot: Spot,
  { bits, mode }: { bits: number; mode: number },
): OpenFile {
  const { directory, name } = spot;
  kernel.requireWritable(directory);
  kernel.meet('make', directory);
  requireCreate(caller, directory.inode);
  requireTaken(directory.inode.fs.switches.names, name);
  const inode = makeInode(kernel, caller, directory.inode, { kind: 'file', mode: mode & 0o7777 });
  giveName(kernel, spot, inode);
  return opened({ mount: directory.mount, inode, by: { directory: directory.inode, name } }, bits);
}

function openTemporary(
  kernel: Kernel,
  caller: Process,
  directory: Place,
  { bits, mode }: { bits: number; mode: number },
): OpenFile {
  if ((bits & ACCESS_MODE) === OPEN.readOnly) fail('EINVAL');
  if (directory.inode.kind !== 'directory') fail('ENOTDIR');
  kernel.requireWritable(directory);
  kernel.meet('make', directory);
  requireAccess(caller, directory.inode, WRITE | EXECUTE);
  const { temporaryFiles } = directory.inode.fs.switches;
  if (temporaryFiles !== null) fail(temporaryFiles);
  const inode = makeInode(kernel, caller, directory.inode, { kind: 'file', mode: mode & 0o7777 });
  return opened({ mount: directory.mount, inode, by: null }, bits);
}

function openFound(kernel: Kernel, caller: Process, found: Place, bits: number): OpenFile {
  const place = uncovered(found);
  const { inode } = place;
  if (isSet(bits, OPEN.directory) && inode.kind !== 'directory') fail('ENOTDIR');
  if (inode.kind === 'symlink') fail('ELOOP');
  const mode = bits & ACCESS_MODE;
  const truncates = isSet(bits, OPEN.truncate);
  const changes = mode !== OPEN.readOnly || truncates;
  if (inode.kind === 'directory' && changes) fail('EISDIR');
  kernel.meet('open', place);
  if (changes && inode.kind === 'file') kernel.requireWritable(place);
  const wanted = (mode === OPEN.writeOnly ? 0 : READ) | (changes ? WRITE : 0);
  requireAccess(caller, inode, wanted);
  if (inode.kind === 'socket') fail('ENXIO');
  if (inode.kind === 'fifo') requireReader(bits);
  const file = opened(place, bits);
  if (truncates && inode.kind === 'file') resizeFile(kernel, caller, place, 0);
  return file;
}

/** Nobody is at the other end of a FIFO here: who waits for one waits for ever. */
function requireReader(bits: number): void {
  const mode = bits & ACCESS_MODE;
  if (mode === OPEN.readWrite) return;
  if (!isSet(bits, OPEN.nonBlocking)) fail('ESILENT');
  if (mode === OPEN.writeOnly) fail('ENXIO');
}

export function close(kernel: Kernel, caller: Process, fd: number): void {
  kernel.closeFile(caller.take(fd));
}

/** The process is gone, and all that it had open. */
export function endProcess(kernel: Kernel, caller: Process): void {
  for (const fd of [...caller.files.keys()]) close(kernel, caller, fd);
}

/** Takes a lock without waiting (flock). False: another has it. */
export function lock(caller: Process, fd: number): boolean {
  const file = caller.used(fd);
  const { locks } = file.inode.fs.switches;
  if (locks !== null) fail(locks);
  if (file.inode.lockedBy !== null && file.inode.lockedBy !== file) return false;
  file.inode.lockedBy = file;
  return true;
}

export function unlock(caller: Process, fd: number): void {
  const file = caller.used(fd);
  if (file.inode.lockedBy === file) file.inode.lockedBy = null;
}

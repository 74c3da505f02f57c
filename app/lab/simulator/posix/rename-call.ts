/** Renames of the simulated kernel: plain, without replacing, and the swap of two names. What is checked, and in which order, is Linux's. */
import { requireAccess, requireCreate, requireRemove, WRITE } from './access-rights.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import { dropName, namedAt } from './name-calls.ts';
import { requireTaken } from './name-rules.ts';
import { stampDirectory, stampInode } from './new-inode.ts';
import { takenPath } from './path-bytes.ts';
import { PathWalk, type Spot } from './path-walk.ts';
import type { Process } from './process.ts';
import type { Path } from './program-calls.ts';

export type RenameHow = 'replace' | 'no replace' | 'exchange';

interface Renaming {
  readonly from: Spot;
  readonly to: Spot;
  readonly source: Inode;
  readonly target: Inode | null;
  readonly how: RenameHow;
}

/** Renames, and throws what Linux says to what can't be renamed so. */
export function rename(
  kernel: Kernel,
  caller: Process,
  paths: { from: Path; to: Path },
  how: RenameHow,
): void {
  const walk = new PathWalk(kernel, caller);
  const from = walk.spot(takenPath(paths.from));
  const to = new PathWalk(kernel, caller).spot(takenPath(paths.to));
  if (from.directory.mount !== to.directory.mount) fail('EXDEV');
  if (from.kind !== 'name') fail('EBUSY');
  if (to.kind !== 'name') fail(how === 'no replace' ? 'EEXIST' : 'EBUSY');
  kernel.requireWritable(from.directory);
  walk.find(from);
  const source = namedAt(from);
  walk.find(to);
  const target = to.directory.inode.entries?.get(to.name)?.inode ?? null;
  const renaming = { from, to, source, target, how };
  requireShape(renaming);
  if (source === target && !isRespelling(renaming)) return;
  kernel.meet('rename', from.directory);
  requireRights(caller, renaming);
  if ([source, target].some((inode) => inode !== null && kernel.isMountPoint(inode))) fail('EBUSY');
  requireAble(renaming);
  if (how === 'exchange' && target !== null) swap(kernel, renaming, target);
  else replace(kernel, renaming);
}

/** What can be said without asking who it is. */
function requireShape({ from, to, source, target, how }: Renaming): void {
  if (how === 'no replace' && target !== null) fail('EEXIST');
  if (how === 'exchange') {
    if (target === null) fail('ENOENT');
    if (to.hasSlash && target.kind !== 'directory') fail('ENOTDIR');
  }
  if (source.kind !== 'directory') {
    if (from.hasSlash || (how !== 'exchange' && to.hasSlash)) fail('ENOTDIR');
  }
  if (from.directory.inode === to.directory.inode) return;
  if (isAbove(source, to.directory.inode)) fail('EINVAL');
  if (target !== null && isAbove(target, from.directory.inode)) {
    fail(how === 'exchange' ? 'EINVAL' : 'ENOTEMPTY');
  }
}

function isAbove(inode: Inode, directory: Inode): boolean {
  if (inode.kind !== 'directory') return false;
  for (let at = directory; ;) {
    if (at === inode) return true;
    if (at.parent === null || at.parent === at) return false;
    at = at.parent;
  }
}

/** The other name is the same one in another spelling. */
function isRespelling({ from, to, how }: Renaming): boolean {
  if (how !== 'replace' || from.directory.inode !== to.directory.inode) return false;
  const { entries } = from.directory.inode;
  return from.name !== to.name && entries?.get(from.name) === entries?.get(to.name);
}

function requireRights(caller: Process, { from, to, source, target, how }: Renaming): void {
  const isDirectory = source.kind === 'directory';
  requireRemove(caller, from.directory.inode, source, isDirectory);
  if (target === null) requireCreate(caller, to.directory.inode);
  else {
    const asDirectory = how === 'exchange' ? target.kind === 'directory' : isDirectory;
    requireRemove(caller, to.directory.inode, target, asDirectory);
  }
  // What moves to another directory has another `..`.
  if (from.directory.inode === to.directory.inode) return;
  if (isDirectory) requireAccess(caller, source, WRITE);
  if (how === 'exchange' && target?.kind === 'directory') requireAccess(caller, target, WRITE);
}

/** What the file system itself says. */
function requireAble({ to, source, target, how }: Renaming): void {
  const { renameNoReplace, exchange, names } = source.fs.switches;
  if (how === 'no replace' && renameNoReplace !== null) fail(renameNoReplace);
  if (how === 'exchange' && exchange !== null) fail(exchange);
  requireTaken(names, to.name);
  if (how !== 'replace' || source === target) return;
  if (target?.kind === 'directory' && (target.entries?.count ?? 0) > 0) fail('ENOTEMPTY');
}

function replace(kernel: Kernel, { from, to, source, target }: Renaming): void {
  const { fs } = source;
  const [old, directory] = [from.directory.inode, to.directory.inode];
  stampInode(kernel, source);
  if (target !== null && target !== source) {
    if (fs.switches.writesOutOnReplace) source.contents?.sync();
    dropName(kernel, directory, target);
  }
  fs.setEntry(old, from.name, null);
  fs.setEntry(directory, to.name, source);
  nameAnew(source, from, to);
  moveBetween(source, old, directory);
  stampDirectory(kernel, old);
  if (directory !== old) stampDirectory(kernel, directory);
  kernel.tellName(old, from.name, source);
  kernel.tellName(directory, to.name, source);
  kernel.tellSelf(source);
  if (target !== null) kernel.release(target);
}

function swap(kernel: Kernel, { from, to, source }: Renaming, target: Inode): void {
  const { fs } = source;
  const [one, other] = [from.directory.inode, to.directory.inode];
  for (const inode of [source, target]) stampInode(kernel, inode);
  fs.setEntry(one, from.name, target);
  fs.setEntry(other, to.name, source);
  nameAnew(source, from, to);
  nameAnew(target, to, from);
  moveBetween(source, one, other);
  moveBetween(target, other, one);
  stampDirectory(kernel, one);
  if (other !== one) stampDirectory(kernel, other);
  kernel.tellName(one, from.name, source);
  kernel.tellName(other, to.name, target);
  for (const inode of [source, target]) kernel.tellSelf(inode);
}

/** Who has it open by that name has it open by the new one: changes are told of that. */
function nameAnew(inode: Inode, from: Spot, to: Spot): void {
  for (const by of inode.openedBy) {
    if (by.directory !== from.directory.inode || by.name !== from.name) continue;
    by.directory = to.directory.inode;
    by.name = to.name;
  }
}

function moveBetween(inode: Inode, from: Inode, to: Inode): void {
  if (inode.kind !== 'directory' || from === to) return;
  const { fs } = inode;
  fs.moveTo(inode, to);
  if (!fs.switches.countsDirectories) return;
  fs.link(from, -1);
  fs.link(to, 1);
}

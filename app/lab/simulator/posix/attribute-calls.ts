/** The calls of the simulated kernel on modes, owners, times and facts. Who may set what, and what goes with it, is Linux's. */
import { modeOfAcl, withMode } from './access-list.ts';
import { isIn, isOwner, isRoot, requireAccess, withoutForeignGroup } from './access-rights.ts';
import { tamedMode, withoutCapability } from './contents-calls.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import { stampInode } from './new-inode.ts';
import type { Process } from './process.ts';
import type { Stats } from './program-calls.ts';

export function statsOf(kernel: Kernel, place: Place): Stats {
  kernel.meet('stat', place);
  const { inode } = place;
  const { kind, mode, links, uid, gid, size, blocks, atime, mtime, ctime, birth } = inode;
  const dev = inode.fs.device;
  const ino = inode.number;
  return { kind, dev, ino, mode, links, uid, gid, size, blocks, atime, mtime, ctime, birth };
}

/** Throws EROFS, EPERM. */
function requireSettable(kernel: Kernel, place: Place): void {
  kernel.requireWritable(place);
  kernel.meet('attributes', place);
  if (place.inode.isImmutable) fail('EPERM');
}

export function chmod(kernel: Kernel, caller: Process, place: Place, mode: number): void {
  const { inode } = place;
  requireSettable(kernel, place);
  if (inode.kind === 'symlink') fail('ENOTSUP');
  if (!isOwner(caller, inode)) fail('EPERM');
  const { fixed } = inode.fs.switches;
  // Dropped without a word, and told all the same.
  if (fixed !== null)
    return fixed.refusal === null ? kernel.tellChange(place) : fail(fixed.refusal);
  stampInode(kernel, inode);
  inode.mode = withoutForeignGroup(caller, mode & 0o7777, inode.gid);
  if (inode.acl !== null) inode.acl = withMode(inode.acl, inode.mode);
  kernel.tellChange(place);
}

/** -1: stays as it is. */
export function chown(
  kernel: Kernel,
  caller: Process,
  place: Place,
  { uid, gid }: { uid: number; gid: number },
): void {
  const { inode } = place;
  requireSettable(kernel, place);
  const isOwn = caller.uid === inode.uid;
  if (!isRoot(caller)) {
    if (uid >= 0 && !(isOwn && uid === inode.uid)) fail('EPERM');
    if (gid >= 0 && !(isOwn && (gid === inode.gid || isIn(caller, gid)))) fail('EPERM');
  }
  if (inode.fs.switches.fixed !== null) {
    if ((uid >= 0 && uid !== inode.uid) || (gid >= 0 && gid !== inode.gid)) fail('EPERM');
    return;
  }
  const mode = inode.kind === 'directory' ? inode.mode : tamedMode(caller, inode);
  // What lends rights is taken away as by chmod.
  if (mode !== inode.mode && !isOwner(caller, inode)) fail('EPERM');
  stampInode(kernel, inode);
  inode.mode = mode;
  if (inode.kind !== 'directory') {
    inode.xattrs = withoutCapability(inode.xattrs);
  }
  if (uid >= 0) changeOwner(inode, uid);
  if (gid >= 0) inode.gid = gid;
  kernel.tellChange(place);
}

function changeOwner(inode: Inode, uid: number): void {
  inode.fs.give(inode.uid, -inode.taken);
  inode.uid = uid;
  inode.fs.give(uid, inode.taken);
}

/** Nanoseconds since 1970; null: stays as it is. */
export function setTimes(
  kernel: Kernel,
  caller: Process,
  place: Place,
  { atime, mtime }: { atime: bigint | null; mtime: bigint | null },
): void {
  const { inode } = place;
  requireSettable(kernel, place);
  if (!isOwner(caller, inode)) fail('EPERM');
  const times = [atime, mtime].map((time) => (time === null ? null : inode.fs.settable(time)));
  stampInode(kernel, inode);
  inode.atime = times[0] ?? inode.atime;
  inode.mtime = times[1] ?? inode.mtime;
  kernel.tellChange(place);
}

/** `wanted`: bits as of `access`. */
export function access(kernel: Kernel, caller: Process, place: Place, wanted: number): void {
  kernel.meet('stat', place);
  if ((wanted & 2) !== 0) kernel.requireWritable(place);
  requireAccess(caller, place.inode, wanted);
}

/** The access list that an inode has from now on, and the mode that goes with it. */
export function setAcl(kernel: Kernel, caller: Process, place: Place, acl: Inode['acl']): void {
  const { inode } = place;
  stampInode(kernel, inode);
  if (acl !== null) {
    const mode = (inode.mode & ~0o777) | modeOfAcl(acl);
    inode.mode = withoutForeignGroup(caller, mode, inode.gid);
  }
  inode.acl = acl;
  kernel.tellChange(place);
}

/** What is made in a directory: whose it is, and with which mode and access list, as umask, setgid and default lists have it; and the times of who changes. */
import { inherited } from './access-list.ts';
import { SETGID, withoutForeignGroup } from './access-rights.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import type { Process } from './process.ts';
import type { InodeKind } from './program-calls.ts';

const GROUP_EXECUTE = 0o010;

/** An inode without a name yet. Throws ENOSPC, EDQUOT. */
export function makeInode(
  kernel: Kernel,
  caller: Process,
  directory: Inode,
  { kind, mode }: { kind: InodeKind; mode: number },
): Inode {
  const isInherited = (directory.mode & SETGID) !== 0;
  const gid = isInherited ? directory.gid : caller.gid;
  let bits = mode;
  if (isInherited && kind === 'directory') bits |= SETGID;
  else if ((bits & GROUP_EXECUTE) !== 0) bits = withoutForeignGroup(caller, bits, gid);
  const { defaultAcl, fs } = directory;
  const isPlain = kind === 'symlink' || defaultAcl === null;
  const given = isPlain
    ? { acl: null, mode: kind === 'symlink' ? bits : bits & ~caller.umask }
    : inherited(defaultAcl, bits);
  const inode = fs.make({ kind, mode: given.mode, uid: caller.uid, gid, now: kernel.now() });
  if (fs.switches.fixed === null) inode.acl = given.acl;
  if (kind === 'directory') inode.defaultAcl = defaultAcl;
  return inode;
}

/** A name in the directory has changed. */
export function stampDirectory(kernel: Kernel, directory: Inode): void {
  directory.fs.remember(directory);
  const now = directory.fs.cut(kernel.now());
  directory.mtime = now;
  directory.ctime = now;
}

/** Something of the inode has changed that is not its contents. */
export function stampInode(kernel: Kernel, inode: Inode): void {
  inode.fs.remember(inode);
  inode.ctime = inode.fs.cut(kernel.now());
}

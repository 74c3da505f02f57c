/** What a process may do to an inode: by owner, group, access list and mode, as Linux decides it. Root (0) passes nearly all. */
import { TAG, type Acl } from './access-list.ts';
import type { Inode } from './inode.ts';
import { fail } from './kernel-error.ts';
import type { Credentials } from './program-calls.ts';

export const READ = 4;
export const WRITE = 2;
/** To execute a file, or to pass a directory. */
export const EXECUTE = 1;

const STICKY = 0o1000;
export const SETGID = 0o2000;
export const SETUID = 0o4000;

export function isRoot({ uid }: Credentials): boolean {
  return uid === 0;
}

export function isIn({ gid, groups }: Credentials, group: number): boolean {
  return gid === group || groups.includes(group);
}

export function isOwner(who: Credentials, inode: Inode): boolean {
  return who.uid === inode.uid || isRoot(who);
}

/** Throws EACCES, or EPERM for the writing of what is immutable. */
export function requireAccess(who: Credentials, inode: Inode, wanted: number): void {
  if ((wanted & WRITE) !== 0 && inode.isImmutable) fail('EPERM');
  if (!mayAccess(who, inode, wanted)) fail('EACCES');
}

export function mayAccess(who: Credentials, inode: Inode, wanted: number): boolean {
  if (isRoot(who)) {
    const needsBit = (wanted & EXECUTE) !== 0 && inode.kind !== 'directory';
    return !needsBit || (inode.mode & 0o111) !== 0;
  }
  return (rightsOf(who, inode, wanted) & wanted) === wanted;
}

function rightsOf(who: Credentials, inode: Inode, wanted: number): number {
  const { mode, acl } = inode;
  if (who.uid === inode.uid) return (mode >> 6) & 7;
  if (acl !== null) return rightsByList(who, inode, acl, wanted);
  return isIn(who, inode.gid) ? (mode >> 3) & 7 : mode & 7;
}

/** Of several groups one that gives all that is wanted is enough. */
function rightsByList(who: Credentials, inode: Inode, acl: Acl, wanted: number): number {
  const mask = acl.find(({ tag }) => tag === TAG.mask)?.rights ?? 7;
  const own = acl.find(({ tag, id }) => tag === TAG.user && id === who.uid);
  if (own !== undefined) return own.rights & mask;
  const groups = acl.filter(
    ({ tag, id }) =>
      (tag === TAG.groupOwner && isIn(who, inode.gid)) || (tag === TAG.group && isIn(who, id)),
  );
  if (groups.length > 0) {
    const giving = groups.find(({ rights }) => (rights & wanted) === wanted);
    return (giving?.rights ?? 0) & mask;
  }
  return acl.find(({ tag }) => tag === TAG.other)?.rights ?? 0;
}

/** To make a name in a directory. Throws ENOENT where that is removed, EACCES, EPERM. */
export function requireCreate(who: Credentials, directory: Inode): void {
  if (directory.links === 0) fail('ENOENT');
  requireAccess(who, directory, WRITE | EXECUTE);
}

/** To take a name away from a directory, or to move it. `asDirectory`: what is to be taken is one. */
export function requireRemove(
  who: Credentials,
  directory: Inode,
  inode: Inode,
  asDirectory: boolean,
): void {
  requireAccess(who, directory, WRITE | EXECUTE);
  const isSticky = (directory.mode & STICKY) !== 0;
  const isOwn = who.uid === inode.uid || who.uid === directory.uid || isRoot(who);
  if ((isSticky && !isOwn) || inode.isImmutable) fail('EPERM');
  if (asDirectory && inode.kind !== 'directory') fail('ENOTDIR');
  if (!asDirectory && inode.kind === 'directory') fail('EISDIR');
}

/** The setgid bit of a group that the process is not in, it may not set. */
export function withoutForeignGroup(who: Credentials, mode: number, group: number): number {
  return isRoot(who) || isIn(who, group) ? mode : mode & ~SETGID;
}

/** The calls of the simulated kernel on extended attributes: who may read and set which, and how many there may be. */
import { decodeAcl, encodeAcl, isPlain, modeOfAcl } from './access-list.ts';
import { isOwner, isRoot, READ, requireAccess, WRITE } from './access-rights.ts';
import { setAcl } from './attribute-calls.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import { stampInode } from './new-inode.ts';
import { byteLength } from './path-bytes.ts';
import type { Process } from './process.ts';

export const ACCESS_LIST = 'system.posix_acl_access';
export const DEFAULT_LIST = 'system.posix_acl_default';
const MOST_NAME_BYTES = 255;
const MOST_VALUE_BYTES = 65_536;
/** What an attribute takes beside its name and value. */
const ENTRY_BYTES = 16;
const STICKY = 0o1000;

type Family = 'user' | 'trusted' | 'security' | 'access list' | 'none';

function familyOf(inode: Inode, name: string): Family {
  const { user, acl, others } = inode.fs.switches.xattrs;
  if (name === ACCESS_LIST || name === DEFAULT_LIST) return acl ? 'access list' : 'none';
  if (name.startsWith('user.')) return user ? 'user' : 'none';
  if (name.startsWith('trusted.')) return others ? 'trusted' : 'none';
  return name.startsWith('security.') && others ? 'security' : 'none';
}

function requireName(name: string): void {
  const length = byteLength(name);
  if (length === 0 || length > MOST_NAME_BYTES) fail('ERANGE');
}

/** Throws EPERM (ENODATA to read) for what such an inode has no such attributes of, and EACCES. */
function requireRights(caller: Process, inode: Inode, name: string, wanted: number): void {
  const isSet = wanted === WRITE;
  if (isSet && inode.isImmutable) fail('EPERM');
  if (name.startsWith('trusted.') && !isRoot(caller)) fail(isSet ? 'EPERM' : 'ENODATA');
  if (!name.startsWith('user.')) return;
  const isPlainKind = inode.kind === 'file' || inode.kind === 'directory';
  if (!isPlainKind) fail(isSet ? 'EPERM' : 'ENODATA');
  const isSticky = inode.kind === 'directory' && (inode.mode & STICKY) !== 0;
  if (isSet && isSticky && !isOwner(caller, inode)) fail('EPERM');
  requireAccess(caller, inode, wanted);
}

export function listxattr(kernel: Kernel, caller: Process, place: Place): string[] {
  kernel.meet('xattr', place);
  const { inode } = place;
  const names = [...(inode.xattrs?.keys() ?? [])].filter(
    (name) => !name.startsWith('trusted.') || isRoot(caller),
  );
  if (inode.acl !== null) names.push(ACCESS_LIST);
  if (inode.defaultAcl !== null) names.push(DEFAULT_LIST);
  return names.sort((a, b) => (a < b ? -1 : 1));
}

export function getxattr(kernel: Kernel, caller: Process, place: Place, name: string): Uint8Array {
  requireName(name);
  kernel.meet('xattr', place);
  const { inode } = place;
  requireRights(caller, inode, name, READ);
  const family = familyOf(inode, name);
  if (family === 'none') fail('ENOTSUP');
  if (family !== 'access list') return inode.xattrs?.get(name) ?? fail('ENODATA');
  if (inode.kind === 'symlink') fail('ENOTSUP');
  const acl = name === ACCESS_LIST ? inode.acl : inode.defaultAcl;
  return acl === null ? fail('ENODATA') : encodeAcl(acl);
}

/** Sets an extended attribute, made or replaced. */
export function setxattr(
  kernel: Kernel,
  caller: Process,
  place: Place,
  { name, value }: { name: string; value: Uint8Array },
): void {
  requireName(name);
  if (value.length > MOST_VALUE_BYTES) fail('E2BIG');
  kernel.requireWritable(place);
  kernel.meet('xattr', place);
  const { inode } = place;
  requireRights(caller, inode, name, WRITE);
  const family = familyOf(inode, name);
  if (family === 'none') fail('ENOTSUP');
  if (family === 'access list') return setList(kernel, caller, place, { name, value });
  if (name.endsWith('.')) fail('EINVAL');
  if (family === 'security' && !isRoot(caller)) fail('EPERM');
  requireRoom(inode, name, value.length);
  stampInode(kernel, inode);
  inode.xattrs = new Map([...(inode.xattrs ?? []), [name, value.slice()]]);
  kernel.tellChange(place);
}

function requireRoom(inode: Inode, name: string, length: number): void {
  const { mostValue, mostBytes } = inode.fs.switches.xattrs;
  if (length > mostValue) fail('ENOSPC');
  let total = length + byteLength(name) + ENTRY_BYTES;
  for (const [other, value] of inode.xattrs ?? []) {
    if (other !== name) total += value.length + byteLength(other) + ENTRY_BYTES;
  }
  if (total > mostBytes) fail('ENOSPC');
}

function setList(
  kernel: Kernel,
  caller: Process,
  place: Place,
  { name, value }: { name: string; value: Uint8Array },
): void {
  const { inode } = place;
  if (inode.kind === 'symlink') fail('ENOTSUP');
  const acl = value.length === 0 ? null : decodeAcl(value);
  if (name === DEFAULT_LIST && inode.kind !== 'directory') {
    if (acl !== null) fail('EACCES');
    return;
  }
  if (!isOwner(caller, inode)) fail('EPERM');
  if (name === DEFAULT_LIST) {
    stampInode(kernel, inode);
    inode.defaultAcl = acl;
    return kernel.tellChange(place);
  }
  if (acl !== null && isPlain(acl)) {
    setAcl(kernel, caller, place, null);
    inode.mode = (inode.mode & ~0o777) | modeOfAcl(acl);
    return;
  }
  setAcl(kernel, caller, place, acl);
}

export function removexattr(kernel: Kernel, caller: Process, place: Place, name: string): void {
  requireName(name);
  kernel.requireWritable(place);
  kernel.meet('xattr', place);
  const { inode } = place;
  requireRights(caller, inode, name, WRITE);
  const family = familyOf(inode, name);
  if (family === 'none') fail('ENOTSUP');
  if (family === 'access list') {
    if (!isOwner(caller, inode)) fail('EPERM');
    const now = name === ACCESS_LIST ? inode.acl : inode.defaultAcl;
    if (now === null) return;
    stampInode(kernel, inode);
    if (name === ACCESS_LIST) inode.acl = null;
    else inode.defaultAcl = null;
    return kernel.tellChange(place);
  }
  if (family === 'security' && !isRoot(caller)) fail('EPERM');
  if (inode.xattrs?.has(name) !== true) fail('ENODATA');
  stampInode(kernel, inode);
  inode.xattrs = new Map([...(inode.xattrs ?? [])].filter(([other]) => other !== name));
  kernel.tellChange(place);
}

/** What a file has that is not synced, as the addon keeps it (shared/transport/native/src/host/unsynced.rs): the same steps on the simulated kernel. */
import { chown, statsOf } from './attribute-calls.ts';
import { isOwner } from './access-rights.ts';
import { isPlain, inherited } from './access-list.ts';
import type { Kernel } from './kernel.ts';
import { KernelError } from './kernel-error.ts';
import type { Place } from './mount.ts';
import { stampInode } from './new-inode.ts';
import { escapedName } from './path-bytes.ts';
import type { Process } from './process.ts';
import { ACCESS_LIST, getxattr, listxattr, removexattr, setxattr } from './xattr-calls.ts';

const CAPABILITY = 'security.capability';
/** Of the contents that were, or of the file system's own making. */
const NOT_KEPT = ['security.ima', 'security.evm', 'trusted.overlay.'];
/** What people set to a file (chattr), and a new one can be given: SYNC, NODUMP, NOATIME. */
const KEPT_FLAGS = 0x08 | 0x40 | 0x80;

interface Asker {
  readonly kernel: Kernel;
  readonly caller: Process;
}

/** Gives `to` what `from` has. Names what it could not be given, or must not. */
export function keepUnsynced(asker: Asker, from: Place, to: Place): string[] {
  const { kernel, caller } = asker;
  const [old, fresh] = [statsOf(kernel, from), statsOf(kernel, to)];
  const left: string[] = [];
  if ((old.mode & 0o4000) !== 0) left.push('setuid');
  if ((old.mode & 0o2010) === 0o2010) left.push('setgid');
  const own = (what: string, uid: number, gid: number): void => {
    if (!goes(() => chown(kernel, caller, to, { uid, gid }))) left.push(what);
  };
  if (old.gid !== fresh.gid) own('group', -1, old.gid);
  if (old.uid !== fresh.uid) own('owner', old.uid, -1);
  keepAttributes(asker, from, to, left);
  if (!keepFlags(asker, from, to)) left.push('flags');
  return left;
}

function keepAttributes({ kernel, caller }: Asker, from: Place, to: Place, left: string[]): void {
  const had = listxattr(kernel, caller, from);
  const has = listxattr(kernel, caller, to);
  if (has.includes(ACCESS_LIST) && !had.includes(ACCESS_LIST)) {
    goes(() => removexattr(kernel, caller, to, ACCESS_LIST));
  }
  const valueOf = (place: Place, name: string): Uint8Array | null => {
    try {
      return getxattr(kernel, caller, place, name);
    } catch (error) {
      if (error instanceof KernelError) return null;
      throw error;
    }
  };
  for (const name of had) {
    if (name === CAPABILITY) left.push('capabilities');
    else if (!NOT_KEPT.some((not) => name.startsWith(not))) {
      const value = valueOf(from, name);
      if (value === null || isSame(value, valueOf(to, name))) continue;
      if (!goes(() => setxattr(kernel, caller, to, { name, value }))) {
        left.push(name === ACCESS_LIST ? 'access list' : escapedName(name));
      }
    }
  }
}

function isSame(one: Uint8Array, other: Uint8Array | null): boolean {
  return other?.length === one.length && one.every((byte, at) => byte === other[at]);
}

/** False: they could not be set. */
function keepFlags({ kernel, caller }: Asker, from: Place, to: Place): boolean {
  const wanted = from.inode.flags & KEPT_FLAGS;
  if (wanted === 0 || (to.inode.flags & wanted) === wanted) return true;
  if (!isOwner(caller, to.inode) || to.mount.isReadOnly) return false;
  stampInode(kernel, to.inode);
  to.inode.flags |= wanted;
  return true;
}

/** Gives a private file what one made in the directory has from it. Nothing where no file without a name can be made to ask it by. */
export function inherit({ kernel, caller }: Asker, directory: Place, file: Place): void {
  statsOf(kernel, directory);
  statsOf(kernel, file);
  const { inode } = directory;
  const takeList = (): void => {
    if (file.inode.acl !== null) goes(() => removexattr(kernel, caller, file, ACCESS_LIST));
  };
  const givesGroup = (inode.mode & 0o2000) !== 0;
  if (!givesGroup && inode.defaultAcl === null) return takeList();
  if (inode.fs.switches.temporaryFiles !== null) return;
  const gid = givesGroup ? inode.gid : caller.gid;
  if (gid !== file.inode.gid) goes(() => chown(kernel, caller, file, { uid: -1, gid }));
  const list = inode.defaultAcl === null ? null : inherited(inode.defaultAcl, 0o666).acl;
  if (list === null || isPlain(list)) return takeList();
  stampInode(kernel, file.inode);
  file.inode.acl = list;
}

function goes(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof KernelError) return false;
    throw error;
  }
}

/** What a file system keeps of one thing: its kind, its rights, its times, and what is in it. */
import type { AclEntry } from './access-list.ts';
import type { Contents } from './contents.ts';
import type { DirectoryEntries } from './directory-entries.ts';
import type { FileSystemSwitches } from './file-system-switches.ts';
import type { Journal } from './journal.ts';
import { byteLength } from './path-bytes.ts';
import type { InodeKind } from './program-calls.ts';

/** What an inode asks of the file system that it is in; file-system.ts says what each does. */
export interface InodeHome {
  readonly switches: FileSystemSwitches;
  readonly device: bigint;
  readonly journal: Journal;
  make(wanted: NewInode): Inode;
  free(inode: Inode): void;
  room(
    uid: number,
    wanted: number,
  ): { readonly blocks: number; readonly code: 'ENOSPC' | 'EDQUOT' };
  give(uid: number, blocks: number): void;
  cut(time: bigint): bigint;
  settable(time: bigint): bigint;
  setEntry(directory: Inode, name: string, inode: Inode | null): void;
  link(inode: Inode, by: number): void;
  moveTo(directory: Inode, parent: Inode): void;
  remember(inode: Inode): void;
  sync(inode: Inode): void;
}

export interface NewInode {
  readonly kind: InodeKind;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly now: bigint;
}

/** What is set of an inode, and restored where a loss of power undoes it. */
export interface Attributes {
  mode: number;
  uid: number;
  gid: number;
  atime: bigint;
  mtime: bigint;
  ctime: bigint;
  /** But access lists; values are never changed in place. */
  xattrs: ReadonlyMap<string, Uint8Array> | null;
  acl: readonly AclEntry[] | null;
  defaultAcl: readonly AclEntry[] | null;
  /** Nobody may change it, write it or take a name from it (chattr +i). */
  isImmutable: boolean;
  /** What people set beside (chattr): `nodump` and the like, as bits. */
  flags: number;
}

export class Inode implements Attributes {
  readonly fs: InodeHome;
  readonly number: bigint;
  readonly kind: InodeKind;
  /** 0n: the file system keeps no such time. */
  readonly birth: bigint;
  mode: number;
  uid: number;
  gid: number;
  atime: bigint;
  mtime: bigint;
  ctime: bigint;
  xattrs: ReadonlyMap<string, Uint8Array> | null = null;
  acl: readonly AclEntry[] | null = null;
  defaultAcl: readonly AclEntry[] | null = null;
  isImmutable = false;
  flags = 0;
  links = 0;
  /** Of a file. */
  contents: Contents | null = null;
  /** Of a directory. */
  entries: DirectoryEntries<Inode> | null = null;
  /** The directory that a directory is in; the root of a file system is in itself. */
  parent: Inode | null = null;
  /** Its name in that. */
  name = '';
  /** Of a symbolic link. */
  target = '';
  /** How often it is open, and of these to write; a mapping counts as the descriptor that it was made of. */
  opens = 0;
  writers = 0;
  /** The names by which it is open. */
  readonly openedBy = new Set<{ directory: Inode; name: string }>();
  /** The open file that has the lock. */
  lockedBy: object | null = null;
  /** Pages that were written through a mapping since they were last written out. */
  readonly mappedPages = new Set<number>();

  constructor(fs: InodeHome, made: NewInode & { readonly number: bigint }) {
    this.fs = fs;
    this.number = made.number;
    this.kind = made.kind;
    this.mode = made.mode;
    this.uid = made.uid;
    this.gid = made.gid;
    const time = fs.cut(made.now);
    this.atime = time;
    this.mtime = time;
    this.ctime = time;
    this.birth = fs.switches.birth ? time : 0n;
  }

  get size(): number {
    if (this.contents !== null) return this.contents.size;
    if (this.kind === 'symlink') return byteLength(this.target);
    return this.kind === 'directory' ? DIRECTORY_SIZE : 0;
  }

  /** In blocks of 512 bytes. */
  get blocks(): number {
    return this.taken * 8;
  }

  /** In blocks of the file system. */
  get taken(): number {
    return this.kind === 'directory' ? 1 : (this.contents?.taken ?? 0);
  }

  attributes(): Attributes {
    const { mode, uid, gid, atime, mtime, ctime, xattrs, acl, defaultAcl, isImmutable, flags } =
      this;
    return { mode, uid, gid, atime, mtime, ctime, xattrs, acl, defaultAcl, isImmutable, flags };
  }
}

const DIRECTORY_SIZE = 4096;

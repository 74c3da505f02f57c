/** A process of the simulated kernel: who it is, what it has open, and its umask. */
import { ACCESS_MODE, OPEN } from './open-flags.ts';
import type { Inode } from './inode.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import type { Credentials } from './program-calls.ts';

/** Descriptors that a process may have, as usual on desktops. */
const MOST_OPEN = 1024;
/** 0, 1 and 2 are taken. */
const FIRST = 3;

/** What one `open` gave. It lives on with a mapping of it. */
export class OpenFile {
  readonly place: Place;
  readonly bits: number;
  position = 0;
  /** The descriptor, and mappings. */
  users = 1;

  constructor(place: Place, bits: number) {
    this.place = place;
    this.bits = bits;
  }

  get inode(): Inode {
    return this.place.inode;
  }

  get isPath(): boolean {
    return (this.bits & OPEN.path) !== 0;
  }

  get reads(): boolean {
    return !this.isPath && (this.bits & ACCESS_MODE) !== OPEN.writeOnly;
  }

  get writes(): boolean {
    return !this.isPath && (this.bits & ACCESS_MODE) !== OPEN.readOnly;
  }
}

export class Process implements Credentials {
  /** A process of root becomes somebody else, and root again. */
  uid: number;
  gid: number;
  groups: readonly number[];
  readonly cwd: string;
  readonly mostOpen: number;
  umask = 0o022;
  /** What it asked of the kernel is never answered. */
  isHung = false;
  /** No fault of a disk keeps it from anything: it looks on. */
  seesAll = false;
  readonly files = new Map<number, OpenFile>();
  #lowest = FIRST;

  constructor(who: Credentials, cwd: string, mostOpen = MOST_OPEN) {
    this.uid = who.uid;
    this.gid = who.gid;
    this.groups = who.groups;
    this.cwd = cwd;
    this.mostOpen = mostOpen;
  }

  /** Gives it the lowest free number. */
  add(file: OpenFile): number {
    const fd = this.#lowest;
    this.files.set(fd, file);
    do this.#lowest += 1;
    while (this.files.has(this.#lowest));
    return fd;
  }

  /** Throws EMFILE where there is no number for one more. */
  requireNumber(): void {
    if (this.files.size + FIRST >= this.mostOpen) fail('EMFILE');
  }

  /** Throws EBADF. */
  file(fd: number): OpenFile {
    return this.files.get(fd) ?? fail('EBADF');
  }

  /** Throws EBADF, too for what only stands for its path. */
  used(fd: number): OpenFile {
    const file = this.file(fd);
    return file.isPath ? fail('EBADF') : file;
  }

  take(fd: number): OpenFile {
    const file = this.file(fd);
    this.files.delete(fd);
    this.#lowest = Math.min(this.#lowest, fd);
    return file;
  }
}

/**
 * A simulated POSIX kernel: a tree of mounted file systems, the time that they keep, what goes wrong, and who is told of changes. What processes ask
 * of it is in the files beside (name-calls.ts, file-calls.ts, attribute-calls.ts). It is deterministic: time and chance are handed in.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { Troubles } from '../disk/troubles.ts';
import { FileSystem } from './file-system.ts';
import type { FileSystemSwitches } from './file-system-switches.ts';
import { Inode } from './inode.ts';
import { fail, KernelError, type ErrorName } from './kernel-error.ts';
import { Mount, type Place } from './mount.ts';
import { Process, type OpenFile } from './process.ts';
import type { Credentials } from './program-calls.ts';

export type KernelCall =
  | 'walk'
  | 'stat'
  | 'open'
  | 'read'
  | 'write'
  | 'resize'
  | 'sync'
  | 'list'
  | 'make'
  | 'link'
  | 'rename'
  | 'remove'
  | 'readlink'
  | 'attributes'
  | 'xattr'
  | 'watch';

/** Who is told what happens to names and inodes, as inotify is. */
export interface ChangeObserver {
  /** Something in a directory was made, changed, moved or removed. */
  named(directory: Inode, name: string, isDirectory: boolean): void;
  /** An inode itself was changed or moved. */
  self(inode: Inode): void;
  /** It is no more, or not reachable: nothing comes any more. */
  ended(inode: Inode): void;
}

export interface KernelParts {
  /** Wall time in milliseconds since 1970; people set it back. */
  readonly wall: () => number;
  readonly random: SeededRandom;
  /** Of the file system at `/`. */
  readonly root: FileSystemSwitches;
  /** The step of the kernel's own clock, in nanoseconds: what happens within one has the same time. */
  readonly tick?: number;
}

/** Between two calls passes some time, in nanoseconds; a millisecond has room for as many. */
const CALL_TAKES = 1_000;
const MILLISECOND = 1_000_000;
const FIRST_DEVICE = 2049n;

/** Keeps what all processes of a machine share. */
export class Kernel {
  readonly random: SeededRandom;
  /** Asked with the call and the place that it is made on. */
  readonly troubles = new Troubles<[KernelCall, Place], ErrorName>();
  readonly observers = new Set<ChangeObserver>();
  /** In the order in which they were mounted. */
  readonly mounts: Mount[] = [];
  /** Calls that were made. */
  calls = 0;
  /** What is done just now is done by another machine: network disks do not tell. */
  isElsewhere = false;
  /** Whose call is done just now; null: nobody's. */
  caller: Process | null = null;
  readonly #wall: () => number;
  readonly #tick: bigint;
  #devices = FIRST_DEVICE;
  #millisecond = 0;
  #within = 0;
  readonly #top: Place;
  readonly #proc: Mount;

  constructor({ wall, random, root, tick = 1 }: KernelParts) {
    this.#wall = wall;
    this.random = random;
    this.#tick = BigInt(tick);
    const fs = this.makeFileSystem(root);
    const mount = new Mount(fs, fs.root, null, '/');
    this.mounts.push(mount);
    this.#top = { mount, inode: fs.root, by: null };
    const proc = this.makeFileSystem({ ...root, type: 'proc' });
    this.#proc = new Mount(proc, proc.root, null, '/proc');
  }

  /** The root of all. */
  get top(): Place {
    return this.#top;
  }

  /** Nanoseconds since 1970, as the kernel stamps inodes. */
  now(): bigint {
    const wall = Math.floor(this.#wall());
    if (wall === this.#millisecond) {
      this.#within = Math.min(this.#within + CALL_TAKES, MILLISECOND - 1);
    } else {
      this.#millisecond = wall;
      this.#within = 0;
    }
    const exact = BigInt(wall) * 1_000_000n + BigInt(this.#within);
    return exact - (exact % this.#tick);
  }

  /** A file system that is not mounted yet, with a device number of its own. */
  makeFileSystem(switches: FileSystemSwitches): FileSystem {
    return new FileSystem(switches, this.#devices++, this.now(), this.random);
  }

  process(who: Credentials, cwd = '/', mostOpen?: number): Process {
    return new Process(who, cwd, mostOpen);
  }

  /** The mount at a path; null: there is none. */
  mountAt(path: string): Mount | null {
    return this.mounts.findLast((mount) => mount.path === path) ?? null;
  }

  /** Something is mounted on it, in any place. */
  isMountPoint(inode: Inode): boolean {
    return this.mounts.some(({ at }) => at?.inode === inode);
  }

  /** Its last name, or the last that has it open, is gone. */
  release(inode: Inode): void {
    if (inode.links > 0 || inode.opens > 0) return;
    inode.fs.free(inode);
    if (inode.kind === 'directory') this.tellEnd(inode);
  }

  /** The path of what is at a place, as `/proc` has it. */
  pathOf({ mount, inode, by }: Place): string {
    const names: string[] = [];
    let at = inode;
    let on = mount;
    if (by !== null && inode.kind !== 'directory') {
      names.push(by.name);
      at = by.directory;
    }
    for (;;) {
      if (at === on.root && on.at !== null) ({ mount: on, inode: at } = on.at);
      else if (at.parent === null || at.parent === at) break;
      else {
        names.push(at.name);
        at = at.parent;
      }
    }
    return `/${names.reverse().join('/')}`;
  }

  /** What stands under the number of something open in `/proc`: a link to it. */
  linkTo(place: Place): Place {
    const { fs } = this.#proc;
    const inode = new Inode(fs, {
      number: 1n,
      kind: 'symlink',
      mode: 0o700,
      uid: 0,
      gid: 0,
      now: 0n,
    });
    inode.target = this.pathOf(place);
    inode.isImmutable = true;
    return { mount: this.#proc, inode, by: null };
  }

  /** Throws what keeps the call from being done: a mount that is dead or silent, or a trouble. */
  meet(call: KernelCall, place: Place): void {
    this.calls += 1;
    place.inode.fs.journal.step();
    if (this.caller?.seesAll === true) return;
    const { state } = place.mount;
    if (state === 'dead') fail('ENOTCONN');
    if (state === 'silent') fail('ESILENT');
    if (!this.troubles.any) return;
    const met = this.troubles.first(call, place);
    if (met !== null) throw new KernelError(met);
  }

  /** One that has it open less. */
  closeFile(file: OpenFile): void {
    file.users -= 1;
    if (file.users > 0) return;
    const { inode } = file;
    inode.opens -= 1;
    if (file.place.by !== null) inode.openedBy.delete(file.place.by);
    if (file.writes) inode.writers -= 1;
    if (inode.lockedBy === file) inode.lockedBy = null;
    inode.fs.journal.step();
    this.release(inode);
  }

  /** Throws EROFS where nothing may be changed. */
  requireWritable({ mount }: Place): void {
    if (mount.isReadOnly) fail('EROFS');
  }

  /** An inode was changed that is reached by a name. */
  tellChange(place: Place): void {
    if (this.#isUntold(place.inode)) return;
    const { inode, by } = place;
    const isDirectory = inode.kind === 'directory';
    const named =
      by ??
      (isDirectory && inode.parent !== inode && inode.parent !== null
        ? { directory: inode.parent, name: inode.name }
        : null);
    for (const observer of this.observers) {
      // Of what was unlinked nothing is told by its name (IN_EXCL_UNLINK).
      const isThere = named?.directory.entries?.get(named.name)?.inode === inode;
      if (named !== null && isThere) observer.named(named.directory, named.name, isDirectory);
      observer.self(inode);
    }
  }

  /** A name was made, moved or taken away. */
  tellName(directory: Inode, name: string, inode: Inode): void {
    if (this.#isUntold(directory)) return;
    for (const observer of this.observers) {
      observer.named(directory, name, inode.kind === 'directory');
    }
  }

  tellSelf(inode: Inode): void {
    if (this.#isUntold(inode)) return;
    for (const observer of this.observers) observer.self(inode);
  }

  tellEnd(inode: Inode): void {
    for (const observer of this.observers) observer.ended(inode);
  }

  #isUntold(inode: Inode): boolean {
    const { watches } = inode.fs.switches;
    return (
      this.observers.size === 0 || watches === 'none' || (this.isElsewhere && watches !== 'told')
    );
  }
}

/**
 * What the suite of the Disk port stands on: a disk, an empty directory on it, and what programs and people do there. All that a test arranges
 * or looks at beside the port goes through `Arrange`, so a disk that is simulated fulfils it without any file.
 */
import { expect } from '@jest/globals';
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { DiskKind } from '../../daemon/adapters/folder/disk/disk-facts.ts';

/** What programs do, and see. Links at the end of a path are followed by `write`, `append`, `read`, `chmod` and `openToWrite` alone. */
export interface Arrange {
  /** Makes a file of mode 0644, or empties the one that is there. */
  write(path: string, contents: string | Uint8Array): void;
  append(path: string, contents: string): void;
  read(path: string): string;
  /** Makes the file that long; what is new of it is a hole. */
  resize(path: string, size: number): void;
  mkdir(path: string): void;
  symlink(target: string | Uint8Array, path: string): void;
  link(file: string, path: string): void;
  /** False: it can't be had here. */
  fifo(path: string): boolean;
  /** Makes a file with a name of these bytes. False: the disk refuses it. */
  writeBytesName(dir: string, name: Uint8Array): boolean;
  /** Sets a user attribute with a name of these bytes. False: it can't be had here. */
  setBytesXattr(path: string, name: Uint8Array, value: string): boolean;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  chmod(path: string, mode: number): void;
  /** Sets the owner and the group. False: nobody here may. */
  chown(path: string, uid: number, gid: number): boolean;
  /** Sets both times, in nanoseconds, multiples of a second. */
  touch(path: string, time: bigint): void;
  names(dir: string): string[];
  /** null: nothing is there. */
  look(path: string): Seen | null;
  /** Has a file open for writing until the function that it gives is called. */
  openToWrite(path: string): () => void;
  /** Until the function that it gives is called, this process is an ordinary user to the disk, whom every right is checked for. */
  beOrdinary(): () => void;
  /** That holds for questions whether something may be done, too: Linux answers those for the user who began the process (access(2)). */
  readonly asksAsOrdinary: boolean;
  /** What a new file or directory never gets of a mode. */
  readonly umask: number;
}

/** What a program sees of a name, a link itself included. */
export interface Seen {
  readonly kind: DiskKind;
  /** Permission bits. */
  readonly mode: number;
  readonly links: number;
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
  readonly inode: bigint;
  readonly mtimeNs: bigint;
  readonly atimeNs: bigint;
  /** Bytes that it takes on the disk. */
  readonly room: number;
}

/**
 * What a disk may lack, and the contract says so (daemon/adapters/folder/disk/disk.ts).
 * - `links`, `symlinks`, `swaps`, `xattrs`, `locks`: the call fails
 * - `modes`: files have not the permissions that they were given; `special`: setuid, setgid and sticky are dropped
 * - `rights`: permissions are not asked for, or it is one user's alone
 * - `writers`: of who has a file open to write nothing is said that means anything
 * - `cases`, `forms`, `ends`: names that differ in case or Unicode form are one; a dot or a blank at the end of a name goes
 * - `raw`: names and targets that are no UTF-8; `fifos`
 * - `exact`: times are cut, to two seconds at most; `changes`: the time of change does not tell of each change
 * - `entries`: the time of a directory does not tell of what comes into it and goes
 * - `kept`: an inode that has no name any more is not there either
 * - `holes`: a file takes the room of its length
 */
export type Lack =
  | 'links'
  | 'symlinks'
  | 'swaps'
  | 'xattrs'
  | 'locks'
  | 'modes'
  | 'special'
  | 'rights'
  | 'writers'
  | 'cases'
  | 'forms'
  | 'ends'
  | 'raw'
  | 'fifos'
  | 'exact'
  | 'changes'
  | 'entries'
  | 'kept'
  | 'holes';

/** What a disk says to a call that it lacks. */
const SAID = {
  links: ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'],
  symlinks: ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'],
  swaps: ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'],
  xattrs: ['ENOTSUP', 'EOPNOTSUPP', 'EPERM'],
  locks: ['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EROFS'],
} satisfies Partial<Record<Lack, readonly string[]>>;

/** The disk that a test has to itself. */
export interface DiskSite {
  readonly disk: Disk;
  /** Empty, with mode 0777. */
  readonly dir: string;
  readonly arrange: Arrange;
  readonly lacks: readonly Lack[];
  end(): void | Promise<void>;
}

/** A disk with the words that its tests are told in. */
export class DiskBench {
  readonly disk: Disk;
  readonly arrange: Arrange;
  readonly #site: DiskSite;
  readonly #open = new Set<number>();

  constructor(site: DiskSite) {
    this.#site = site;
    this.disk = site.disk;
    this.arrange = site.arrange;
  }

  at(...names: string[]): string {
    return [this.#site.dir, ...names].join('/');
  }

  lacks(what: Lack): boolean {
    return this.#site.lacks.includes(what);
  }

  /** Does it; or, where the disk lacks it, checks that it says so, and gives false. */
  does(what: keyof typeof SAID, call: () => void): boolean {
    if (!this.lacks(what)) {
      call();
      return true;
    }
    expect(SAID[what]).toContain(codeOf(call));
    return false;
  }

  /** Makes a link by a program. False: this disk has none. */
  symlink(target: string, path: string): boolean {
    return this.does('symlinks', () => this.arrange.symlink(target, path));
  }

  /** A handle that is closed at the end of the test. */
  held(handle: number): number {
    this.#open.add(handle);
    return handle;
  }

  /** The path of what stands at a name, as long as the test runs. */
  stands(path: string): string {
    return this.disk.pathOf(this.held(this.disk.openEntry(path)));
  }

  seen(path: string): Seen {
    const seen = this.arrange.look(path);
    if (seen === null) throw new Error(`nothing is at ${path}`);
    return seen;
  }

  async end(): Promise<void> {
    for (const handle of this.#open) this.disk.close(handle);
    await this.#site.end();
  }
}

/** The code of what a call throws; undefined where it does not. */
export function codeOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

/** The same of a promise. */
export async function codeOfEnd(ended: Promise<unknown>): Promise<unknown> {
  try {
    await ended;
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

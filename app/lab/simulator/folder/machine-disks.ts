/**
 * The disks that the synced folder of a simulated machine lies on, and what becomes of them as mounts: one goes and comes back, is covered, is dead for a
 * while, or stands aside while another directory has its place. Whatever was done, `restore` mounts all that is to be there, as a machine does that
 * starts.
 */
import type {
  MountPoint,
  MountTable,
} from '../../../../daemon/adapters/folder/disk/mount-table.ts';
import type { FileSystem } from '../posix/file-system.ts';
import type { FileSystemSwitches } from '../posix/file-system-switches.ts';
import type { Kernel } from '../posix/kernel.ts';
import type { Mount } from '../posix/mount.ts';
import { mount, unmount } from '../posix/mounting.ts';
import type { ProgramCalls } from '../posix/program-calls.ts';

/** What may befall a mounted disk. `slow`: who asks whether it answers waits; a call would wait as well, so nobody may make one. */
export type MountTrouble = 'away' | 'dead' | 'covered' | 'replaced' | 'slow';

export interface MachineDisksParts {
  readonly kernel: Kernel;
  /** Root's own process, which no fault keeps from anything. */
  readonly calls: ProgramCalls;
  /** Whose directories they are. */
  readonly owner: { readonly uid: number; readonly gid: number };
}

interface Mounted {
  readonly path: string;
  readonly fs: FileSystem;
  /** How many faults keep it away. */
  away: number;
  mount: Mount;
}

/** Mounts disks, and takes them away for a while. */
export class MachineDisks implements MountTable {
  readonly #parts: MachineDisksParts;
  /** The outer ones first. */
  readonly #disks: Mounted[] = [];
  /** A directory that stands aside; `isOver`: it is to have its place again. */
  #aside: { readonly path: string; isOver: boolean } | null = null;
  /** Mounts that do not answer, with who waits for that. */
  readonly #slow = new Map<string, Set<() => void>>();
  /** Hears of a path before what is there is out of sight: it was on a disk that is no part of the folder. */
  hides: (path: string) => void = () => undefined;

  constructor(parts: MachineDisksParts) {
    this.#parts = parts;
  }

  /** All of them, mounted or not. */
  get fileSystems(): readonly FileSystem[] {
    return this.#disks.map(({ fs }) => fs);
  }

  add(path: string, switches: FileSystemSwitches): void {
    const { kernel } = this.#parts;
    const fs = kernel.makeFileSystem(switches);
    this.#disks.push({ path, fs, away: 0, mount: mount(kernel, path, fs) });
    this.#own(path, switches);
  }

  /** What the system says is mounted, by the paths of now. */
  read(): readonly MountPoint[] {
    return this.#parts.kernel.mounts.map((each) => {
      return { path: this.#pathOf(each), type: each.fs.switches.type };
    });
  }

  /** Begins a fault at a path, and gives how to end it. `by`: what covers it. Nothing where there is nothing. */
  begin(what: MountTrouble, path: string, by: FileSystemSwitches): () => void {
    switch (what) {
      case 'away':
        return this.#takeAway(path);
      case 'dead':
        return this.#kill(path);
      case 'covered':
        return this.#cover(path, by);
      case 'replaced':
        return this.#replace(path);
      case 'slow':
        return this.#slowDown(path);
    }
  }

  /** Resolves when a mount answers. */
  answered(path: string): Promise<void> {
    const waiting = this.#slow.get(path);
    if (waiting === undefined) return Promise.resolve();
    return new Promise((resolve) => waiting.add(resolve));
  }

  #slowDown(path: string): () => void {
    if (this.#slow.has(path)) return () => undefined;
    const waiting = new Set<() => void>();
    this.#slow.set(path, waiting);
    return () => {
      this.#slow.delete(path);
      for (const tell of waiting) tell();
    };
  }

  /** Everything that no fault keeps away is mounted, and has its place. */
  restore(): void {
    for (const disk of this.#disks) {
      this.#putBack();
      const isIn = this.#aside !== null && disk.path.startsWith(`${this.#aside.path}/`);
      if (!isIn && disk.away === 0) this.#mountAgain(disk);
    }
    this.#putBack();
  }

  #mountAgain(disk: Mounted): void {
    const { kernel, calls } = this.#parts;
    if (kernel.mounts.includes(disk.mount)) return;
    if (!this.#isThere(parentOf(disk.path))) return;
    if (this.#isThere(disk.path)) this.hides(disk.path);
    else if (!may(() => calls.mkdir(disk.path))) return;
    disk.mount = mount(kernel, disk.path, disk.fs);
  }

  #putBack(): void {
    const { kernel, calls } = this.#parts;
    if (this.#aside?.isOver !== true) return;
    const { path } = this.#aside;
    const isCovered = kernel.mounts.some((each) => this.#pathOf(each) === path);
    if (isCovered || !this.#isThere(asideOf(path))) return;
    // The disk may be read-only just then: it is tried again when that is over.
    const isDone = may(() => {
      if (this.#isThere(path)) {
        this.hides(path);
        removeAll(calls, path);
      }
      calls.rename(asideOf(path), path);
    });
    if (isDone) this.#aside = null;
  }

  #takeAway(path: string): () => void {
    const { kernel } = this.#parts;
    const disk = this.#disks.find((each) => each.path === path);
    if (disk === undefined) return () => undefined;
    disk.away += 1;
    // What is put away in good order is written out.
    disk.fs.syncAll();
    if (kernel.mounts.includes(disk.mount)) unmount(kernel, disk.mount);
    return () => {
      disk.away -= 1;
      this.restore();
    };
  }

  /** The program behind it has ended: it stays where it is, and no call on it is done, until it is mounted anew. */
  #kill(path: string): () => void {
    const { kernel } = this.#parts;
    const disk = this.#disks.find((each) => each.path === path);
    if (disk === undefined || !kernel.mounts.includes(disk.mount)) return () => undefined;
    const dead = disk.mount;
    dead.state = 'dead';
    return () => {
      if (kernel.mounts.includes(dead)) unmount(kernel, dead);
      this.restore();
    };
  }

  #cover(path: string, by: FileSystemSwitches): () => void {
    const { kernel } = this.#parts;
    if (!this.#isThere(path)) return () => undefined;
    const over = mount(kernel, path, kernel.makeFileSystem(by));
    this.#own(path, by);
    return () => {
      if (kernel.mounts.includes(over)) {
        this.hides(this.#pathOf(over));
        unmount(kernel, over);
      }
      this.restore();
    };
  }

  /** A person moves it aside, and another directory has its place. */
  #replace(path: string): () => void {
    const { calls, kernel } = this.#parts;
    const isMounted = kernel.mounts.some((each) => this.#pathOf(each) === path);
    if (this.#aside !== null || isMounted || !this.#isThere(path)) return () => undefined;
    const aside = { path, isOver: false };
    if (!may(() => calls.rename(path, asideOf(path)))) return () => undefined;
    if (!may(() => calls.mkdir(path))) {
      calls.rename(asideOf(path), path);
      return () => undefined;
    }
    this.#aside = aside;
    this.#own(path, null);
    return () => {
      aside.isOver = true;
      this.restore();
    };
  }

  #pathOf(mounted: Mount): string {
    return this.#parts.kernel.pathOf({ mount: mounted, inode: mounted.root, by: null });
  }

  #own(path: string, switches: FileSystemSwitches | null): void {
    const { calls, owner } = this.#parts;
    if ((switches?.fixed ?? null) === null) calls.chown(path, owner.uid, owner.gid);
  }

  #isThere(path: string): boolean {
    try {
      return this.#parts.calls.lstat(path).kind === 'directory';
    } catch {
      return false;
    }
  }
}

/** False: its disk is full. */
function may(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

function asideOf(path: string): string {
  return `${path} aside`;
}

function removeAll(calls: ProgramCalls, path: string): void {
  if (calls.lstat(path).kind !== 'directory') return calls.unlink(path);
  for (const name of calls.readdir(path)) removeAll(calls, `${path}/${name}`);
  calls.rmdir(path);
}

/**
 * What is wrong with the disks of one simulated machine just now: calls that fail, disks that are full, read-only, away, dead or covered. Each trouble
 * begins and is ended by who began it; a machine that starts mounts its disks.
 */
import type { ErrorName } from '../posix/kernel-error.ts';
import { VFAT } from '../posix/file-system-switches.ts';
import type { KernelFault } from '../posix/kernel-faults.ts';
import type { DiskTrouble, FolderFault } from './folder-plan.ts';
import type { Ledger } from './ledger.ts';
import { diskTree, filesIn } from './trees.ts';
import type { UserDisk } from './user-disk.ts';

export interface MachineTroublesParts {
  readonly disk: UserDisk;
  readonly ledger: Ledger;
  readonly laptop: string;
}

type MountFault = Extract<FolderFault, { readonly do: 'mount' }>;

/** How the folder's own disk is mounted. */
const DISK = '/home';
const PERSON = 1000;

/** Begins and ends the troubles of the disks of one machine. */
export class MachineTroubles {
  readonly #parts: MachineTroublesParts;
  readonly #lasting = new Set<() => void>();
  readonly #mounts = new Set<() => void>();
  readonly #ofDisk = new Map<DiskTrouble['kind'], () => void>();
  #wereAny = false;
  #failing: { left: number; readonly code: ErrorName; readonly times: number } | null = null;
  #failed: () => void = () => undefined;

  constructor(parts: MachineTroublesParts) {
    this.#parts = parts;
    // What is on another disk at the place of the folder, or beneath one, was never in the folder.
    parts.disk.disks.hides = (path) => this.#hides(path);
  }

  /** Something is wrong with a disk. */
  get any(): boolean {
    return this.#lasting.size > 0 || this.#failing !== null;
  }

  /** Now or before. */
  get wereAny(): boolean {
    return this.#wereAny;
  }

  begin(what: DiskTrouble): () => void {
    const { disk } = this.#parts;
    const fault = this.#faultOf(what);
    if (what.kind === 'refused' || what.kind === 'immutable') {
      return this.#lasts(this.#lasting, disk.begin(fault));
    }
    // How full a disk is, and whether it is read-only, is one thing at a time.
    this.#ofDisk.get(what.kind)?.();
    const end = this.#lasts(this.#lasting, disk.begin(fault));
    this.#ofDisk.set(what.kind, end);
    return end;
  }

  beginMount({ what, where }: MountFault): () => void {
    const { disk } = this.#parts;
    const path = where === 'inner' ? disk.inner : where === 'folder' ? disk.root : DISK;
    if (path === null) return () => undefined;
    const end = disk.disks.begin(what, path, VFAT);
    return this.#lasts(this.#mounts, this.#lasts(this.#lasting, end));
  }

  /** The machine starts. */
  mountAll(): void {
    for (const end of [...this.#mounts]) end();
  }

  errorAtCall({ calls, code, times }: Omit<Extract<FolderFault, { do: 'error-at-call' }>, 'do'>) {
    this.#wereAny = true;
    this.#failing = { left: calls, code, times };
  }

  /** The daemon makes a call. */
  called(): void {
    const failing = this.#failing;
    if (failing === null || failing.left === 0) return;
    failing.left -= 1;
    if (failing.left > 0) return;
    this.#failed();
    this.#failed = this.#parts.disk.failDaemon(failing.code, failing.times);
  }

  /** All of them. */
  end(): void {
    for (const end of [...this.#lasting]) end();
    this.#parts.disk.disks.restore();
    this.#failed();
    this.#failing = null;
  }

  #faultOf(what: DiskTrouble): KernelFault {
    switch (what.kind) {
      case 'refused':
        return { ...what, path: this.#pathAt(what.pick) };
      case 'immutable':
        return { kind: 'immutable', path: this.#pathAt(what.pick) };
      case 'quota':
        return { ...what, uid: PERSON, mount: DISK };
      default:
        return { ...what, mount: DISK };
    }
  }

  #pathAt(pick: number): string {
    const { observer, root } = this.#parts.disk;
    const all = ['', ...diskTree(observer, root).keys()];
    const path = all[pick % all.length] ?? '';
    return path === '' ? root : `${root}/${path}`;
  }

  /** Ended once, whoever ends it. */
  #lasts(among: Set<() => void>, end: () => void): () => void {
    this.#wereAny = true;
    const once = (): void => {
      if (among.delete(once)) end();
    };
    among.add(once);
    return once;
  }

  #hides(path: string): void {
    const { disk, ledger, laptop } = this.#parts;
    for (const { digest } of filesIn(disk.observer, path).values()) {
      ledger.gaveUp(digest, `a disk of ${laptop}`);
    }
  }
}

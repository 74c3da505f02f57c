/**
 * Mount points in the folder, as the records have them (rule M2). Where the volume of one is kept by a front end of its own, what lies beneath the
 * directory is that one's: here it is neither looked at, nor told, nor put in place.
 *
 * Invariants
 * 1. The record of such a directory goes only when the other front end has left, or when nothing of the directory is on the disk.
 * 2. Before the other front end begins, nothing is recorded beneath. What was moved there while nothing was shown is no longer in place, and is made
 *    anew where its volume has it.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { mountedVolume } from '../../../../shared/model/mount-point.ts';
import type { FolderRecords } from './folder-records.ts';

export interface MountPoint {
  readonly fid: Fid;
  readonly volume: VolumeId;
}

/** One that is recorded, with its path below the root. */
export interface MountPointHere extends MountPoint {
  readonly path: readonly string[];
}

/** Who keeps mounted volumes in the folder. */
export interface MountKeeper {
  /** The volume is kept there, or is about to be. */
  isKept(mount: MountPoint): boolean;
  /** The mount point is gone from its volume: what is kept there is to leave the disk. It is tried again then. */
  mustLeave(mount: MountPoint): void;
  /** The mount point is not to be on this disk: what is kept there goes bit by bit, and then leaves. */
  leaveWhenBare(mount: MountPoint): void;
  /** This inode is in another folder of the tree now: it was moved there, out of the one of this volume. */
  hasElsewhere(inode: string, volume: VolumeId): boolean;
  /** What stands for the file `fid` of this volume is in another folder of the tree now, as `StandsFor`. */
  standsElsewhere(fid: Fid, inode: string, volume: VolumeId): StandsFor;
  /** Resolves when the other folders of the tree were told what has happened by now. */
  heardElsewhere(volume: VolumeId): Promise<void>;
}

/** Whether a placeholder is there; `unseen`: it may be, and is known when that folder was looked at; `unopened`: when it is open. */
export type StandsFor = 'nowhere' | 'there' | 'unseen' | 'unopened';

type Records = Pick<
  FolderRecords,
  'mountPoints' | 'get' | 'pathOf' | 'root' | 'entries' | 'unlink'
>;

/** Tells which directories of the folder show other volumes, and what lies beneath them. */
export class MountPoints {
  readonly #records: Records;
  readonly #keeper: MountKeeper | null;

  /** `keeper` null: mounted volumes are not kept in the folder, so their mount points are empty directories. */
  constructor(records: Records, keeper: MountKeeper | null) {
    this.#records = records;
    this.#keeper = keeper;
  }

  /** All that are recorded, whether anything is kept there or not. */
  here(): MountPointHere[] {
    return [...this.#records.mountPoints].flatMap((fid) => {
      const mount = this.#at(fid);
      const path = this.#records.pathOf(fid);
      return mount === null || path === null ? [] : [{ ...mount, path }];
    });
  }

  /** Another volume is kept in this directory. */
  isKept(fid: Fid): boolean {
    const mount = this.#at(fid);
    return mount !== null && this.#keeper?.isKept(mount) === true;
  }

  /** The same of a directory that is to go: then whoever keeps the volume there is told. */
  isInUse(fid: Fid): boolean {
    const mount = this.#at(fid);
    if (mount === null || this.#keeper?.isKept(mount) !== true) return false;
    this.#keeper.mustLeave(mount);
    return true;
  }

  /** Of a directory that is not to be on this disk: no other volume is kept in it. Else that one is told. */
  mayGo(fid: Fid): boolean {
    const mount = this.#at(fid);
    if (mount === null || this.#keeper?.isKept(mount) !== true) return true;
    this.#keeper.leaveWhenBare(mount);
    return false;
  }

  /** What has this inode is in another volume's folder now. */
  isElsewhere(inode: string): boolean {
    return this.#keeper?.hasElsewhere(inode, volumeOf(this.#records.root)) === true;
  }

  /** What stands for the file is in another volume's folder now. */
  standsElsewhere(fid: Fid, inode: string): StandsFor {
    const volume = volumeOf(this.#records.root);
    return this.#keeper?.standsElsewhere(fid, inode, volume) ?? 'nowhere';
  }

  /** Resolves when the folders of other volumes were told what has happened by now. */
  async heardElsewhere(): Promise<void> {
    await this.#keeper?.heardElsewhere(volumeOf(this.#records.root));
  }

  /** What is at the path, or would be, is of a volume that is kept in a directory above it. */
  isBeneath(path: readonly string[]): boolean {
    return this.#some((at) => path.length > at.length && at.every((name, i) => path[i] === name));
  }

  /** Another volume is kept at this very path. */
  isAt(path: readonly string[]): boolean {
    return this.#some((at) => path.length === at.length && at.every((name, i) => path[i] === name));
  }

  /** The directory at the path shows another volume, or is in one that does: nothing in it is for this folder to change. */
  isOthers(dir: readonly string[]): boolean {
    return this.#some((at) => dir.length >= at.length && at.every((name, i) => dir[i] === name));
  }

  /** The volume is about to be kept in this directory: forgets what is recorded beneath, and tells how many names that were. */
  forgetBeneath(fid: Fid): number {
    const entries = this.isKept(fid) ? this.#records.entries(fid) : [];
    for (const [name] of entries) this.#records.unlink({ dir: fid, name });
    return entries.length;
  }

  #some(isMeant: (at: readonly string[]) => boolean): boolean {
    for (const fid of this.#records.mountPoints) {
      const path = this.#records.pathOf(fid);
      if (path !== null && isMeant(path) && this.isKept(fid)) return true;
    }
    return false;
  }

  #at(fid: Fid): MountPoint | null {
    const record = this.#records.mountPoints.has(fid) ? this.#records.get(fid) : null;
    const volume = record === null ? null : mountedVolume(record);
    return volume === null ? null : { fid, volume };
  }
}

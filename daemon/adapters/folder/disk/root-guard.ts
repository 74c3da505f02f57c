/**
 * Is the folder the one we synced? At the start it is refused where it can't be ours; later a root that is away, or another
 * one in its place, stops everything: it must never look like a deletion (promise 2).
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  isFolderAt,
  OWN_DIRECTORY,
  readMarker,
  ROOM_PREFIX,
  type Marker,
} from '../../../../shared/control/marker.ts';
import type { Random } from '../../../../shared/ports/random.ts';
import { startupFailure } from '../../../../shared/control/startup-failure.ts';
import { isNumberedAfter } from '../../../../shared/model/device-name.ts';
import type { VolumeInfo } from '../../../../shared/model/change.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { there, type Disk } from './disk.ts';
import { kindOf } from './disk-facts.ts';
import { mayHang } from './mount-answers.ts';
import { mountsIn, type MountTable } from './mount-table.ts';
import { lockFileIn, OwnDirectory } from './own-directory.ts';

/** The disk that a folder is to lie on, and what is mounted there. */
export interface RootDisk {
  readonly files: Disk;
  readonly mounts: MountTable;
}

export interface RootGuardParts extends RootDisk {
  readonly root: string;
  readonly dataDir: string;
  readonly volume: VolumeInfo;
  readonly deviceName: () => string;
  /** What the records know the folder by; null: there are none yet. */
  readonly token: string | null;
  readonly nestedLook: number;
  readonly random: Pick<Random, 'hex'>;
  /** The root is a mount point in another synced folder: it is nobody's but the volume's that is mounted there. */
  readonly mounted: boolean;
}

/** What a disk that keeps no locks says, or one that is read-only. */
const NO_LOCKS = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EROFS']);

/** Claims the root for this daemon, and tells whether it is still the folder that was synced. */
export class RootGuard {
  readonly own: OwnDirectory;
  readonly token: string;
  readonly #parts: RootGuardParts;
  readonly #name: string;
  #lock: { release(): void } | null = null;

  constructor(parts: RootGuardParts) {
    this.#parts = parts;
    this.token = parts.token ?? parts.random.hex(16);
    // Of that name it is ignored wherever it gets to, and no folder of itself to who looks for one.
    this.#name = parts.mounted ? ownNameOf(this.token) : OWN_DIRECTORY;
    this.own = new OwnDirectory(parts.root, parts.files, parts.random, this.#name);
  }

  /** Throws where the folder can't be used; else our directory in it is there. False: it is known and away, and may come back. */
  open(): boolean {
    const { root, token, files, mounted } = this.#parts;
    if (token !== null && !this.isThere()) {
      if (!files.exists(root) || !this.#hasMarker()) return false;
    }
    if (mounted) refuseMissing(this.#parts);
    else refuseUnusable(this.#parts);
    this.#claim();
    return true;
  }

  /** The root was away and is there again. False: another daemon has it meanwhile. */
  takeAgain(): boolean {
    this.release();
    this.own.prepare();
    return this.#take();
  }

  /** Another daemon may have the folder. */
  release(): void {
    this.#lock?.release();
    this.#lock = null;
  }

  /** The root is there, and is ours. */
  isThere(): boolean {
    return isFolderAt(this.#parts.root, this.token, this.#parts.files, this.#name);
  }

  /** Nothing is where the root was. */
  isMissing(): boolean {
    return !this.#parts.files.exists(this.#parts.root);
  }

  /** One that can't be read is none: nothing is done to a folder of which nobody knows whose it is. */
  #hasMarker(): boolean {
    try {
      return this.own.readMarker() !== null;
    } catch {
      return false;
    }
  }

  #claim(): void {
    const { root, volume } = this.#parts;
    const device = this.#parts.deviceName();
    const marker = this.own.readMarker();
    const isOurs =
      marker === null ||
      marker.token === this.token ||
      (marker.volume === volume.id && (marker.device === device || this.#isPairedAgain(marker)));
    if (!isOurs) {
      throw new GodwitError(
        'folder-unusable',
        `${root} is already synced as volume “${marker.volumeName}” of device “${marker.device}”, by another data folder`,
        `where that one is gone for good, remove ${this.own.markerFile} and start again; or choose another folder`,
      );
    }
    try {
      this.own.prepare();
      if (!this.#take()) {
        throw new GodwitError('folder-taken', `another daemon keeps ${root} in sync`);
      }
    } catch (error) {
      throw startupFailure(error, { path: root, code: 'folder-unusable' });
    }
    const mine: Marker = {
      volume: volume.id,
      volumeName: volume.name,
      device,
      token: this.token,
    };
    try {
      this.own.writeMarker(mine);
    } catch (error) {
      this.release();
      throw startupFailure(error, { path: root, code: 'folder-unusable' });
    }
  }

  /**
   * Our data folder was lost, and the server has numbered our name since another device has it: ourselves before. Only a data folder that
   * has shown no folder yet takes it over; one that runs has the lock.
   */
  #isPairedAgain({ device }: Marker): boolean {
    return this.#parts.token === null && isNumberedAfter(this.#parts.deviceName(), device);
  }

  /** For this process alone, until it ends. False: another has it. Where the disk keeps no locks nobody can tell. */
  #take(): boolean {
    try {
      this.#lock = this.#parts.files.lockFile(this.own.lockFile);
      return this.#lock !== null;
    } catch (error) {
      if (NO_LOCKS.has((error as NodeJS.ErrnoException).code ?? '')) return true;
      throw error;
    }
  }
}

/** The name of our directory in the root of a mounted volume that is known by this token. */
export const ownNameOf = (token: string): string => `${ROOM_PREFIX}${token}`;

/** The folder around it makes a mount point, and knows when it is gone: here it is never made. Throws `folder-unusable`. */
function refuseMissing({ root, files }: RootGuardParts): void {
  const status = files.status(root);
  if (status !== null && kindOf(status) === 'directory') return;
  throw new GodwitError('folder-unusable', `${root} is not there, or is no folder`);
}

/**
 * Makes the folder where it is missing, and throws where it can't be synced: `folder-unusable`, `in-the-way`, `folder-nested`, `disk-full`. It needs no
 * volume, so that it can be asked before a device is paired.
 */
export function refuseUnusable(
  parts: RootDisk & Pick<RootGuardParts, 'root' | 'dataDir' | 'nestedLook'>,
): void {
  const { root, files } = parts;
  // A folder that is made there would be synced as one of the other's.
  refuseInside(realPathToBe(root, files), parts);
  makeUsable(files, root, parts.dataDir);
  refuseNested(files.realPath(root), parts.nestedLook, parts);
}

/** Throws `folder-taken` where another daemon keeps the folder in sync at this moment. */
export function refuseTaken(root: string, files: Pick<Disk, 'exists' | 'lockFile'>): void {
  const file = lockFileIn(root);
  if (!files.exists(file)) return;
  let lock: { release(): void } | null;
  try {
    lock = files.lockFile(file);
  } catch {
    // A disk that keeps no locks, or a file that is not ours: the folder's own guard says so.
    return;
  }
  if (lock === null) throw new GodwitError('folder-taken', `another daemon keeps ${root} in sync`);
  lock.release();
}

function makeUsable(files: Disk, root: string, dataDir: string): void {
  try {
    files.makeDirectories(root, 0o777);
    const status = there(files.statusBehind(root), root);
    if (kindOf(status) !== 'directory') throw new Error('it is no folder');
    files.mayChange(root);
    files.names(root);
  } catch (error) {
    throw startupFailure(error, { path: root, code: 'folder-unusable' });
  }
  if (isInside(files.realPath(root), files.realPath(dataDir))) {
    throw new GodwitError('folder-unusable', `the data folder ${dataDir} lies inside of ${root}`);
  }
}

/** Throws `folder-nested`. Nothing has to be there yet. */
export function refuseNested(root: string, nestedLook: number, disk: RootDisk): void {
  refuseInside(root, disk);
  const inner = findBelow(root, nestedLook, disk);
  if (inner !== null) {
    throw new GodwitError('folder-nested', `there is a synced folder in ${root}: ${inner}`);
  }
}

function refuseInside(root: string, disk: Pick<RootDisk, 'files'>): void {
  for (let at = dirname(root); ; at = dirname(at)) {
    if (readMarker(at, disk.files) !== null) {
      throw new GodwitError('folder-nested', `${root} lies inside the synced folder ${at}`);
    }
    if (at === dirname(at)) break;
  }
}

/** Where a folder is that may still have to be made, with no link on the way. */
function realPathToBe(root: string, files: Disk): string {
  const missing: string[] = [];
  let at = resolve(root);
  for (; !files.exists(at) && at !== dirname(at); at = dirname(at)) missing.unshift(basename(at));
  try {
    return join(files.realPath(at), ...missing);
  } catch {
    // It can't be reached: whoever makes it says so.
    return resolve(root);
  }
}

function isInside(outer: string, inner: string): boolean {
  const way = relative(resolve(outer), resolve(inner));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** The first synced folder below, breadth first, as far as the bound goes. */
function findBelow(root: string, most: number, { files, mounts }: RootDisk): string | null {
  const open = [root];
  const below = mountsIn(root, mounts, files)?.below ?? new Map<string, string>();
  const hangs = new Set(
    [...below].filter(([, type]) => mayHang(type)).map(([path]) => join(root, path)),
  );
  for (let looked = 0; looked < most && looked < open.length; looked++) {
    const at = open[looked] ?? root;
    try {
      // Whether such a mount answers is not known yet, and who asks may wait for ever.
      if (hangs.has(at)) continue;
      if (at !== root && readMarker(at, files) !== null) return at;
      for (const name of files.directoriesIn(at)) {
        if (name !== OWN_DIRECTORY && open.length < most) open.push(join(at, name));
      }
    } catch {
      // Not ours to read, or too deep for a name: then nothing is synced from there either.
    }
  }
  return null;
}

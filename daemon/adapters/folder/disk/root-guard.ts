/**
 * Is the folder the one we synced? At the start it is refused where it can't be ours; later a root that is away, or another
 * one in its place, stops everything: it must never look like a deletion (promise 2).
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  isFolderAt,
  OWN_DIRECTORY,
  readMarker,
  type Marker,
} from '../../../../shared/control/marker.ts';
import type { Host } from '../../../../shared/ports/host.ts';
import { startupFailure } from '../../../../shared/control/startup-failure.ts';
import type { VolumeInfo } from '../../../../shared/model/change.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { mayHang } from './mount-answers.ts';
import { mountsIn, systemMounts } from './mount-table.ts';
import { OwnDirectory } from './own-directory.ts';

export interface RootGuardParts {
  readonly root: string;
  readonly dataDir: string;
  readonly volume: VolumeInfo;
  readonly deviceName: string;
  /** What the records know the folder by; null: there are none yet. */
  readonly token: string | null;
  readonly nestedLook: number;
  readonly host: Pick<Host, 'lockFile'>;
}

/** What a disk that keeps no locks says, or one that is read-only. */
const NO_LOCKS = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EROFS']);

/** Claims the root for this daemon, and tells whether it is still the folder that was synced. */
export class RootGuard {
  readonly own: OwnDirectory;
  readonly token: string;
  readonly #parts: RootGuardParts;
  #lock: { release(): void } | null = null;

  constructor(parts: RootGuardParts) {
    this.#parts = parts;
    this.own = new OwnDirectory(parts.root);
    this.token = parts.token ?? randomBytes(16).toString('hex');
  }

  /** Throws where the folder can't be used; else our directory in it is there. False: it is known and away, and may come back. */
  open(): boolean {
    const { root, token } = this.#parts;
    if (token !== null && !this.isThere()) {
      if (!existsSync(root) || this.own.readMarker() === null) return false;
    }
    refuseUnusable(this.#parts);
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
    return isFolderAt(this.#parts.root, this.token);
  }

  #claim(): void {
    const { root, volume, deviceName } = this.#parts;
    const marker = this.own.readMarker();
    const isOurs =
      marker === null ||
      marker.token === this.token ||
      (marker.volume === volume.id && marker.device === deviceName);
    if (!isOurs) {
      throw new GodwitError(
        'folder-unusable',
        `${root} is already synced as volume “${marker.volumeName}” of device “${marker.device}”, by another data folder`,
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
      device: deviceName,
      token: this.token,
    };
    try {
      this.own.writeMarker(mine);
    } catch (error) {
      this.release();
      throw startupFailure(error, { path: root, code: 'folder-unusable' });
    }
  }

  /** For this process alone, until it ends. False: another has it. Where the disk keeps no locks nobody can tell. */
  #take(): boolean {
    try {
      this.#lock = this.#parts.host.lockFile(this.own.lockFile);
      return this.#lock !== null;
    } catch (error) {
      if (NO_LOCKS.has((error as NodeJS.ErrnoException).code ?? '')) return true;
      throw error;
    }
  }
}

/**
 * Makes the folder where it is missing, and throws where it can't be synced: `folder-unusable`, `in-the-way`, `folder-nested`, `disk-full`. It needs no
 * volume, so that it can be asked before a device is paired.
 */
export function refuseUnusable(
  parts: Pick<RootGuardParts, 'root' | 'dataDir' | 'nestedLook'>,
): void {
  makeUsable(parts.root, parts.dataDir);
  refuseNested(realpathSync(parts.root), parts.nestedLook);
}

/** Throws `folder-taken` where another daemon keeps the folder in sync at this moment. */
export function refuseTaken(root: string, host: Pick<Host, 'lockFile'>): void {
  const { lockFile } = new OwnDirectory(root);
  if (!existsSync(lockFile)) return;
  let lock: { release(): void } | null;
  try {
    lock = host.lockFile(lockFile);
  } catch {
    // A disk that keeps no locks, or a file that is not ours: the folder's own guard says so.
    return;
  }
  if (lock === null) throw new GodwitError('folder-taken', `another daemon keeps ${root} in sync`);
  lock.release();
}

function makeUsable(root: string, dataDir: string): void {
  try {
    mkdirSync(root, { recursive: true });
    if (!statSync(root).isDirectory()) throw new Error('it is no folder');
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    readdirSync(root);
  } catch (error) {
    throw startupFailure(error, { path: root, code: 'folder-unusable' });
  }
  if (isInside(realpathSync(root), realpathSync(dataDir))) {
    throw new GodwitError('folder-unusable', `the data folder ${dataDir} lies inside of ${root}`);
  }
}

/** Throws `folder-nested`. Nothing has to be there yet. */
export function refuseNested(root: string, nestedLook: number): void {
  for (let at = dirname(root); ; at = dirname(at)) {
    if (readMarker(at) !== null) {
      throw new GodwitError('folder-nested', `${root} lies inside the synced folder ${at}`);
    }
    if (at === dirname(at)) break;
  }
  const inner = findBelow(root, nestedLook);
  if (inner !== null) {
    throw new GodwitError('folder-nested', `there is a synced folder in ${root}: ${inner}`);
  }
}

function isInside(outer: string, inner: string): boolean {
  const way = relative(resolve(outer), resolve(inner));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** The first synced folder below, breadth first, as far as the bound goes. */
function findBelow(root: string, most: number): string | null {
  const open = [root];
  const below = mountsIn(root, systemMounts)?.below ?? new Map<string, string>();
  const hangs = new Set(
    [...below].filter(([, type]) => mayHang(type)).map(([path]) => join(root, path)),
  );
  for (let looked = 0; looked < most && looked < open.length; looked++) {
    const at = open[looked] ?? root;
    try {
      // Whether such a mount answers is not known yet, and who asks may wait for ever.
      if (hangs.has(at)) continue;
      if (at !== root && readMarker(at) !== null) return at;
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name !== OWN_DIRECTORY && open.length < most) {
          open.push(join(at, entry.name));
        }
      }
    } catch {
      // Not ours to read, or too deep for a name: then nothing is synced from there either.
    }
  }
  return null;
}

/**
 * Contents of remote versions, obtained ahead of the commit that needs them, each as a private file in our directory,
 * whole and synced to the disk, ready to be renamed into place.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Disk } from '../disk/disk.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Room } from '../disk/own-directories.ts';
import type { FolderLimits } from '../folder-limits.ts';

interface Obtained {
  path: string | null;
  /** The disk that it is on, or will be. */
  readonly disk: string;
  readonly ready: Promise<void>;
  /** It could not be put in place, and stays for the next try. */
  readonly isKept?: true;
}

/** A private file. */
export interface FetchedFile {
  readonly path: string;
  readonly disk: string;
}

export interface ContentsAheadParts {
  readonly feed: Feed;
  readonly files: Disk;
  readonly limits: Pick<FolderLimits, 'keptFiles' | 'keptBytes'>;
  readonly signal: AbortSignal;
}

/** Contents of one version of a vnode as the key of a map. */
export const contentsKey = ({ fid, version, digest }: VnodeStatus): string =>
  `${fid}@${version}@${digest ?? ''}`;

/** Whether an error says that a disk is full, or its quota used up. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'disk-full';
}

/** Obtains contents as private files before they are put in place. */
export class ContentsAhead {
  readonly #parts: ContentsAheadParts;
  readonly #obtained = new Map<string, Obtained>();
  /** Contents that are here and could not be put in place, by their files. */
  readonly #kept = new Map<Fid, VnodeStatus>();
  /** What came and has no room on the folder's disk yet stays on that of the data: it need not cross the line again. */
  readonly #arrived = new Map<string, { readonly status: VnodeStatus; readonly path: string }>();
  readonly #unwanted = new Set<string>();

  constructor(parts: ContentsAheadParts) {
    this.#parts = parts;
  }

  /** Nobody wants it any more, where it is here and not kept for the next try. */
  giveUp(status: VnodeStatus): void {
    if (this.#isKept(status)) return;
    const taken = this.take(status);
    if (taken !== null) this.discard(taken.path);
  }

  /** Nothing is being put in place: what was obtained and not taken is given up, on its way or here. */
  dropAll(): void {
    for (const [key, obtained] of this.#obtained) {
      if (obtained.isKept) continue;
      this.#obtained.delete(key);
      const drop = (): void => {
        if (obtained.path !== null) this.discard(obtained.path);
      };
      void obtained.ready.then(drop, () => undefined);
    }
  }

  /** Resolves when the contents are here, on the disk of that room. Rejects as `Feed.obtain` does, and `disk-full`. */
  async ready(status: VnodeStatus, room: Room): Promise<void> {
    await this.#begin(status, room).ready;
  }

  /** `disk`: left out, on any. */
  has(status: VnodeStatus, disk: string | null = null): boolean {
    const obtained = this.#obtained.get(contentsKey(status));
    if (obtained === undefined || obtained.path === null) return false;
    return disk === null || obtained.disk === disk;
  }

  /** Hands the file over. */
  take(status: VnodeStatus): FetchedFile | null {
    const key = contentsKey(status);
    const obtained = this.#obtained.get(key);
    const path = obtained?.path ?? null;
    if (obtained !== undefined && path !== null) {
      this.#obtained.delete(key);
      if (this.#isKept(status)) this.#kept.delete(status.fid);
      return { path, disk: obtained.disk };
    }
    return null;
  }

  /**
   * Takes contents back that could not be put in place for a reason of the disk: they stay for the next time, as far as the limits go. False: they are
   * given up.
   */
  keep(status: VnodeStatus, { path, disk }: FetchedFile): boolean {
    this.letGo(status.fid);
    // It has its place after all, and only what came then failed.
    if (!this.#parts.files.exists(path)) return true;
    if (!this.#mayKeep(status)) {
      this.discard(path);
      return false;
    }
    const ready = Promise.resolve();
    this.#obtained.set(contentsKey(status), { path, disk, ready, isKept: true });
    this.#kept.set(status.fid, status);
    return true;
  }

  /** What was kept of a file is nobody's wish any more. */
  letGo(fid: Fid): void {
    const kept = this.#kept.get(fid);
    const taken = kept === undefined ? null : this.take(kept);
    if (taken !== null) this.discard(taken.path);
    for (const [key, arrived] of this.#arrived) {
      if (arrived.status.fid !== fid) continue;
      this.#arrived.delete(key);
      this.discard(arrived.path);
    }
  }

  /** As far as the limits go, of all that waits for its place. */
  #mayKeep({ size }: VnodeStatus): boolean {
    const { keptFiles, keptBytes } = this.#parts.limits;
    const waiting = [
      ...this.#kept.values(),
      ...[...this.#arrived.values()].map((one) => one.status),
    ];
    const bytes = waiting.reduce((sum, each) => sum + each.size, 0);
    return waiting.length < keptFiles && bytes + size <= keptBytes;
  }

  #isKept(status: VnodeStatus): boolean {
    const kept = this.#kept.get(status.fid);
    return kept !== undefined && contentsKey(kept) === contentsKey(status);
  }

  /** Gives a file back that could not be put in place. What the disk does not let go of is tried again with the next one. */
  discard(path: string): void {
    this.#unwanted.add(path);
    for (const unwanted of this.#unwanted) {
      try {
        this.#parts.files.remove(unwanted);
        this.#unwanted.delete(unwanted);
      } catch {
        // It takes room and nothing else; the next start removes it at the latest.
      }
    }
  }

  #begin(status: VnodeStatus, room: Room): Obtained {
    const key = contentsKey(status);
    const known = this.#obtained.get(key);
    if (known?.disk === room.disk) return known;
    const obtained: Obtained = {
      path: null,
      disk: room.disk,
      ready: (known === undefined
        ? this.#obtain(status, room)
        : this.#carry(status, known, room)
      ).then(
        (path) => {
          obtained.path = path;
        },
        (error: unknown) => {
          this.#obtained.delete(key);
          throw error;
        },
      ),
    };
    this.#obtained.set(key, obtained);
    return obtained;
  }

  /** Its place is on another disk by now. */
  async #carry(status: VnodeStatus, known: Obtained, room: Room): Promise<string> {
    const { files } = this.#parts;
    await known.ready;
    const { path: from } = known;
    this.#kept.delete(status.fid);
    if (from === null) return this.#obtain(status, room);
    const path = room.temporary();
    try {
      await this.#bring(from, path, status.digest ?? '');
      return path;
    } catch (error) {
      await Promise.all([files.drop(path), files.drop(from)]);
      throw error;
    }
  }

  async #obtain(status: VnodeStatus, room: Room): Promise<string> {
    const { feed, files, signal } = this.#parts;
    const { fid, version, digest } = status;
    if (digest === null) throw new GodwitError('no-contents');
    const path = room.temporary();
    if (digest === EMPTY_DIGEST) {
      files.makeEmpty(path);
      return path;
    }
    const key = contentsKey(status);
    const arrived = this.#arrived.get(key);
    this.#arrived.delete(key);
    const from = arrived?.path ?? (await feed.obtain(fid, version, digest, signal)).path;
    try {
      await this.#bring(from, path, digest);
      return path;
    } catch (error) {
      await files.drop(path);
      if (isFull(error) && files.exists(from) && this.#mayKeep(status)) {
        this.#arrived.set(key, { status, path: from });
      } else await files.drop(from);
      throw error;
    }
  }

  /** Onto the folder's file system, and to the disk; long runs of zeros take no room there. */
  async #bring(from: string, to: string, digest: string): Promise<void> {
    const { files } = this.#parts;
    if (await this.#bringSparse(from, to, digest)) return;
    try {
      await files.move(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      const copied = await files.copyFile(from, to, { sync: true });
      await files.drop(from);
      if (copied.digest !== digest) throw new GodwitError('damaged-contents');
      return;
    }
    await files.syncFile(to);
  }

  /** False: it is brought as it is, also where there is no room for a copy beside it. */
  async #bringSparse(from: string, to: string, digest: string): Promise<boolean> {
    const { files } = this.#parts;
    try {
      if (!(await files.copySparse(from, to))) return false;
      const copied = await files.digestFile(to);
      if (copied.digest === digest) {
        await files.drop(from);
        return true;
      }
    } catch {
      // What is wrong with the disk shows when it is brought whole.
    }
    await files.drop(to);
    return false;
  }
}

/**
 * Contents of remote versions, obtained ahead of the commit that needs them, each as a private file in our directory,
 * whole and synced to the disk, ready to be renamed into place.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Fid } from '../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { OwnDirectory } from './own-directory.ts';
import { sparseCopy } from './sparse-copy.ts';

interface Obtained {
  readonly bytes: number;
  readonly fid: Fid;
  path: string | null;
  readonly ready: Promise<void>;
}

export interface ContentsAheadParts {
  readonly feed: Feed;
  readonly host: Host;
  readonly own: OwnDirectory;
  readonly limits: FolderLimits;
  readonly signal: AbortSignal;
}

export const contentsKey = ({ fid, version, digest }: VnodeStatus): string =>
  `${fid}@${version}@${digest ?? ''}`;

export class ContentsAhead {
  readonly #parts: ContentsAheadParts;
  readonly #obtained = new Map<string, Obtained>();
  #bytes = 0;
  /** Contents that are here and could not be put in place, by their files. */
  readonly #kept = new Map<Fid, string>();
  readonly #unwanted = new Set<string>();

  constructor(parts: ContentsAheadParts) {
    this.#parts = parts;
  }

  /** Begins with these, in order, as far as the limits go. */
  prefetch(statuses: readonly VnodeStatus[]): void {
    this.#dropOthers(statuses);
    const { aheadFiles, aheadBytes } = this.#parts.limits;
    for (const status of statuses) {
      if (this.#obtained.size >= aheadFiles) return;
      if (this.#obtained.size > 0 && this.#bytes + status.size > aheadBytes) return;
      // A failure shows when the contents are needed.
      this.#begin(status).ready.catch(() => undefined);
    }
  }

  /** What was obtained and then not wanted (a newer version came, or a change of ours) makes room. */
  #dropOthers(statuses: readonly VnodeStatus[]): void {
    if (this.#obtained.size < this.#parts.limits.aheadFiles) return;
    const wanted = new Set(statuses.map(contentsKey));
    for (const [key, { path, fid }] of this.#obtained) {
      if (path === null || wanted.has(key) || this.#kept.get(fid) === key) continue;
      this.#forget(key);
      this.discard(path);
    }
  }

  /** Nothing is being put in place: what was obtained and not taken is given up, on its way or here. */
  dropAll(): void {
    for (const [key, obtained] of this.#obtained) {
      if (this.#isKept(key, obtained)) continue;
      this.#forget(key);
      const drop = (): void => {
        if (obtained.path !== null) this.discard(obtained.path);
      };
      void obtained.ready.then(drop, () => undefined);
    }
  }

  /** Resolves when the contents are here. Rejects as `Feed.obtain` does, and `disk-full`. */
  async ready(status: VnodeStatus): Promise<void> {
    await this.#begin(status).ready;
  }

  has(status: VnodeStatus): boolean {
    return (this.#obtained.get(contentsKey(status))?.path ?? null) !== null;
  }

  /** Hands the file over. */
  take(status: VnodeStatus): string | null {
    const key = contentsKey(status);
    const path = this.#obtained.get(key)?.path ?? null;
    if (path !== null) {
      this.#forget(key);
      if (this.#kept.get(status.fid) === key) this.#kept.delete(status.fid);
    }
    return path;
  }

  /**
   * Takes contents back that could not be put in place for a reason of the disk: they stay for the next time, as far as the limits go. False: they are
   * given up.
   */
  keep(status: VnodeStatus, path: string): boolean {
    const { aheadFiles, aheadBytes } = this.#parts.limits;
    this.letGo(status.fid);
    // It has its place after all, and only what came then failed.
    if (!existsSync(path)) return true;
    const bytes = [...this.#kept.values()].reduce((sum, key) => sum + this.#bytesOf(key), 0);
    if (this.#kept.size >= aheadFiles || bytes + status.size > aheadBytes) {
      this.discard(path);
      return false;
    }
    const key = contentsKey(status);
    const { fid, size } = status;
    this.#obtained.set(key, { bytes: size, fid, path, ready: Promise.resolve() });
    this.#bytes += size;
    this.#kept.set(fid, key);
    return true;
  }

  /** What was kept of a file is nobody's wish any more. */
  letGo(fid: Fid): void {
    const key = this.#kept.get(fid);
    if (key === undefined) return;
    this.#kept.delete(fid);
    const path = this.#obtained.get(key)?.path ?? null;
    if (path === null) return;
    this.#forget(key);
    this.discard(path);
  }

  #bytesOf(key: string): number {
    return this.#obtained.get(key)?.bytes ?? 0;
  }

  #isKept(key: string, { fid }: Obtained): boolean {
    return this.#kept.get(fid) === key;
  }

  /** Gives a file back that could not be put in place. What the disk does not let go of is tried again with the next one. */
  discard(path: string): void {
    this.#unwanted.add(path);
    for (const unwanted of this.#unwanted) {
      try {
        rmSync(unwanted, { force: true });
        this.#unwanted.delete(unwanted);
      } catch {
        // It takes room and nothing else; the next start removes it at the latest.
      }
    }
  }

  #begin(status: VnodeStatus): Obtained {
    const key = contentsKey(status);
    const known = this.#obtained.get(key);
    if (known !== undefined) return known;
    this.#bytes += status.size;
    const obtained: Obtained = {
      bytes: status.size,
      fid: status.fid,
      path: null,
      ready: this.#obtain(status).then(
        (path) => {
          obtained.path = path;
        },
        (error: unknown) => {
          this.#forget(key);
          throw error;
        },
      ),
    };
    this.#obtained.set(key, obtained);
    return obtained;
  }

  #forget(key: string): void {
    const obtained = this.#obtained.get(key);
    if (obtained !== undefined && this.#obtained.delete(key)) this.#bytes -= obtained.bytes;
  }

  async #obtain(status: VnodeStatus): Promise<string> {
    const { feed, own, signal } = this.#parts;
    const { fid, version, digest } = status;
    if (digest === null) throw new GodwitError('no-contents');
    const path = own.temporary();
    if (digest === EMPTY_DIGEST) {
      closeSync(openSync(path, 'wx', 0o600));
      return path;
    }
    const found = await feed.obtain(fid, version, digest, signal);
    try {
      await this.#bring(found.path, path, digest);
      return path;
    } catch (error) {
      await Promise.all([rm(path, { force: true }), rm(found.path, { force: true })]);
      throw error;
    }
  }

  /** Onto the folder's file system, and to the disk; long runs of zeros take no room there. */
  async #bring(from: string, to: string, digest: string): Promise<void> {
    if (await this.#bringSparse(from, to, digest)) return;
    try {
      await rename(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      const copied = await this.#parts.host.copyFile(from, to, { sync: true });
      await rm(from, { force: true });
      if (copied.digest !== digest) throw new GodwitError('damaged-contents');
      return;
    }
    const file = await open(to, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** False: it is brought as it is, also where there is no room for a copy beside it. */
  async #bringSparse(from: string, to: string, digest: string): Promise<boolean> {
    try {
      if (!(await sparseCopy(from, to))) return false;
      const copied = await this.#parts.host.digestFile(to);
      if (copied.digest === digest) {
        await rm(from, { force: true });
        return true;
      }
    } catch {
      // What is wrong with the disk shows when it is brought whole.
    }
    await rm(to, { force: true });
    return false;
  }
}

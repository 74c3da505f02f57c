/**
 * A small disk for one laptop, without being root: the demo runs itself again in a user and a mount namespace of its own
 * (`unshare`), where it may mount a tmpfs. Where the system does not allow that, the demo goes on without it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runWithin } from '../run-within.ts';

/** Set where this is the second run, inside. */
const INSIDE = 'GODWIT_DEMO_OWN_MOUNTS';
const PIECE_BYTES = 256 * 1024;
/** With less than this share free it is called full, or with less than this in bytes: a daemon wants about as much to start. */
const FULL_SHARE = 0.02;
const FULL_BYTES = 4_500_000;

export function mayMount(): boolean {
  return process.env[INSIDE] === '1';
}

/** True where a process may have mounts of its own here. */
export function canHaveMounts(): boolean {
  if (process.platform !== 'linux' || mayMount()) return false;
  const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/tmp'], {
    stdio: 'ignore',
  });
  return tried.status === 0;
}

/** Runs `godwit ARGS` with mounts of its own, and resolves to its exit code. It ends with us, and as we do. */
export function runInside(args: readonly string[], signal: AbortSignal): Promise<number> {
  return runWithin(['unshare', '-rm'], args, { [INSIDE]: '1' }, signal);
}

/** Mounts a small tmpfs for a laptop, fills it and makes room again. */
export class SmallDisk {
  readonly #folder: string;
  readonly #ballast: string;
  #wasFullAt = Number.NEGATIVE_INFINITY;

  /** Null if it can't be made. */
  static mount(folder: string, bytes: number): SmallDisk | null {
    if (!mayMount()) return null;
    mkdirSync(folder, { recursive: true });
    const options = `size=${Math.ceil(bytes / 1024)}k,mode=700`;
    const done = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder], {
      stdio: 'ignore',
    });
    return done.status === 0 ? new SmallDisk(folder) : null;
  }

  private constructor(folder: string) {
    this.#folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  /** It is full, or was at some time since then, by `performance.now()`. */
  wasFull(since: number): boolean {
    const full = Math.max(FULL_BYTES, this.totalBytes * FULL_SHARE);
    if (this.freeBytes < full) this.#wasFullAt = performance.now();
    return this.#wasFullAt >= since;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize;
  }

  get totalBytes(): number {
    const { blocks, bsize } = statfsSync(this.#folder);
    return blocks * bsize;
  }

  /** Fills it, until this share of it is free. */
  fill(freeShare: number): void {
    this.release();
    const wanted = this.totalBytes * freeShare;
    try {
      for (let left = this.freeBytes - wanted; left > 0; left -= PIECE_BYTES) {
        writeFileSync(this.#ballast, Buffer.alloc(Math.min(left, PIECE_BYTES)), { flag: 'a' });
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** There is room again. */
  release(): void {
    // What it was until now is noted.
    this.wasFull(performance.now());
    writeFileSync(this.#ballast, '');
    truncateSync(this.#ballast, 0);
  }

  unmount(): void {
    rmSync(this.#ballast, { force: true });
    spawnSync('umount', ['-l', this.#folder], { stdio: 'ignore' });
  }
}

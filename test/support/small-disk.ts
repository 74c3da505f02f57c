/** A small file system of its own for a test, which can be filled to the last block. It is missing where nothing may be mounted. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PIECES = [1024 * 1024, 64 * 1024, 4096, 1];

/** A small mounted disk. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  static mount(folder: string, megabytes: number): SmallDisk | null {
    mkdirSync(folder, { recursive: true });
    const options = `size=${megabytes}m,mode=700`;
    const args = ['-t', 'tmpfs', '-o', options, 'none', folder];
    return spawnSync('mount', args, { stdio: 'ignore' }).status === 0
      ? new SmallDisk(folder)
      : null;
  }

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, 'filler');
  }

  /** Fills it to the last block. */
  fill(): void {
    for (const bytes of PIECES) {
      try {
        for (;;) appendFileSync(this.#filler, Buffer.alloc(bytes, 1));
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ENOSPC') throw error;
      }
    }
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.folder], { stdio: 'ignore' });
  }
}

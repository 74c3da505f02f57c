/** A small file system of its own for a test, which can be filled to the last block. It is missing where nothing may be mounted. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PUTS_AWAY } from '../../build/end-of-run.mjs';

const PIECES = [1024 * 1024, 64 * 1024, 4096, 1];

/** A small mounted disk. A process of its own unmounts it when whoever asked for it has gone, however that ended. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;
  readonly #keeper: ChildProcess;

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
    const script = 'trap "" INT TERM HUP; cat >/dev/null; umount -l "$0"';
    this.#keeper = spawn('sh', ['-c', script, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, [PUTS_AWAY]: '1' },
    });
    this.#keeper.unref();
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

  async unmount(): Promise<void> {
    const gone = once(this.#keeper, 'exit');
    this.#keeper.stdin?.end();
    await gone;
  }
}

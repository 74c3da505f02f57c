/**
 * Files of one folder that are made durable, with their names, as groups: the next one is what gathered while the last ones were synced. So
 * on a slow disk they are few and large, and a lone file waits for nobody. Two go side by side: one with a long file in it takes seconds.
 */
import type { Host } from '../../../shared/ports/host.ts';
import { MOST_SYNCED } from '../../limits.ts';

interface Waiting {
  readonly path: string;
  readonly done: (length: number) => void;
  readonly failed: (error: unknown) => void;
}

const SIDE_BY_SIDE = 2;

/**
 * Syncs files of one folder in groups: a group is what gathered while the one before was synced.
 */
export class GroupSync {
  readonly #folder: string;
  readonly #host: Pick<Host, 'syncPaths'>;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(folder: string, host: Pick<Host, 'syncPaths'>) {
    this.#folder = folder;
    this.#host = host;
  }

  /** Resolves with the file's length when it and its name survive a loss of power. Rejects as the disk does. */
  sync(path: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ path, done: resolve, failed: reject });
    if (this.#running < SIDE_BY_SIDE) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running += 1;
    // Those who ask in the same turn go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#sync(this.#waiting.splice(0, MOST_SYNCED));
    this.#running -= 1;
  }

  async #sync(group: readonly Waiting[]): Promise<void> {
    try {
      const paths = group.map(({ path }) => path);
      const ends = await this.#host.syncPaths([...paths, this.#folder]);
      const named = ends.at(-1);
      if (named instanceof Error) throw named;
      for (const [index, { done, failed }] of group.entries()) {
        const end = ends[index];
        if (typeof end === 'number') done(end);
        else failed(end);
      }
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }
}

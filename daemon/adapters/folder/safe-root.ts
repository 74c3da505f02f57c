/**
 * The folder's root, and the only way beneath it (rule F2): every component is opened without following links, and what
 * is done is done relative to the directory that was opened, not to its name. A peer, or the user, may have swapped
 * a directory for a link a moment ago.
 *
 * Where the system shows open directories as paths (Linux: /proc/self/fd) nothing can come between check and act;
 * elsewhere each component is checked right before. All calls are synchronous on purpose: nothing of ours comes
 * between either.
 */
import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { factsAt, factsOf, type DiskFacts } from './disk-facts.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const OPEN_DIRECTORY = O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0);
const FD_PATHS = existsSync('/proc/self/fd');

/** The way to a directory is not what the records say: it is gone, or something else stands there. */
export class PathChanged extends Error {
  /** Components of the first place that is not the directory it should be. */
  readonly at: readonly string[];
  constructor(at: readonly string[]) {
    super(`not a directory any more: ${at.join('/')}`);
    this.name = 'PathChanged';
    this.at = at;
  }
}

export class SafeRoot {
  readonly path: string;
  #device: bigint | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** The root's device, as of the first time it was there. */
  get device(): bigint {
    if (this.#device === null) {
      const fd = openSync(this.path, O_RDONLY | (O_DIRECTORY ?? 0));
      try {
        this.#device = fstatSync(fd, { bigint: true }).dev;
      } finally {
        closeSync(fd);
      }
    }
    return this.#device;
  }

  /** Forgets the device: the root was found again after it had been away. */
  refresh(): void {
    this.#device = null;
  }

  join(...components: string[]): string {
    return join(this.path, ...components);
  }

  /**
   * Runs `act` with a path that stands for the directory for as long as `act` runs, and the directory's facts.
   * Throws PathChanged where the way is not one of directories.
   */
  within<T>(components: readonly string[], act: (base: string, directory: DiskFacts) => T): T {
    const device = this.device;
    let fd = openRoot(this.path);
    let plain = this.path;
    try {
      for (let depth = 0; depth < components.length; depth++) {
        const name = components[depth] ?? '';
        const next = openChild(FD_PATHS ? `/proc/self/fd/${fd}/${name}` : `${plain}/${name}`);
        if (next === null) throw new PathChanged(components.slice(0, depth + 1));
        closeSync(fd);
        fd = next;
        plain = `${plain}/${name}`;
      }
      const directory = factsOf(fstatSync(fd, { bigint: true }), device);
      return act(FD_PATHS ? `/proc/self/fd/${fd}` : plain, directory);
    } finally {
      closeSync(fd);
    }
  }

  /** The facts of a name in a directory; null: nothing is there, or the way is not one. */
  facts(directory: readonly string[], name: string): DiskFacts | null {
    try {
      return this.within(directory, (base) => factsAt(`${base}/${name}`, this.device));
    } catch (error) {
      if (error instanceof PathChanged) return null;
      throw error;
    }
  }
}

/** The root itself may be reached through links: it is the user's choice, not a peer's. */
function openRoot(path: string): number {
  try {
    return openSync(path, O_RDONLY | (O_DIRECTORY ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new PathChanged([]);
    throw error;
  }
}

function openChild(path: string): number | null {
  try {
    return openSync(path, OPEN_DIRECTORY);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}

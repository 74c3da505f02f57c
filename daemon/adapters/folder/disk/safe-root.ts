/**
 * The folder's root, and the only way beneath it (rule F2): no link is followed, nothing outside is reached, and what is
 * done is done relative to what was opened, not to its name. A peer, or the user, may have swapped a directory for a link a
 * moment ago.
 *
 * On Linux the way is opened in one step (openat2), or component by component where the kernel has no such call or the way is
 * longer than one call takes; and an open directory or file is a path itself (/proc/self/fd), so nothing can come between
 * check and act. Elsewhere each component is checked right before. All calls but `reading` are synchronous on purpose:
 * nothing of ours comes between either.
 */
import { join } from 'node:path';
import type { Disk, DiskHandles, DiskLooks } from './disk.ts';
import { factsAt, factsOf, kindOf, type DiskFacts } from './disk-facts.ts';
import { PathChanged, silence } from './path-changed.ts';
import { MAX_PATH_BYTES } from './path-errors.ts';

/** What the kernel says that has no openat2, or a sandbox that forbids it. */
const NO_SUCH_CALL = new Set(['ENOSYS', 'EPERM', 'ENOTSUP']);
const NOT_THE_WAY = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EINVAL', 'EXDEV', 'ENXIO']);

/** What of the disk is asked for the way. */
export type RootFiles = DiskHandles & DiskLooks & Pick<Disk, 'openBeneath'>;

/** Reaches files and directories beneath the root without following a link. */
export class SafeRoot {
  readonly path: string;
  /** The path lies on a disk that does not answer: then nothing is asked of it. */
  isSilent: (path: readonly string[]) => boolean = () => false;
  readonly #files: RootFiles;
  #device: bigint | null = null;
  #inOneStep: boolean;

  constructor(path: string, files: RootFiles) {
    this.path = path;
    this.#files = files;
    this.#inOneStep = files.hasHandlePaths;
  }

  /** The root's device, as of the first time it was there. */
  get device(): bigint {
    if (this.#device === null) {
      const handle = this.#files.openRoot(this.path);
      try {
        this.#device = this.#files.statusOf(handle).dev;
      } finally {
        this.#files.close(handle);
      }
    }
    return this.#device;
  }

  /** Forgets the device: the root was found again after it had been away. */
  refresh(): void {
    this.#device = null;
  }

  /** No program could open it by its whole path. */
  isTooLong(components: readonly string[]): boolean {
    if (components.length * 256 + this.path.length < MAX_PATH_BYTES) return false;
    return Buffer.byteLength(this.join(...components)) > MAX_PATH_BYTES;
  }

  join(...components: string[]): string {
    return join(this.path, ...components);
  }

  /**
   * Runs `act` with a path that stands for the directory for as long as `act` runs, and the directory's facts.
   * Throws PathChanged where the way is not one of directories.
   */
  within<T>(components: readonly string[], act: (base: string, directory: DiskFacts) => T): T {
    if (this.isSilent(components)) throw silence();
    const { device } = this;
    const handle = this.#open(components, 'directory') ?? this.#walk(components);
    try {
      const directory = factsOf(this.#files.statusOf(handle), device);
      return act(this.#standsFor(handle, components), directory);
    } finally {
      this.#files.close(handle);
    }
  }

  /**
   * Runs `act` with a path that stands for a regular file, whatever becomes of its names meanwhile, its facts, and what gives them
   * anew. Rejects with PathChanged where there is none.
   */
  async reading<T>(
    components: readonly string[],
    act: (path: string, facts: DiskFacts, again: () => DiskFacts) => Promise<T>,
  ): Promise<T> {
    if (this.isSilent(components)) throw silence();
    const { device } = this;
    const handle = this.#open(components, 'file') ?? this.#openFile(components);
    try {
      const status = this.#files.statusOf(handle);
      if (kindOf(status) !== 'file') throw new PathChanged(components);
      const again = (): DiskFacts => factsOf(this.#files.statusOf(handle), device);
      return await act(this.#standsFor(handle, components), factsOf(status, device), again);
    } finally {
      this.#files.close(handle);
    }
  }

  /** The facts of what stands at an absolute path, links not followed; null: nothing is there. */
  factsAt(path: string): DiskFacts | null {
    return factsAt(this.#files, path, this.device);
  }

  /** The facts of a name in a directory; null: nothing is there, the way is not one, or it may not be gone. */
  facts(directory: readonly string[], name: string): DiskFacts | null {
    if (this.isSilent([...directory, name])) throw silence();
    try {
      return this.within(directory, (base) => this.factsAt(`${base}/${name}`));
    } catch (error) {
      if (error instanceof PathChanged || codeOf(error) === 'EACCES') return null;
      throw error;
    }
  }

  /** Nothing is there, for certain. */
  isGone(path: readonly string[]): boolean {
    try {
      return this.facts(path.slice(0, -1), path.at(-1) ?? '') === null;
    } catch {
      return false;
    }
  }

  /** null: nothing is there, or nothing can be told of it. */
  factsOrNull(path: readonly string[]): DiskFacts | null {
    try {
      return this.facts(path.slice(0, -1), path.at(-1) ?? '');
    } catch {
      return null;
    }
  }

  /** null: not in one step; walking finds out why, or gets there. */
  #open(components: readonly string[], as: 'directory' | 'file'): number | null {
    if (!this.#inOneStep) return null;
    try {
      return this.#files.openBeneath(this.path, components.join('/'), as);
    } catch (error) {
      if (NO_SUCH_CALL.has(codeOf(error))) this.#inOneStep = false;
      return null;
    }
  }

  #standsFor(handle: number, components: readonly string[]): string {
    return this.#files.hasHandlePaths ? this.#files.pathOf(handle) : this.join(...components);
  }

  /** The root itself may be reached through links: it is the user's choice, not a peer's. */
  #walk(components: readonly string[]): number {
    const files = this.#files;
    let handle = openNext(() => files.openRoot(this.path), []);
    let plain = this.path;
    try {
      for (let depth = 0; depth < components.length; depth++) {
        const name = components[depth] ?? '';
        const at = `${files.hasHandlePaths ? files.pathOf(handle) : plain}/${name}`;
        const next = openNext(() => files.openDirectory(at), components.slice(0, depth + 1));
        files.close(handle);
        handle = next;
        plain = `${plain}/${name}`;
      }
      return handle;
    } catch (error) {
      files.close(handle);
      throw error;
    }
  }

  /** Where nothing stands for a file without opening it, what is no regular file is found out first. */
  #openFile(components: readonly string[]): number {
    const name = components.at(-1) ?? '';
    return this.within(components.slice(0, -1), (base) => {
      const path = `${base}/${name}`;
      if (this.factsAt(path)?.kind !== 'file') throw new PathChanged(components);
      return openNext(() => this.#files.openEntry(path), components);
    });
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

function openNext(open: () => number, at: readonly string[]): number {
  try {
    return open();
  } catch (error) {
    if (NOT_THE_WAY.has(codeOf(error))) throw new PathChanged(at);
    throw error;
  }
}

/**
 * Watches each directory by itself (inotify): one watch for a directory, none for files, nothing remembered of files.
 *
 * Invariants
 * 1. A directory is watched before it is listed, so that what appears in between is not missed.
 * 2. A watch follows its inode, not its name: when a name has another inode, the watches beneath the name go.
 * 3. A directory of the folder is watched, or ignored, or it (or one that it lies in) is `missing`, with the reason.
 */
import { join } from 'node:path';
import type { DirectoryEvent, DirectoryWatches } from '../../../../shared/ports/host.ts';
import type { Disk, DirectoryEntry } from '../disk/disk.ts';
import type { LetOthersRun } from '../yielder.ts';
import type { WatchHandlers, Watcher } from './watcher.ts';

/** What a watch of directories asks of the disk. */
export type WatchedFiles = Pick<
  Disk,
  'hasDirectoryWatches' | 'watchDirectories' | 'entryAt' | 'directoriesIn'
>;

/** What a watch stands on. */
export interface WatchGround {
  readonly files: WatchedFiles;
  readonly letOthersRun: LetOthersRun;
}

/** Directories watched between two turns of other work. */
const SLICE = 100;

/** Gone again, or no directory. Too deep for a name: it is not synced. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

interface Watched {
  readonly watch: number;
  readonly inode: bigint;
  /** Names of directories in it that are watched. */
  readonly children: Set<string>;
}

/** Watches the folder with one inotify watch for each directory. */
export class DirectoryWatcher implements Watcher {
  readonly ready: Promise<void>;
  readonly missing = new Map<string, string>();
  readonly #root: string;
  readonly #handlers: WatchHandlers;
  readonly #files: WatchedFiles;
  readonly #letOthersRun: LetOthersRun;
  readonly #watched = new Map<string, Watched>();
  /** A directory may have several names: it may be mounted at another, too. */
  readonly #paths = new Map<number, Set<string>>();
  #watches: DirectoryWatches | null = null;
  #isClosed = false;

  constructor(root: string, { files, letOthersRun }: WatchGround, handlers: WatchHandlers) {
    this.#root = root;
    this.#files = files;
    this.#letOthersRun = letOthersRun;
    this.#handlers = handlers;
    this.ready = this.#watchAll(['']);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#watches?.close();
    this.#watched.clear();
    this.#paths.clear();
    return Promise.resolve();
  }

  async again(): Promise<void> {
    await this.ready;
    const paths = [...this.missing.keys()];
    await this.#watchAll(paths);
    for (const path of paths) if (!this.missing.has(path)) this.#handlers.hint(path, true);
  }

  heard(): Promise<void> {
    return this.#watches?.hear?.() ?? Promise.resolve();
  }

  async #watchAll(paths: readonly string[]): Promise<void> {
    const open = [...paths];
    for (let count = 1; open.length > 0 && !this.#isClosed; count++) {
      open.push(...this.#watch(open.pop() ?? ''));
      if (count % SLICE === 0) await this.#letOthersRun();
    }
  }

  /** Watches a directory; the directories in it are returned. */
  #watch(path: string): string[] {
    const full = join(this.#root, path);
    this.missing.delete(path);
    try {
      const entry = this.#files.entryAt(full);
      const isRoot = path === '';
      if ((!entry.isDirectory && !isRoot) || this.#watched.has(path)) return [];
      this.#watches ??= this.#files.watchDirectories({
        happened: (event) => this.#happened(event),
        lost: () => this.#handlers.lost('the queue of events ran over'),
      });
      const watch = this.#watches.add(full, isRoot);
      this.#watched.set(path, { watch, inode: entry.inode, children: new Set() });
      const paths = this.#paths.get(watch) ?? new Set();
      this.#paths.set(watch, paths.add(path));
      if (!isRoot) this.#watched.get(above(path))?.children.add(last(path));
      return this.#files
        .directoriesIn(full)
        .map((name) => below(path, name))
        .filter((child) => !this.#handlers.isIgnored(child.split('/'), true));
    } catch (error) {
      this.#forget(path);
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (!NOT_THERE.has(code)) this.missing.set(path, code);
      return [];
    }
  }

  #happened({ watch, name, isDirectory, isEnded }: DirectoryEvent): void {
    if (this.#isClosed) return;
    for (const path of [...(this.#paths.get(watch) ?? [])]) {
      if (isEnded) this.#ended(path);
      else if (name === null) this.#handlers.hint(path, false);
      else this.#changed(below(path, name), isDirectory);
    }
  }

  /**
   * Of its own: whether something else stands there tells the directory that it is in, but where it was unmounted, or where what was made in its place has
   * its number.
   */
  #ended(path: string): void {
    this.#forget(path);
    this.#watchNow(path);
    if (this.#watched.has(path)) this.#handlers.another(path);
  }

  /** With all below it. */
  #watchNow(path: string): void {
    const before = this.missing.size;
    const open = [path];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      open.push(...this.#watch(next));
    }
    if (this.missing.size > before) this.#handlers.missed();
  }

  #changed(path: string, isDirectory: boolean): void {
    this.#handlers.hint(path, false);
    const watched = this.#watched.get(path);
    if (!isDirectory && watched === undefined) return;
    const entry = this.#entryAt(path);
    const isThere = entry?.isDirectory === true;
    if (watched !== undefined && (!isThere || entry?.inode !== watched.inode)) this.#forget(path);
    if (!isThere) return this.#forgetMissing(path);
    if (this.#watched.has(path) || this.#handlers.isIgnored(path.split('/'), true)) return;
    this.#watchNow(path);
    this.#handlers.hint(path, true);
  }

  /** null: nothing is there, or it can't be known. */
  #entryAt(path: string): DirectoryEntry | null {
    try {
      return this.#files.entryAt(join(this.#root, path));
    } catch {
      return null;
    }
  }

  #forget(path: string): void {
    const watched = this.#watched.get(path);
    if (watched === undefined) return;
    this.#watched.delete(path);
    const paths = this.#paths.get(watched.watch);
    paths?.delete(path);
    if (paths?.size === 0) {
      this.#paths.delete(watched.watch);
      this.#watches?.remove(watched.watch);
    }
    this.#watched.get(above(path))?.children.delete(last(path));
    for (const name of [...watched.children]) this.#forget(below(path, name));
  }

  #forgetMissing(path: string): void {
    for (const other of this.missing.keys()) {
      if (other === path || other.startsWith(`${path}/`)) this.missing.delete(other);
    }
  }
}

function below(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`;
}

function above(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function last(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

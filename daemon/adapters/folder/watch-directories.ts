/**
 * Watches each directory by itself (inotify): one watch for a directory, none for files, nothing remembered of files.
 *
 * Invariants
 * 1. A directory is watched before it is listed, so that what appears in between is not missed.
 * 2. A watch follows its inode, not its name: when a name has another inode, the watches beneath the name go.
 */
import { lstatSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import type { WatchHandlers, Watcher } from './watcher.ts';

/** Directories watched between two turns of other work. */
const SLICE = 100;

/** Gone again, or not ours to read: the look says so. Too deep for a name: `flush` and the hourly look find what changes there. */
const NOT_WATCHED = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG']);

interface Watched {
  readonly watch: FSWatcher;
  readonly inode: bigint;
  /** Names of directories in it that are watched. */
  readonly children: Set<string>;
}

export class DirectoryWatcher implements Watcher {
  readonly ready: Promise<void>;
  readonly #root: string;
  readonly #handlers: WatchHandlers;
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  constructor(root: string, handlers: WatchHandlers) {
    this.#root = root;
    this.#handlers = handlers;
    this.ready = this.#begin();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const { watch } of this.#watched.values()) watch.close();
    this.#watched.clear();
    return Promise.resolve();
  }

  async #begin(): Promise<void> {
    const open = [''];
    for (let count = 1; open.length > 0 && !this.#isClosed; count++) {
      open.push(...this.#watch(open.pop() ?? ''));
      if (count % SLICE === 0) await setImmediate();
    }
  }

  /** Watches a directory; the directories in it are returned. */
  #watch(path: string): string[] {
    const full = join(this.#root, path);
    try {
      const stats = lstatSync(full, { bigint: true });
      const isRoot = path === '';
      if ((!stats.isDirectory() && !isRoot) || this.#watched.has(path)) return [];
      const watcher = watch(full, { persistent: true, recursive: false });
      watcher.on('change', (_event, name) => this.#changed(path, String(name)));
      watcher.on('error', (error) => this.#failed(path, error));
      this.#watched.set(path, { watch: watcher, inode: stats.ino, children: new Set() });
      if (!isRoot) this.#watched.get(above(path))?.children.add(last(path));
      return readdirSync(full, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => below(path, entry.name))
        .filter((child) => !this.#handlers.isIgnored(child.split('/'), true));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (!NOT_WATCHED.has(code ?? '')) this.#failed(path, error);
      return [];
    }
  }

  #changed(dir: string, name: string): void {
    if (this.#isClosed) return;
    const path = below(dir, name);
    const watched = this.#watched.get(path);
    const stats = lstatOrNull(join(this.#root, path));
    const isDirectory = stats?.isDirectory() === true;
    if (watched !== undefined && (!isDirectory || stats?.ino !== watched.inode)) this.#forget(path);
    this.#handlers.hint(path, false);
    if (!isDirectory || this.#watched.has(path)) return;
    if (this.#handlers.isIgnored(path.split('/'), true)) return;
    const open = [path];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      open.push(...this.#watch(next));
    }
    this.#handlers.hint(path, true);
  }

  #forget(path: string): void {
    const watched = this.#watched.get(path);
    if (watched === undefined) return;
    watched.watch.close();
    this.#watched.delete(path);
    this.#watched.get(above(path))?.children.delete(last(path));
    for (const name of [...watched.children]) this.#forget(below(path, name));
  }

  #failed(path: string, error: unknown): void {
    if (this.#isClosed) return;
    this.#forget(path);
    this.#handlers.failed(error);
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

function lstatOrNull(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * Watches by chokidar. Besides its own events its raw ones are taken: they tell of changes that it does not report (modes,
 * attributes), and earlier.
 */
import { join, relative, sep } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import type { WatchHandlers, Watcher } from './watcher.ts';

/** Watches the folder with chokidar. */
export class ChokidarWatcher implements Watcher {
  readonly #root: string;
  readonly #watcher: FSWatcher;
  readonly ready: Promise<void>;
  /** It keeps to itself which. */
  readonly missing: ReadonlyMap<string, string> = new Map();
  #isReady: () => void = () => undefined;

  constructor(root: string, handlers: WatchHandlers) {
    this.#root = root;
    this.#watcher = watch(root, {
      followSymlinks: false,
      ignoreInitial: true,
      atomic: false,
      alwaysStat: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => {
        const below = this.#below(path);
        return (
          below !== null &&
          below !== '' &&
          handlers.isIgnored(below.split('/'), stats?.isDirectory() === true)
        );
      },
    });
    const hint = (path: string, isNewWatch = false): void => {
      const below = this.#below(path);
      if (below !== null) handlers.hint(below, isNewWatch);
    };
    this.#watcher.on('all', (event, path) => hint(path, event === 'addDir'));
    this.#watcher.on('raw', (_event, name, details) => {
      const { watchedPath } = (details ?? {}) as { watchedPath?: string };
      if (typeof name !== 'string' || typeof watchedPath !== 'string') return;
      // For a directory's own watch `name` is what changed in it; for a file's it is the file itself.
      if (watchedPath.endsWith(`${sep}${name}`)) hint(watchedPath);
      hint(join(watchedPath, name));
    });
    this.#watcher.on('error', (error) => handlers.lost(String(error)));
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
    this.#watcher.once('ready', () => this.#isReady());
  }

  again(): Promise<void> {
    return Promise.resolve();
  }

  /** It does not tell. */
  heard(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#watcher.close();
    this.#isReady();
  }

  /** The path below the root, with slashes; null: it is not below. */
  #below(path: string): string | null {
    const below = relative(this.#root, path);
    if (below === '..' || below.startsWith(`..${sep}`)) return null;
    return sep === '/' ? below : below.split(sep).join('/');
  }
}

/** What a watcher tells, and how it is ended. */
export interface WatchHandlers {
  /** Left alone: not watched at all. */
  isIgnored(path: readonly string[], isDirectory: boolean): boolean;
  /**
   * A path below the root, with slashes; '' is the root. `isNewWatch`: a directory that is watched since now, so what
   * happened in it a moment ago may have been missed.
   */
  hint(path: string, isNewWatch: boolean): void;
  /** Events may have been lost. */
  failed(error: unknown): void;
}

export interface Watcher {
  /** Resolves when everything is watched, or the watcher is closed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export type WatchBy = 'chokidar' | 'directories';

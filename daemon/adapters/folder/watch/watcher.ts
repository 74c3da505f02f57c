/** What a watcher tells, and how it is ended. */
export interface WatchHandlers {
  /** Left alone: not watched at all. */
  isIgnored(path: readonly string[], isDirectory: boolean): boolean;
  /**
   * A path below the root, with slashes; '' is the root. `isNewWatch`: a directory that is watched since now, so what
   * happened in it a moment ago may have been missed.
   */
  hint(path: string, isNewWatch: boolean): void;
  /**
   * A watch has ended, and by its path another directory may be watched since now. All in it may be other things, whatever numbers they have; that
   * something is missing there nobody has seen.
   */
  another(path: string): void;
  /** A directory that has come can't be watched: `missing` has it, or one more below it. */
  missed(): void;
  /** Events were lost: of anything, and so may be what is watched. */
  lost(reason: string): void;
}

export interface Watcher {
  /** Resolves when everything is watched that can be, or the watcher is closed. */
  readonly ready: Promise<void>;
  /** Directories that can't be watched, by their paths, and why (an errno): what changes there or beneath is told to nobody. */
  readonly missing: ReadonlyMap<string, string>;
  /** Tries those again. What is watched then is hinted. */
  again(): Promise<void>;
  /** Resolves when all is hinted that has happened by now, as far as that can be known. */
  heard(): Promise<void>;
  close(): Promise<void>;
}

export type WatchBy = 'chokidar' | 'directories';

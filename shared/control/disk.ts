/** What a daemon takes of the disk, by kind: in bytes, as `du` counts. */
export interface DaemonDiskUse {
  /** Contents that the server has too: fetched again where they go. */
  readonly cache: FileUse;
  /** Contents that the server has not confirmed yet. */
  readonly toSend: FileUse;
  /** Contents being received, sent in part, or written. */
  readonly moving: number;
  /** What was replaced a moment ago, and what is kept for people (`lost+found`): in the data folder and in the synced folder's own. */
  readonly held: number;
  readonly database: number;
  readonly logs: number;
  /** Folders, settings, and what is of no kind. */
  readonly rest: number;
  /** The files of the synced folder that are there in full, by their sizes. Left out: there is no folder, or the daemon is an older one. */
  readonly folder?: FileUse;
  /** All but `folder`. The synced folder is not among it: its files are yours. */
  readonly total: number;
  /** Of the disk with the data folder. */
  readonly free: number;
}

export interface FileUse {
  readonly files: number;
  readonly bytes: number;
}

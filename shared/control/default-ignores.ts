/**
 * What is never worth syncing; it comes before the folder's own `.godwitignore` (a `!pattern` there takes one back).
 * Short on purpose: what a person may have named so, or would miss, is not here. Each with its reason; the window shows this list, and docs/guide/ignored.md has the same.
 */

export const IGNORE_FILE = '.godwitignore';

export const DEFAULT_IGNORES: ReadonlyArray<readonly [pattern: string, why: string]> = [
  ['.DS_Store', 'macOS keeps the look of a window in it'],
  ['._*', 'macOS keeps attributes in it where the file system has none'],
  ['.Spotlight-V100/', "macOS's search index"],
  ['.Trashes/', "macOS's bin of a volume"],
  ['.fseventsd/', "macOS's log of changes"],
  ['Thumbs.db', "Windows' previews"],
  ['$RECYCLE.BIN/', "Windows' bin"],
  ['System Volume Information/', "Windows' own"],
  ['.Trash-*/', "the desktops' bin of a volume"],
  ['/lost+found/', "the file system's own, in its root"],
  [`.nfs${'?'.repeat(24)}`, 'NFS keeps a removed file under it while it is open'],
  ['.fuse_hidden*', 'FUSE keeps a removed file under it while it is open'],
  ['*.db-shm', "SQLite's shared memory of one machine: made anew from the log beside it"],
  ['*.sqlite-shm', 'the same'],
  ['*.sqlite3-shm', 'the same'],
  ['.goutputstream-*', 'GLib writes a file under it before it renames it'],
  ['*.crdownload', 'a download of a browser that is not whole: it is renamed when it is'],
];

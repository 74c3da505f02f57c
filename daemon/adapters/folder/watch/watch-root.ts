/**
 * The watcher: tells which paths may have changed. Its events are hints only; what happened is found by looking.
 *
 * Two ways, behind one interface. chokidar, which sits on what each system has (FSEvents, ReadDirectoryChanges); and, on
 * Linux, a watch on each directory of our own: on every event in a directory chokidar reads it anew and keeps a record
 * of every file, which for 100,000 files is 350 MB, and for 5,000 files put into one directory four times the time.
 */
import type { Host } from '../../../../shared/ports/host.ts';
import { ChokidarWatcher } from './watch-chokidar.ts';
import { DirectoryWatcher } from './watch-directories.ts';
import type { WatchBy, WatchHandlers, Watcher } from './watcher.ts';

export function watchRoot(
  root: string,
  host: Pick<Host, 'watchDirectories'>,
  by: WatchBy | undefined,
  handlers: WatchHandlers,
): Watcher {
  const way = by ?? (process.platform === 'linux' ? 'directories' : 'chokidar');
  return way === 'chokidar'
    ? new ChokidarWatcher(root, handlers)
    : new DirectoryWatcher(root, host, handlers);
}

/**
 * Keeps the folder watched, and looks where no watch tells: at once where events were lost, and again and again where a directory has no watch,
 * or lies where others change things that this machine is not told of.
 *
 * Invariants
 * 1. From the moment that events were lost until everything was watched anew and looked at, the folder counts as unsettled, and says so.
 * 2. While something is watched by nobody, everything is looked at every `poll`, and that is said.
 * 3. What is mounted in the folder is watched as it is mounted: when that changes, all of it is watched anew.
 */
import { milliseconds, type Duration } from '../../../../shared/model/time.ts';
import type { Background } from '../background.ts';
import type { FolderParts, FolderRooms } from '../build-folder.ts';
import { isChangedElsewhere } from '../disk/mount-table.ts';
import { ChokidarWatcher } from './watch-chokidar.ts';
import { DirectoryWatcher } from './watch-directories.ts';
import type { WatchBy, WatchHandlers, Watcher } from './watcher.ts';
import type { Host } from '../../../../shared/ports/host.ts';

export interface WatchingDriver {
  readonly background: Background;
  /** It has begun: what is found may be looked at. */
  readonly isStarted: () => boolean;
  readonly hint: (path: string, how: { live: boolean; deep?: boolean }) => void;
  /** Looks at everything, if the root is there. */
  readonly look: () => Promise<void>;
  readonly changed: () => void;
}

type Parts = Pick<FolderParts, 'root' | 'host' | 'watchBy' | 'limits' | 'log' | 'clock'>;
type Rooms = Pick<FolderRooms, 'board' | 'ignored' | 'mounts' | 'disks' | 'answers'>;

/** Looking takes this share of the time at most. */
const POLL_SHARE = 20;

export class Watching {
  readonly #parts: Parts;
  readonly #rooms: Rooms;
  readonly #driver: WatchingDriver;
  #watcher: Watcher | null = null;
  /** Counts up with each loss; what was looked at since is `#seen`. */
  #losses = 0;
  #seen = 0;

  constructor(parts: Parts, rooms: Rooms, driver: WatchingDriver) {
    this.#parts = parts;
    this.#rooms = rooms;
    this.#driver = driver;
  }

  /** Something may have changed that nobody has looked at. */
  get isUnseen(): boolean {
    return this.#losses !== this.#seen;
  }

  /** Everything is watched from now on that can be. Until then the watches before are still there. */
  async anew(): Promise<void> {
    const { root, host, watchBy } = this.#parts;
    const { ignored, answers } = this.#rooms;
    const { signal } = this.#driver.background;
    signal.throwIfAborted();
    await this.#rooms.answers.check();
    const before = this.#watcher;
    const watcher = watchRoot(root.path, host, watchBy, {
      isIgnored: (path, isDirectory) =>
        answers.isSilent(path) || ignored.isIgnored(path, isDirectory),
      hint: (path, isNewWatch) => this.#driver.hint(path, { live: true, deep: isNewWatch }),
      lost: (reason) => this.#lost(reason),
    });
    this.#watcher = watcher;
    await watcher.ready;
    await before?.close();
    // The watches before took some of those there are.
    if (before !== null && watcher.missing.size > 0) await watcher.again();
    this.#sayMissing();
    if (before !== null && !signal.aborted) await this.#driver.look();
  }

  /** From the start on. */
  begin(): void {
    this.#watchMounts();
    this.#poll(0);
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }

  /** Something else is mounted than before. */
  mountsChanged(): void {
    this.#rooms.disks.refresh();
    if (!this.#driver.isStarted()) return;
    this.#driver.background.after('mounted', milliseconds(0), async () => {
      await this.anew();
      this.#poll(0);
    });
  }

  #lost(reason: string): void {
    const { log } = this.#parts;
    this.#losses += 1;
    if (this.#losses - this.#seen > 1) return;
    log.warn('events of the folder were lost: everything is looked at', { reason });
    this.#rooms.board.set('changes-missed', null);
    this.#driver.changed();
    this.#lookSoon(milliseconds(0));
  }

  #lookSoon(pause: Duration): void {
    const { background, isStarted, changed } = this.#driver;
    const { limits } = this.#parts;
    background.after('lost', pause, async () => {
      const losses = this.#losses;
      try {
        if (!isStarted()) return;
        await this.anew();
        this.#seen = losses;
      } finally {
        if (this.isUnseen) this.#lookSoon(limits.lostPause);
        else this.#rooms.board.clear('changes-missed', null);
        changed();
      }
    });
  }

  /** What is mounted is read by whoever looks at files; what comes or goes while all is quiet, is seen here. */
  #watchMounts(): void {
    const { background, hint } = this.#driver;
    const { mounts } = this.#rooms;
    background.after('mounts', this.#parts.limits.mountLook, () => {
      this.#watchMounts();
      if (mounts.read()) this.mountsChanged();
      background.later(() => this.#rooms.answers.check());
      // Where nobody tells what is mounted.
      if (mounts.here !== null) return;
      for (const path of mounts.away()) hint(path.join('/'), { live: false, deep: true });
    });
  }

  /** `took`: how long the last look was, in milliseconds. */
  #poll(took: number): void {
    const { limits, clock } = this.#parts;
    const { background, look } = this.#driver;
    const isNeeded = this.#sayMissing();
    background.cancel('poll');
    const pause = milliseconds(Math.max(limits.poll, took * POLL_SHARE));
    background.after('poll', pause, async () => {
      await this.#watcher?.again();
      const begun = clock.now();
      if (isNeeded) await look();
      this.#poll(clock.now() - begun);
    });
  }

  /** False: every directory is watched, and all that happens is told. */
  #sayMissing(): boolean {
    const { board, mounts } = this.#rooms;
    const { limits } = this.#parts;
    const every = `looked at every ${Math.round(limits.poll / 1000)} s or more`;
    const missing = [...(this.#watcher?.missing.values() ?? [])];
    const usedUp = missing.filter((code) => code === 'ENOSPC' || code === 'EMFILE').length;
    const what =
      usedUp === 1 ? 'a folder and what is in it are' : `${usedUp} folders and what is in them are`;
    const text = `the system gives no more watches: ${what} ${every}`;
    if (usedUp > 0) board.set('not-watched', null, text);
    else board.clear('not-watched', null);
    const far = this.#farMounts();
    for (const [path, type] of far) {
      const what = `on ${type}, which does not tell what others change there: it is ${every}`;
      board.set('looked-at', path, path === '' ? `the folder is ${what}` : `it is ${what}`);
    }
    for (const { code, path } of board.list()) {
      if (code === 'looked-at' && !far.has(path ?? '')) board.clear(code, path);
    }
    return missing.length > 0 || far.size > 0 || mounts.away().length > 0;
  }

  /** By path ('' is the folder): the kind of file system where others change things, and this machine is not told. */
  #farMounts(): Map<string, string> {
    const { mounts } = this.#rooms;
    const far = new Map<string, string>();
    const { type = null, below = new Map<string, string>() } = mounts.here ?? {};
    for (const [path, kind] of [['', type] as const, ...below]) {
      if (kind !== null && isChangedElsewhere(kind)) far.set(path, kind);
    }
    return far;
  }
}

/**
 * Begins to watch a folder. Events are hints only: which paths may have changed; what happened is found by looking.
 *
 * There are two ways. chokidar sits on what each system has (FSEvents, ReadDirectoryChanges). On Linux we put a watch on each directory ourselves: on
 * every event in a directory chokidar reads it anew, and it keeps a record of every file.
 */
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

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
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { FolderDisks } from '../disk/folder-disks.ts';
import type { MountAnswers } from '../disk/mount-answers.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { isChangedElsewhere, type MountsHere } from '../disk/mount-table.ts';
import { ChokidarWatcher } from './watch-chokidar.ts';
import { DirectoryWatcher, type WatchGround } from './watch-directories.ts';
import type { WatchBy, WatchHandlers, Watcher } from './watcher.ts';

export interface WatchingParts extends WatchGround {
  readonly root: SafeRoot;
  /** Left out: the better way of this system. */
  readonly watchBy?: WatchBy | undefined;
  readonly board: ErrorBoard;
  readonly ignored: { isIgnored(path: readonly string[], isDirectory: boolean): boolean };
  readonly mounts: {
    /** As it was read last. */
    readonly here: MountsHere | null;
    /** Reads what is mounted. True: that is something else than before. */
    read(): boolean;
    /** Paths of disks that are not there. */
    away(): readonly (readonly string[])[];
  };
  readonly disks: Pick<FolderDisks, 'refresh'>;
  readonly answers: Pick<MountAnswers, 'isSilent' | 'check'>;
  /** False: the root is away, and that is told now. */
  readonly presence: { look(): boolean };
  /** Whether what is found may be looked at, and who looks at everything. */
  readonly looks: { readonly hasBegun: boolean; lookAtAllAgain(): Promise<void> };
  readonly background: Background;
  readonly events: FolderEvents;
  readonly limits: FolderLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looking takes this share of the time at most. */
const POLL_SHARE = 20;

/** Keeps the folder watched, and has it looked at where events were lost or no watch helps. */
export class Watching {
  readonly #parts: WatchingParts;
  #watcher: Watcher | null = null;
  /** Counts up with each loss; what was looked at since is `#seen`. */
  #losses = 0;
  #seen = 0;
  /** Whether the next poll looks at everything. */
  #isPolled = false;

  constructor(parts: WatchingParts) {
    this.#parts = parts;
    const { events, background } = parts;
    const watchAnew = (): void => background.later(() => this.anew());
    events.on('rulesChanged', watchAnew);
    events.on('rootReturned', () => {
      if (parts.looks.hasBegun) watchAnew();
    });
    events.on('mountsChanged', () => this.#mountsChanged());
  }

  /** Something may have changed that nobody has looked at. */
  get isUnseen(): boolean {
    return this.#losses !== this.#seen;
  }

  /** Everything is watched from now on that can be. Until then the watches before are still there. */
  async anew(): Promise<void> {
    const { root, watchBy } = this.#parts;
    const { ignored, answers, events, background } = this.#parts;
    const { signal } = background;
    signal.throwIfAborted();
    await this.#parts.answers.check();
    const before = this.#watcher;
    const watcher = watchRoot(root.path, this.#parts, watchBy, {
      isIgnored: (path, isDirectory) =>
        answers.isSilent(path) || ignored.isIgnored(path, isDirectory),
      hint: (path, isNewWatch) =>
        events.emit('pathChanged', path, { live: true, deep: isNewWatch }),
      another: (path) => events.emit('pathChanged', path, { deep: true }),
      missed: () => this.#missed(),
      lost: (reason) => this.#lost(reason),
    });
    this.#watcher = watcher;
    await watcher.ready;
    await before?.close();
    // The watches before took some of those there are.
    if (before !== null && watcher.missing.size > 0) await watcher.again();
    this.#sayMissing();
    if (before !== null && !signal.aborted) await this.#parts.looks.lookAtAllAgain();
  }

  /** From the start on. */
  begin(): void {
    this.#watchMounts();
    this.#poll(0);
  }

  /** Resolves when all is hinted that has happened by now, as far as that can be known. */
  async heard(): Promise<void> {
    await this.#watcher?.heard();
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }

  #mountsChanged(): void {
    this.#parts.disks.refresh();
    if (!this.#parts.looks.hasBegun) return;
    this.#parts.background.after('mounted', milliseconds(0), async () => {
      await this.anew();
      this.#poll(0);
    });
  }

  /** Said at once, and looked at by the next poll: what is in the directory was hinted as it came, and what changes there from now on is not. */
  #missed(): void {
    if (this.#isPolled) return;
    this.#parts.background.after('missed', milliseconds(0), async () => {
      await this.#watcher?.ready;
      if (!this.#isPolled) this.#poll(0);
    });
  }

  #lost(reason: string): void {
    const { log } = this.#parts;
    this.#losses += 1;
    if (this.#losses - this.#seen > 1) return;
    log.warn('events of the folder were lost: everything is looked at', { reason });
    this.#parts.board.set('changes-missed', null);
    this.#parts.events.emit('statusChanged');
    this.#lookSoon(milliseconds(0));
  }

  #lookSoon(pause: Duration): void {
    const { background, looks, events, limits } = this.#parts;
    background.after('lost', pause, async () => {
      const losses = this.#losses;
      try {
        if (!looks.hasBegun) return;
        await this.anew();
        this.#seen = losses;
      } finally {
        if (this.isUnseen) this.#lookSoon(limits.lostPause);
        else this.#parts.board.clear('changes-missed', null);
        events.emit('statusChanged');
      }
    });
  }

  /** What is mounted, and whether the root is there, is asked by whoever looks at files; what comes or goes while all is quiet, is seen here. */
  #watchMounts(): void {
    const { background, events, mounts } = this.#parts;
    background.after('mounts', this.#parts.limits.mountLook, () => {
      this.#watchMounts();
      if (mounts.read()) this.#parts.events.emit('mountsChanged');
      background.later(() => this.#parts.answers.check());
      if (!this.#parts.presence.look()) return;
      // Where nobody tells what is mounted.
      if (mounts.here !== null) return;
      for (const path of mounts.away()) events.emit('pathChanged', path.join('/'), { deep: true });
    });
  }

  /** `took`: how long the last look was, in milliseconds. */
  #poll(took: number): void {
    const { limits, clock, background, looks } = this.#parts;
    this.#isPolled = this.#sayMissing();
    background.cancel('poll');
    const pause = milliseconds(Math.max(limits.poll, took * POLL_SHARE));
    background.after('poll', pause, async () => {
      await this.#watcher?.again();
      const begun = clock.now();
      // Or they have become more since.
      if (this.#sayMissing() || this.#isPolled) await looks.lookAtAllAgain();
      this.#poll(clock.now() - begun);
    });
  }

  /** False: every directory is watched, and all that happens is told. */
  #sayMissing(): boolean {
    const { board, mounts, limits } = this.#parts;
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
    const { mounts } = this.#parts;
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
  ground: WatchGround,
  by: WatchBy | undefined,
  handlers: WatchHandlers,
): Watcher {
  const way = by ?? (ground.files.hasDirectoryWatches ? 'directories' : 'chokidar');
  return way === 'chokidar'
    ? new ChokidarWatcher(root, handlers)
    : new DirectoryWatcher(root, ground, handlers);
}

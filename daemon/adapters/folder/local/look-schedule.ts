/**
 * When the disk is looked at: what has changed when it has settled, everything at the start, when somebody asks and once in a while. One pass at a
 * time has the folder to itself.
 *
 * Invariants
 * 1. As long as a path is dirty and the folder has begun, a timer is set for the first that is due.
 * 2. What a flush waits for is counted from before a pass until after it: nothing is settled that is being looked at.
 */
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { nameFault } from '../../../../shared/model/names.ts';
import type { Mtime } from '../../../../shared/model/vnode.ts';
import { nameBehind } from '../../../../shared/model/placeholder-name.ts';
import { milliseconds, type Duration, type Instant } from '../../../../shared/model/time.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Background } from '../background.ts';
import type { MountAnswers } from '../disk/mount-answers.ts';
import type { RootPresence } from '../disk/root-presence.ts';
import type { FolderEvents, PathHint } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { LetOthersRun } from '../yielder.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import type { OutsideLinks } from '../watch/outside-links.ts';
import type { DiskLook } from './disk-look.ts';
import type { FailedChanges } from './failed-changes.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { LocalChanges, Looked } from './local-changes.ts';

export interface LookScheduleParts {
  readonly local: LocalChanges;
  readonly dirty: DirtyPaths;
  readonly ignored: IgnoreRules;
  readonly look: DiskLook;
  readonly failures: FailedChanges;
  readonly outside: OutsideLinks;
  readonly answers: Pick<MountAnswers, 'check'>;
  readonly presence: RootPresence;
  readonly records: FolderRecords;
  readonly save: SaveRecords;
  readonly mutex: Mutex;
  readonly background: Background;
  readonly events: FolderEvents;
  readonly clock: Clock;
  readonly letOthersRun: LetOthersRun;
  readonly limits: FolderLimits;
  /** What is not in place because of something here: that may be what has changed. */
  readonly unplaced: {
    readonly size: number;
    isInTheWay(path: string): boolean;
    mayHaveGone(
      paths: readonly string[],
      seen: {
        readonly inodeAt: (path: string) => string | null;
        readonly isRecorded: (path: string) => boolean;
      },
    ): boolean;
  };
  readonly root: {
    factsOrNull(path: readonly string[]): { readonly inode: string; readonly mtime: Mtime } | null;
  };
  /** How many updates were told. */
  readonly notes: { readonly count: number };
}

/** Decides when the disk is looked at, and runs one pass at a time. */
export class LookSchedule {
  readonly #parts: LookScheduleParts;
  #hasBegun = false;
  /** What did not rest yet when everything was looked at last. */
  #waiting: readonly string[] = [];
  /** What was not taken once, in all looks for the last flush. */
  #untaken: readonly string[] = [];
  /** Passes under way, and those that wait for the folder. */
  #passes = 0;
  /** When the timer rings that is set. */
  #nextDue = Number.POSITIVE_INFINITY;

  constructor(parts: LookScheduleParts) {
    this.#parts = parts;
    parts.events.on('pathChanged', (path, hint) => this.#noteChange(path, hint ?? {}));
  }

  /** From now on what is due is looked at by itself: everything was looked at once. */
  begin(): void {
    this.#hasBegun = true;
    this.#parts.local.adopted(this.#waiting);
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** What the last look for a flush did not take: somebody went on writing it. */
  get untaken(): readonly string[] {
    return this.#untaken;
  }

  /** Passes that have not ended. */
  get passes(): number {
    return this.#passes;
  }

  /** Makes sure that somebody looks at what is due next. */
  schedule(): void {
    this.#scheduleAt(this.#parts.dirty.nextDue());
  }

  /** Resolves when what is due by now was looked at, if the root is there. What is not due is left: too early, and a rename would be a removal. */
  async lookNow(): Promise<void> {
    if (this.#parts.presence.isThere(true)) await this.#lookAtDue();
  }

  /** Everything is looked at, if the root is there; then what waited for that goes on. */
  async lookAtAllAgain(): Promise<void> {
    const { presence, events } = this.#parts;
    if (presence.isThere(true)) await this.lookAtAll();
    events.emit('heldMayGo');
  }

  /** Everything is looked at, and what has not settled or failed yet again, until it has or never seems to. `isFlush`: somebody waits for all of it. */
  async lookAtAll(isFlush = false): Promise<void> {
    const { local, mutex, dirty, failures, background, limits, save } = this.#parts;
    const wanted = isFlush ? new Set<string>() : null;
    const before = failures.count;
    const whole = await this.#pass(() => mutex.take(() => local.whole(wanted)));
    let waiting = [...new Set([...whole, ...failures.paths()])];
    let untaken = whole;
    const again = async (paths: readonly string[], isWanted: boolean): Promise<void> => {
      const due = (): Promise<Looked> => local.due(paths, isWanted ? wanted : null);
      const looked = await this.#pass(() => mutex.take(due));
      const asked = new Set(looked.paths);
      untaken = untaken.filter((path) => !asked.has(path) || looked.waiting.has(path));
      waiting = waiting.filter((path) => dirty.has(path));
    };
    if (wanted !== null && wanted.size > 0) {
      // Written just now: a moment later it may rest.
      await background.delay(limits.rest);
      await again([...wanted], true);
    }
    const mayGo = (): boolean => waiting.some((path) => !failures.isRefusedSince(path, before));
    for (let round = 0; mayGo() && round < limits.settleRounds; round++) {
      await background.delay(limits.settle);
      await again(waiting, false);
    }
    await save.saved();
    this.#waiting = waiting;
    if (isFlush) this.#untaken = untaken;
    if (this.#hasBegun) local.adopted(waiting);
    this.schedule();
  }

  #noteChange(path: string, { live = false, deep = false }: PathHint): void {
    const { background, dirty, ignored, look, clock, events } = this.#parts;
    if (background.signal.aborted) return;
    const components = path.split('/');
    // Whether it is a directory is not known; what is ignored either way is not looked at.
    if (path !== '' && ignored.isIgnored(components, false)) {
      this.#mayMakeWay(path);
      return this.#mayChangeTime(components.slice(0, -1));
    }
    if (path !== '' && nameFault(components.at(-1) ?? '') !== null) {
      return look.checkNames(components.slice(0, -1));
    }
    const before = dirty.size;
    const now = clock.now();
    const { delay, known } = this.#delayOf(components, now);
    dirty.hint(path, now, { live, deep, known, delay });
    // It may be a placeholder: then it is the file that is looked at.
    const behind = nameBehind(path);
    if (behind !== null && nameBehind(components.at(-1) ?? '') !== null) {
      dirty.hint(behind, now, { live, deep, delay });
    }
    this.#scheduleAt(now + delay);
    if (before === 0) events.emit('statusChanged');
  }

  /** What is not synced may have been in the way of something. */
  #mayMakeWay(path: string): void {
    const { unplaced, events } = this.#parts;
    if (unplaced.size > 0 && unplaced.isInTheWay(path)) events.emit('heldMayGo');
  }

  /** A name that is not synced came or went: the time of the directory is another one then, and that is synced. */
  #mayChangeTime(dir: readonly string[]): void {
    const { records, root, ignored, events } = this.#parts;
    const fid = records.directoryAt(dir);
    // Its time is that of the volume which it shows.
    if (fid !== null && records.mountPoints.has(fid)) return;
    if (fid === null || (dir.length > 0 && ignored.isIgnored(dir, true))) return;
    const facts = root.factsOrNull(dir);
    const isAsRecorded = facts === null || facts.mtime === records.get(fid)?.disk?.mtime;
    if (!isAsRecorded) events.emit('pathChanged', dir.join('/'));
  }

  /** How soon after something has happened to it a path is looked at, and whether it is a file that is known. */
  #delayOf(path: readonly string[], now: Instant): { delay: Duration; known: boolean } {
    const { limits, records, dirty } = this.#parts;
    const text = path.join('/');
    if (text === '') return { delay: limits.settle, known: false };
    let at: Fid | null = records.root;
    for (const name of path) at = at === null ? null : records.at(at, name);
    if (at === null) return { delay: dirty.delayOfNew(), known: false };
    const known = records.get(at)?.kind === 'file';
    return { delay: known ? dirty.delayOf(text, now) : limits.settle, known };
  }

  #scheduleAt(next: number | null): void {
    if (next === null || !this.#hasBegun || next >= this.#nextDue) return;
    const { background, clock } = this.#parts;
    background.cancel('local');
    this.#nextDue = next;
    background.after('local', milliseconds(Math.max(0, next - clock.now())), async () => {
      this.#nextDue = Number.POSITIVE_INFINITY;
      // On a busy machine a timer rings before the watcher is heard: what is missing may have a name that nobody has told of.
      await this.#parts.letOthersRun();
      await this.#lookAtDue();
    });
  }

  async #lookAtDue(): Promise<void> {
    const { local, mutex, presence, background, save, events } = this.#parts;
    if (!presence.isThere(true)) await presence.usable();
    const { notes, unplaced, root, records } = this.#parts;
    const before = notes.count;
    const looked: string[] = [];
    while (!background.signal.aborted) {
      const { paths } = await this.#pass(() => mutex.take(() => local.due(null)));
      if (paths.length === 0) break;
      looked.push(...paths);
    }
    this.schedule();
    if (looked.length === 0) return;
    await save.saved();
    // Our own work shows as a change, too, and there is nothing of it to tell: were each try to lead to the next one, none would ever wait.
    const seen = {
      inodeAt: (path: string) => root.factsOrNull(path.split('/'))?.inode ?? null,
      isRecorded: (path: string) => records.directoryAt(path.split('/')) !== null,
    };
    const isNews = notes.count > before || unplaced.mayHaveGone(looked, seen);
    if (isNews) events.emit('heldMayGo');
  }

  async #pass<T>(work: () => Promise<T>): Promise<T> {
    const { answers, failures, outside, background, limits, presence, events } = this.#parts;
    this.#passes += 1;
    try {
      await answers.check();
      return await work();
    } finally {
      this.#passes -= 1;
      failures.prune();
      outside.lookSoon(background, limits, () => presence.isThere(true));
      events.emit('statusChanged');
    }
  }
}

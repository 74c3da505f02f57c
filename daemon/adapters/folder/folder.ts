/**
 * Drives the folder: when to look at the disk, when to log, when to put commits in place, when to wait.
 *
 * Order at the start: watch, (snapshot,) look at everything, what was held back, then the feed. So whatever was changed
 * while the daemon was away is logged before a newer commit is put in place.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { nameFault } from '../../../shared/model/names.ts';
import { milliseconds, type Duration } from '../../../shared/model/time.ts';
import type { CommitNumber, DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { TimerHandle } from '../../../shared/ports/clock.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { AdoptLogged } from './adopt-logged.ts';
import { isUntouched } from './disk-facts.ts';
import { sayError } from './apply-plan.ts';
import { buildFolder, type FolderParts, type FolderRooms } from './build-folder.ts';
import type { FolderFrontEnd } from './folder-options.ts';
import { LogLocal } from './log-local.ts';
import { PathChanged } from './safe-root.ts';
import { watchRoot } from './watch-root.ts';
import type { Watcher } from './watcher.ts';

export class Folder implements FolderFrontEnd {
  readonly #parts: FolderParts;
  readonly #rooms: FolderRooms;
  readonly #abort = new AbortController();
  readonly #timers = new Map<string, TimerHandle>();
  readonly #running = new Set<Promise<void>>();
  #watcher: Watcher | null = null;
  #adopt: AdoptLogged | null = null;
  #started: Promise<void> = Promise.resolve();
  #isStarted = false;
  #busy = 0;
  #isAway = false;
  #hasFailed = false;
  #foundRoot = Number.NEGATIVE_INFINITY;
  #isLookingAgain = false;
  #isAdjusting = false;
  #isAuditing = false;
  #lookedAgain = 0;
  #localDue = Number.POSITIVE_INFINITY;

  constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#rooms = buildFolder(parts, {
      signal: this.#abort.signal,
      adopt: () => this.#adopt,
      execute: (...planned) => this.#execute(...planned),
      failed: (path, error) => this.#failed(path, error),
      unsettled: (path) => this.#hint(path.join('/'), { live: false }),
      hint: (path) => this.#hint(path, { live: false }),
      retry: () => this.#after('retry', parts.limits.retry, () => this.#retry()),
      rulesChanged: () => this.#later(() => this.#watchAnew()),
      usable: () => this.#usable(),
      save: () => this.#save(),
      changed: () => parts.onChange?.(),
    });
  }

  start(): void {
    const { feed, loaded } = this.#parts;
    const { root, records, host } = { ...this.#parts, records: loaded.records };
    if (!loaded.clean && loaded.position !== null) {
      this.#adopt = new AdoptLogged({ fileSystem: this.#parts.fileSystem, records, host, root });
    }
    feed.onWoken(() => {
      this.#lookAgainSoon();
      this.#adjustSoon();
    });
    this.#started = this.#start();
    this.#run(this.#started.then(() => this.#rooms.remote.follow()));
  }

  async scan(): Promise<void> {
    await this.#started;
    if (!this.#isThere(true)) throw new GodwitError('folder-moved');
    await this.#lookAtAll();
  }

  unsettled(): { paths: number; commits: number } {
    const { dirty, local, remote } = this.#rooms;
    const started = this.#isStarted ? 0 : 1;
    const paths = Math.max(dirty.size, this.#busy) + local.heldRemovals + started;
    return { paths, commits: remote.unsettled };
  }

  /** What conflicts ask for, and what they leave over, belongs to it. */
  async reached(commit: CommitNumber): Promise<void> {
    const { feed, volume, limits } = this.#parts;
    await this.#rooms.remote.reached(commit);
    for (let round = 0; round < limits.settleRounds; round++) {
      const isAsked = feed.adjustments(volume.id).length > 0;
      if (isAsked) await this.#adjustAll();
      else if (this.#rooms.audit.isWanted) await this.#auditAll();
      else return;
      await this.#delay(limits.heldPause);
    }
  }

  status(): { errors: ErrorStatus[]; heldRemovals: number } {
    return { errors: this.#rooms.board.list(), heldRemovals: this.#rooms.local.heldRemovals };
  }

  async confirmRemovals(): Promise<void> {
    this.#rooms.local.confirm();
    await this.scan();
  }

  async copyOf(fid: Fid, version: DataVersion, digest: Digest): Promise<string | null> {
    const { root, host, dataDir, loaded } = this.#parts;
    const record = loaded.records.get(fid);
    const [place] = loaded.records.names(fid);
    const path = place === undefined ? null : loaded.records.pathOfPlace(place);
    if (!record?.disk || path === null || place === undefined) return null;
    if (record.version !== version || record.digest !== digest) return null;
    const facts = root.facts(path.slice(0, -1), place.name);
    if (facts === null || !isUntouched(facts, record.disk)) return null;
    const folder = join(dataDir, 'folder-copies');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copy = join(folder, randomBytes(12).toString('hex'));
    try {
      const copied = await host.copyFile(root.join(...path), copy, { sync: false });
      if (copied.digest === digest) return copy;
    } catch {
      // Gone or unreadable meanwhile: then it is fetched.
    }
    rmSync(copy, { force: true });
    return null;
  }

  async close(): Promise<void> {
    const { store, loaded } = this.#parts;
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await this.#watcher?.close();
    await Promise.allSettled([this.#started, ...this.#running]);
    // One that was begun in that moment.
    await this.#watcher?.close();
    await this.#rooms.turns.idle();
    this.#save();
    if (this.#isStarted || loaded.clean) store.setState('clean', '1');
    store.close();
  }

  async #start(): Promise<void> {
    try {
      await this.#usable();
      await this.#watchAnew();
      await this.#rooms.remote.start();
      await this.#lookAtAll();
      this.#adopt = null;
      this.#isStarted = true;
      await this.#rooms.remote.lookAgain();
      this.#adjustSoon();
      this.#scheduleLocal(this.#rooms.dirty.nextDue());
      this.#rooms.late.inspect(false);
      this.#after('late', this.#parts.limits.late, () => this.#inspectLate());
      this.#after('safety', this.#parts.limits.safetyScan, () => this.#safetyScan());
      this.#parts.onChange?.();
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    }
  }

  async #watchAnew(): Promise<void> {
    const { root } = this.#parts;
    const { ignored } = this.#rooms;
    const before = this.#watcher;
    this.#abort.signal.throwIfAborted();
    this.#watcher = watchRoot(root.path, this.#parts.watchBy, {
      isIgnored: (path, isDirectory) => ignored.isIgnored(path, isDirectory),
      hint: (path, isNewWatch) => this.#hint(path, { live: true, deep: isNewWatch }),
      failed: (error) => {
        this.#parts.log.warn('the watcher failed: everything is looked at', {
          error: String(error),
        });
        this.#after('rescan', this.#parts.limits.retry, () => this.#safetyScan());
      },
    });
    await this.#watcher.ready;
    await before?.close();
    if (before === null || this.#abort.signal.aborted) return;
    await this.#lookAtAll();
    this.#lookAgainSoon();
  }

  // Local changes

  #hint(path: string, how: { live: boolean; deep?: boolean }): void {
    if (this.#abort.signal.aborted) return;
    const { dirty, ignored } = this.#rooms;
    // Whether it is a directory is not known; what is ignored either way is not looked at.
    if (path !== '' && ignored.isIgnored(path.split('/'), false)) return;
    const components = path.split('/');
    if (path !== '' && nameFault(components.at(-1) ?? '') !== null) {
      return this.#rooms.look.checkNames(components.slice(0, -1));
    }
    const before = dirty.size;
    const now = this.#parts.clock.now();
    dirty.hint(path, now, how);
    this.#scheduleLocal(now + this.#parts.limits.settle);
    if (before === 0) this.#parts.onChange?.();
  }

  /** Makes sure that somebody looks at what is due then. */
  #scheduleLocal(next: number | null): void {
    if (next === null || !this.#isStarted || next >= this.#localDue) return;
    this.#timers.get('local')?.cancel();
    this.#timers.delete('local');
    this.#localDue = next;
    const delay = milliseconds(Math.max(0, next - this.#parts.clock.now()));
    this.#after('local', delay, () => {
      this.#localDue = Number.POSITIVE_INFINITY;
      return this.#lookAtDue();
    });
  }

  async #lookAtDue(): Promise<void> {
    const { local, turns } = this.#rooms;
    if (!this.#isThere(true)) await this.#usable();
    let didAny = false;
    while (!this.#abort.signal.aborted) {
      const did = await this.#pass(() => turns.take(() => local.due(null)));
      if (!did) break;
      didAny = true;
    }
    this.#scheduleLocal(this.#rooms.dirty.nextDue());
    if (!didAny) return;
    await turns.take(() => this.#save());
    this.#lookAgainSoon();
  }

  /** Everything is looked at, and what has not settled yet again, until it has or never seems to. */
  async #lookAtAll(): Promise<void> {
    const { local, turns, dirty } = this.#rooms;
    const { limits } = this.#parts;
    let waiting = await this.#pass(() => turns.take(() => local.whole()));
    for (let round = 0; waiting.length > 0 && round < limits.settleRounds; round++) {
      await this.#delay(limits.settle);
      await this.#pass(() => turns.take(() => local.due(waiting)));
      waiting = waiting.filter((path) => dirty.has(path));
    }
    await turns.take(() => this.#save());
    this.#scheduleLocal(this.#rooms.dirty.nextDue());
  }

  async #pass<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#parts.onChange?.();
    }
  }

  async #execute(...planned: Parameters<LogLocal['run']>): Promise<void> {
    const [plan, removals] = planned;
    const { fileSystem, limits, loaded } = this.#parts;
    // A root that went away while it was looked at has nothing in it.
    const isThere = this.#isThere(true);
    const isWhole = isThere || (plan.ops.length === 0 && removals.length === 0);
    if (!isWhole) return;
    const executor = new LogLocal({
      ...{ fileSystem, limits, records: loaded.records, held: loaded.held },
      contents: this.#rooms.contents,
      adopt: () => this.#adopt,
      failed: (path, error) => this.#failed(path, error),
      checkpoint: () => {
        if (loaded.records.changeCount >= limits.batchPaths) this.#save();
      },
    });
    this.#hasFailed = false;
    await executor.run(...planned);
    if (this.#hasFailed) return;
    for (const code of ['disk-full', 'internal'] as const) this.#rooms.board.clear(code, null);
  }

  #failed(path: readonly string[], error: unknown): void {
    const { log, clock, limits } = this.#parts;
    const { board, dirty } = this.#rooms;
    this.#hasFailed = true;
    const text = path.join('/');
    const code = (error as { code?: unknown }).code;
    // Gone while it was looked at: then that is what is found next.
    const isGone = code === 'ENOENT' || code === 'ENOTDIR' || error instanceof PathChanged;
    if (isGone) return dirty.hint(text, clock.now(), { live: dirty.isLive(text) });
    if (code === 'EACCES' || code === 'EPERM') {
      board.set('file-unreadable', text, `it can not be read (${code})`);
    } else {
      log.warn('a change could not be logged', { path: text, error: String(error) });
      sayError(board, text, error);
    }
    dirty.hint(text, clock.now(), { live: dirty.isLive(text), delay: limits.retry });
  }

  // Remote commits

  #lookAgainSoon(): void {
    if (this.#timers.has('held') || this.#parts.loaded.held.size === 0) return;
    const since = this.#parts.clock.now() - this.#lookedAgain;
    const { heldPause } = this.#parts.limits;
    this.#after('held', milliseconds(Math.max(0, heldPause - since)), () => this.#lookAgain());
  }

  async #lookAgain(): Promise<void> {
    if (!this.#isStarted) return;
    if (this.#isLookingAgain)
      return this.#after('held', this.#parts.limits.heldPause, () => this.#lookAgain());
    this.#isLookingAgain = true;
    try {
      await this.#rooms.remote.lookAgain();
    } finally {
      this.#isLookingAgain = false;
      this.#lookedAgain = this.#parts.clock.now();
    }
    this.#auditSoon();
  }

  #adjustSoon(): void {
    this.#after('adjust', milliseconds(0), () => this.#adjustAll());
  }

  async #adjustAll(): Promise<void> {
    if (!this.#isStarted || this.#isAdjusting) return;
    const { feed, volume, limits } = this.#parts;
    this.#isAdjusting = true;
    try {
      for (;;) {
        const [next] = feed.adjustments(volume.id);
        if (next === undefined || this.#abort.signal.aborted) break;
        await this.#usable();
        const isDone = await this.#rooms.adjust.run(next);
        this.#rooms.audit.want();
        if (isDone) continue;
        this.#after('adjust', limits.settle, () => this.#adjustAll());
        break;
      }
    } finally {
      this.#isAdjusting = false;
    }
    this.#lookAgainSoon();
    this.#auditSoon();
  }

  #auditSoon(): void {
    if (this.#isStarted && this.#rooms.audit.isWanted) {
      this.#after('audit', this.#parts.limits.audit, () => this.#auditAll());
    }
  }

  async #auditAll(): Promise<void> {
    if (!this.#rooms.audit.isWanted || this.#isAuditing) return;
    this.#isAuditing = true;
    let outcome;
    try {
      outcome = await this.#rooms.audit.run();
      if (outcome === 'found') await this.#lookAgain();
      if (outcome !== 'busy') this.#rooms.audit.settled();
    } finally {
      this.#isAuditing = false;
    }
    if (outcome === 'busy') this.#auditSoon();
  }

  #retry(): void {
    this.#rooms.apply.forgive();
    this.#lookAgainSoon();
  }

  // The root

  /** Not `now`: what was found a moment ago will do, if it was good. */
  #isThere(now: boolean): boolean {
    const { guard, clock, limits } = this.#parts;
    const at = clock.now();
    if (!now && at - this.#foundRoot < limits.heldPause) return true;
    const isThere = guard.isThere();
    this.#foundRoot = isThere ? at : Number.NEGATIVE_INFINITY;
    return isThere;
  }

  /** Waits until the root is there; rejects when the folder is closed meanwhile. It may have been touched meanwhile: then everything is looked at. */
  async #usable(): Promise<void> {
    const { guard, root, limits, log } = this.#parts;
    const { board } = this.#rooms;
    while (!this.#abort.signal.aborted) {
      if (this.#isThere(false)) break;
      if (!this.#isAway) {
        this.#isAway = true;
        log.error('the synced folder is not where it was', { root: root.path });
        const text = `${root.path} is not the folder that was synced`;
        board.set('folder-moved', null, text);
      }
      await this.#delay(limits.retry);
    }
    this.#abort.signal.throwIfAborted();
    if (!this.#isAway) return;
    this.#isAway = false;
    root.refresh();
    guard.own.prepare();
    board.clear('folder-moved', null);
    if (this.#isStarted) this.#later(() => this.#watchAnew());
  }

  // Records, time

  #save(): void {
    const { store, loaded, host } = this.#parts;
    for (const path of this.#rooms.directories.takeTouched()) {
      try {
        host.syncDirectory(path);
      } catch {
        // Gone again: then there is nothing to be durable.
      }
    }
    store.save(loaded.records, loaded.held, this.#rooms.remote.merged);
  }

  #inspectLate(): void {
    if (this.#isThere(true)) this.#rooms.late.inspect(false);
    this.#after('late', this.#parts.limits.late, () => this.#inspectLate());
  }

  async #safetyScan(): Promise<void> {
    this.#after('safety', this.#parts.limits.safetyScan, () => this.#safetyScan());
    if (this.#isThere(true)) await this.#lookAtAll();
    this.#lookAgainSoon();
  }

  /** One timer of each name at a time. */
  #after(name: string, delay: Duration, work: () => Promise<void> | void): void {
    if (this.#abort.signal.aborted || this.#timers.has(name)) return;
    const timer = this.#parts.timers.start(delay, () => {
      this.#timers.delete(name);
      this.#later(work);
    });
    this.#timers.set(name, timer);
  }

  #later(work: () => Promise<void> | void): void {
    if (this.#abort.signal.aborted) return;
    this.#run(Promise.resolve().then(work));
  }

  #delay(length: Duration): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#abort;
      if (signal.aborted) return resolve();
      const timer = this.#parts.timers.start(length, done);
      function done(): void {
        signal.removeEventListener('abort', done);
        timer.cancel();
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }

  /** Work in the background: a failure of ours is said, and everything is looked at again. */
  #run(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => {
        if (this.#abort.signal.aborted) return;
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#parts.log.error('the folder failed at something', { error: stack });
        this.#rooms.board.set('internal', null, String(error));
        this.#after('rescan', this.#parts.limits.retry, () => this.#safetyScan());
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/**
 * Drives the folder: when to look at the disk, when to log, when to put commits in place, when to wait.
 *
 * Order at the start: watch, (snapshot,) look at everything, what was held back, then the feed. So whatever was changed
 * while the daemon was away is logged before a newer commit is put in place.
 */
import { setImmediate } from 'node:timers/promises';
import type { ErrorStatus, WaitingStatus } from '../../../shared/control/snapshot.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { nameFault } from '../../../shared/model/names.ts';
import { milliseconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import type { CommitNumber, DataVersion, Digest } from '../../../shared/model/vnode.ts';
import { nameBehind } from '../../../shared/model/placeholder-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { AdoptLogged } from './local/adopt-logged.ts';
import { Background } from './background.ts';
import { CatchUp } from './remote/catch-up.ts';
import type { KeptContents, Waits } from '../../../shared/ports/feed.ts';
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import { buildFolder, type FolderParts, type FolderRooms } from './build-folder.ts';
import { sayError } from './error-words.ts';
import type { FolderFrontEnd } from './folder-options.ts';
import { LocalCopies } from './remote/local-copies.ts';
import { LogLocal } from './local/log-local.ts';
import { NOT_TAKEN_IN, FailedChanges } from './local/failed-changes.ts';
import { whyUnclear } from './disk/path-errors.ts';
import { RootPresence } from './disk/root-presence.ts';
import { RecordTold } from './records/record-told.ts';
import { PathChanged } from './disk/path-changed.ts';
import { SaveRecords } from './records/save-records.ts';
import { Watching } from './watch/watching.ts';

/** Paths that are told of at once as waiting: a status stays readable. */
const MOST_TOLD = 100;
const CHANGED = 'it has changed, and is taken when it rests';
const LOOKING = 'the folder is being looked at';

export class Folder implements FolderFrontEnd {
  readonly #parts: FolderParts;
  readonly #rooms: FolderRooms;
  readonly #background: Background;
  readonly #catchUp: CatchUp;
  readonly #save: SaveRecords;
  readonly #copies: LocalCopies;
  readonly #presence: RootPresence;
  readonly #unlogged: FailedChanges;
  readonly #watching: Watching;
  #adopt: AdoptLogged | null = null;
  #started: Promise<void> = Promise.resolve();
  #isStarted = false;
  #busy = 0;
  #hasFailed = false;
  #localDue = Number.POSITIVE_INFINITY;
  #closing: Promise<void> | null = null;
  #forget: () => void = () => undefined;

  constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#background = new Background(parts.timers, (error) => this.#broken(error));
    this.#rooms = buildFolder(parts, {
      signal: this.#background.signal,
      delay: (length) => this.#background.delay(length),
      adopt: () => this.#adopt,
      execute: (...planned) => this.#execute(...planned),
      failed: (path, error) => this.#failed(path, error),
      unsettled: (path) => this.#hint(path.join('/'), { live: false }),
      hint: (path) => this.#hint(path, { live: false }),
      retry: () => this.#background.after('retry', parts.limits.retry, () => this.#retry()),
      rulesChanged: () => this.#background.later(() => this.#watching.anew()),
      mountsChanged: () => this.#watching.mountsChanged(),
      usable: () => this.#presence.usable(),
      save: () => this.#save.saved(),
      run: (work) => this.#background.run(work),
      broken: (error) => this.#broken(error),
      changed: () => {
        if (this.#isStarted && this.#rooms.kept.isDue) this.#tendSoon();
        parts.onChange?.();
      },
    });
    this.#copies = new LocalCopies(parts);
    this.#unlogged = new FailedChanges(this.#rooms.dirty);
    const { board, answers } = this.#rooms;
    this.#presence = new RootPresence(parts, board, answers, this.#background, () => {
      if (this.#isStarted) this.#background.later(() => this.#watching.anew());
    });
    this.#watching = new Watching(parts, this.#rooms, {
      background: this.#background,
      isStarted: () => this.#isStarted,
      hint: (path, how) => this.#hint(path, how),
      look: () => this.#lookAtAllAgain(),
      changed: () => parts.onChange?.(),
    });
    this.#save = new SaveRecords(parts, this.#rooms, this.#background);
    this.#catchUp = new CatchUp(parts, this.#rooms, {
      background: this.#background,
      usable: () => this.#presence.usable(),
      look: () => this.#lookNow(),
    });
  }

  get volume(): VolumeId {
    return this.#parts.volume.id;
  }

  get token(): string {
    return this.#parts.guard.token;
  }

  start(): void {
    const { feed, loaded, lost, fileSystem, root, host, hasXattrs, log } = this.#parts;
    if (lost !== null) {
      log.error(lost);
      this.#rooms.board.set('damaged-rows', null, lost);
    }
    const { records } = loaded;
    if (!loaded.clean && (loaded.position !== null || loaded.anew)) {
      this.#adopt = new AdoptLogged({ feed, fileSystem, records, host, root, hasXattrs });
    }
    this.#forget = feed.onWoken(() => {
      this.#catchUp.lookAgainSoon();
      this.#catchUp.repairSoon();
      if (this.#isStarted) this.#tendSoon();
    });
    let isStarted = (): void => undefined;
    this.#started = new Promise((resolve) => (isStarted = resolve));
    this.#background.run(this.#run(isStarted));
  }

  /** A failure of ours is said, and it goes on where it was: a commit that is put in place again finds itself there. */
  async #run(isStarted: () => void): Promise<void> {
    let isOpen = false;
    while (!this.#isEnding) {
      try {
        if (!isOpen) await this.#start();
        isOpen = true;
        isStarted();
        await this.#rooms.remote.follow();
      } catch (error) {
        if (this.#isEnding) break;
        this.#broken(error);
        await this.#background.delay(this.#parts.limits.retry);
      }
    }
    isStarted();
  }

  async scan(): Promise<void> {
    await this.#started;
    if (!this.#presence.isThere(true)) throw new GodwitError('folder-moved');
    await this.#lookAtAll(true);
  }

  unsettled(): { paths: number; commits: number } {
    const { dirty, local, remote } = this.#rooms;
    const unseen = (this.#isStarted ? 0 : 1) + (this.#watching.isUnseen ? 1 : 0);
    const paths = Math.max(dirty.size, this.#busy) + local.held.count + unseen;
    return { paths, commits: remote.unsettled + this.#catchUp.unsettled };
  }

  /** What conflicts ask for, and what they leave over, belongs to it; but the audit does not wait for itself. */
  async reached(commit: CommitNumber, how: Waits = 'waits'): Promise<void> {
    const { remote, audit } = this.#rooms;
    const isOfAudit = audit.isOwnFlush;
    await remote.reached(commit, how);
    // What is not in place is for the audit to find, not to fail at.
    if (isOfAudit) return;
    await this.#catchUp.settled();
    if (how === 'says') await this.#catchUp.placed();
  }

  leftOut(path: readonly string[]): string | null {
    const { ignored, board } = this.#rooms;
    const isDirectory = this.#parts.root.factsOrNull(path)?.kind === 'directory';
    const said = board.messageOf(path.join('/')) ?? whyUnclear(board, path);
    return ignored.reasonOf(path, isDirectory) ?? said;
  }

  waiting(): WaitingStatus[] {
    const { dirty, local, remote, board } = this.#rooms;
    const isStarting = !this.#isStarted;
    const paths = dirty.paths().slice(0, MOST_TOLD);
    return [
      ...(isStarting ? [{ path: null, reason: 'the folder is looked at after a start' }] : []),
      ...local.held.waiting().slice(0, MOST_TOLD),
      ...paths.map((path) => ({ path, reason: board.messageOf(path) ?? CHANGED })),
      ...(dirty.size === 0 && this.#busy > 0 ? [{ path: null, reason: LOOKING }] : []),
      ...remote.waiting().slice(0, MOST_TOLD),
      ...this.#catchUp.waiting(),
    ];
  }

  unlogged(): GodwitError | null {
    return this.#unlogged.error;
  }

  status(): { errors: ErrorStatus[] } {
    return { errors: this.#rooms.board.list() };
  }

  heldRemovals(): number {
    return this.#rooms.local.held.count;
  }

  async confirmRemovals(path: readonly string[] | null = null): Promise<number> {
    const held = this.#rooms.local.held.countAt(path);
    if (held === 0) return 0;
    this.#rooms.local.held.confirm(path);
    await this.scan();
    return held;
  }

  /** First looks again: what has come back meanwhile is not forgotten, and keeps what was done to it. */
  async rejectRemovals(path: readonly string[] | null = null): Promise<number> {
    const { local, mutex, audit } = this.#rooms;
    if (local.held.countAt(path) === 0) return 0;
    await this.scan();
    const rejected = await mutex.take(() => {
      const count = local.held.reject(path);
      if (count > 0) audit.want();
      return count;
    });
    await this.#save.saved();
    await this.#catchUp.settled();
    return rejected;
  }

  get contents(): KeptContents {
    return this.#rooms.kept;
  }

  copyOf(fid: Fid, _version: DataVersion, digest: Digest): Promise<string | null> {
    return this.#copies.of(fid, digest);
  }

  anyCopyOf(fid: Fid): Promise<LocalCopy | null> {
    return this.#copies.any(fid);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { store, loaded } = this.#parts;
    this.#background.stop();
    this.#forget();
    await this.#watching.close();
    await Promise.allSettled([this.#started, this.#background.ended()]);
    // One that was begun in that moment.
    await this.#watching.close();
    await this.#rooms.mutex.idle();
    this.#rooms.answers.end();
    this.#rooms.rooms.end();
    try {
      // Else what was logged and is not in the records is found at the next start.
      if (this.#save.now() && (this.#isStarted || loaded.clean)) store.setState('clean', '1');
    } finally {
      store.close();
      this.#parts.guard.release();
    }
  }

  async #start(): Promise<void> {
    try {
      await this.#presence.usable();
      this.#parts.disk.tell(this.#rooms.board);
      this.#rooms.mounts.read();
      this.#rooms.across.finish();
      await this.#watching.anew();
      await this.#rooms.remote.start();
      await this.#lookAtAll();
      this.#adopt = null;
      this.#isStarted = true;
      this.#rooms.placeholders.tellAll();
      await this.#rooms.remote.lookAgain();
      this.#catchUp.open();
      this.#tendSoon();
      this.#scheduleLocal(this.#rooms.dirty.nextDue());
      await this.#rooms.replaced.inspect();
      this.#background.after('late', this.#parts.limits.late, () => this.#inspectLate());
      this.#background.after('safety', this.#parts.limits.safetyScan, () => this.#safetyScan());
      this.#watching.begin();
      this.#parts.onChange?.();
    } catch (error) {
      if (!this.#isEnding) throw error;
    }
  }

  // Local changes

  #hint(path: string, how: { live: boolean; deep?: boolean }): void {
    if (this.#isEnding) return;
    const { dirty, ignored } = this.#rooms;
    // Whether it is a directory is not known; what is ignored either way is not looked at.
    if (path !== '' && ignored.isIgnored(path.split('/'), false)) return this.#mayMakeRoom(path);
    const components = path.split('/');
    if (path !== '' && nameFault(components.at(-1) ?? '') !== null) {
      return this.#rooms.look.checkNames(components.slice(0, -1));
    }
    const before = dirty.size;
    const now = this.#parts.clock.now();
    const delay = this.#delayOf(components, now);
    dirty.hint(path, now, { ...how, delay });
    // It may be a placeholder: then it is the file that is looked at.
    const behind = nameBehind(path);
    if (behind !== null && nameBehind(components.at(-1) ?? '') !== null) {
      dirty.hint(behind, now, { ...how, delay });
    }
    this.#scheduleLocal(now + delay);
    if (before === 0) this.#parts.onChange?.();
  }

  /** What is not synced may have been in the way of something. */
  #mayMakeRoom(path: string): void {
    const { unplaced } = this.#rooms.apply;
    if (unplaced.size > 0 && unplaced.isInTheWay(path)) this.#catchUp.lookAgainSoon();
  }

  /** How soon after something has happened to it a path is looked at. */
  #delayOf(path: readonly string[], now: Instant): Duration {
    const { limits, loaded } = this.#parts;
    const { records } = loaded;
    let at: Fid | null = records.root;
    if (path.join('/') === '') return limits.settle;
    for (const name of path) at = at === null ? null : records.at(at, name);
    if (at === null) return this.#rooms.dirty.delayOfNew();
    const isFile = records.get(at)?.kind === 'file';
    return isFile ? this.#rooms.dirty.delayOf(path.join('/'), now) : limits.settle;
  }

  /** Makes sure that somebody looks at what is due then. */
  #scheduleLocal(next: number | null): void {
    if (next === null || !this.#isStarted || next >= this.#localDue) return;
    this.#background.cancel('local');
    this.#localDue = next;
    const delay = milliseconds(Math.max(0, next - this.#parts.clock.now()));
    this.#background.after('local', delay, async () => {
      this.#localDue = Number.POSITIVE_INFINITY;
      // On a busy machine a timer rings before the watcher is heard: what is missing may have a name that nobody has told of.
      await setImmediate();
      await this.#lookAtDue();
    });
  }

  async #lookAtDue(): Promise<void> {
    const { local, mutex } = this.#rooms;
    if (!this.#presence.isThere(true)) await this.#presence.usable();
    let didAny = false;
    while (!this.#isEnding) {
      const did = await this.#pass(() => mutex.take(() => local.due(null)));
      if (!did) break;
      didAny = true;
    }
    this.#scheduleLocal(this.#rooms.dirty.nextDue());
    if (!didAny) return;
    await this.#save.saved();
    this.#catchUp.lookAgainSoon();
  }

  /** Everything is looked at, and what has not settled or failed yet again, until it has or never seems to. */
  async #lookAtAll(isFlush = false): Promise<void> {
    const { local, mutex, dirty } = this.#rooms;
    const { limits } = this.#parts;
    const wanted = isFlush ? new Set<string>() : null;
    const whole = await this.#pass(() => mutex.take(() => local.whole(wanted)));
    let waiting = [...new Set([...whole, ...this.#unlogged.paths()])];
    if (wanted !== null && wanted.size > 0) {
      // Written just now: a moment later it may rest.
      await this.#background.delay(limits.rest);
      await this.#pass(() => mutex.take(() => local.due([...wanted], wanted)));
      waiting = waiting.filter((path) => dirty.has(path));
    }
    for (let round = 0; waiting.length > 0 && round < limits.settleRounds; round++) {
      await this.#background.delay(limits.settle);
      await this.#pass(() => mutex.take(() => local.due(waiting)));
      waiting = waiting.filter((path) => dirty.has(path));
    }
    await this.#save.saved();
    this.#scheduleLocal(this.#rooms.dirty.nextDue());
  }

  /** What is due is looked at now, and not when its timer rings: no sooner, or a rename would be a removal. */
  async #lookNow(): Promise<void> {
    if (this.#presence.isThere(true)) await this.#lookAtDue();
  }

  async #pass<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      await this.#rooms.answers.check();
      return await work();
    } finally {
      this.#busy -= 1;
      this.#unlogged.looked();
      this.#rooms.outside.lookSoon(this.#background, this.#parts.limits, () =>
        this.#presence.isThere(true),
      );
      this.#parts.onChange?.();
    }
  }

  async #execute(...planned: Parameters<LogLocal['run']>): Promise<void> {
    const [plan, removals] = planned;
    const { fileSystem, limits, loaded, notes } = this.#parts;
    // A root that went away while it was looked at has nothing in it.
    const isThere = this.#presence.isThere(true);
    const isWhole = isThere || (plan.ops.length === 0 && removals.length === 0);
    if (!isWhole) return;
    const executor = new LogLocal({
      ...{ fileSystem, limits, notes, records: loaded.records },
      told: new RecordTold(loaded.records, loaded.held),
      contents: this.#rooms.contents,
      adopt: () => this.#adopt,
      failed: (path, error) => this.#failed(path, error),
      checkpoint: () => {
        if (loaded.records.changeCount >= limits.batchPaths) this.#save.now();
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
      sayError(board, text, error, NOT_TAKEN_IN);
      this.#unlogged.failed(text, error);
    }
    dirty.hint(text, clock.now(), { live: dirty.isLive(text), delay: limits.retry });
  }

  /** What is over the bound goes, and what is pinned comes; but not for each change. */
  #tendSoon(): void {
    this.#background.after('kept', this.#parts.limits.keptPause, async () => {
      const { kept } = this.#rooms;
      if (!this.#presence.isThere(true)) return;
      this.#background.later(() => kept.fillPinned());
      if (await kept.tend()) this.#parts.onChange?.();
      if (!kept.isBounded) return;
      // Others may fill the disk, and nobody says so.
      this.#background.after('kept-look', this.#parts.limits.keptLook, () => this.#tendSoon());
    });
  }

  #retry(): void {
    this.#rooms.apply.forgive();
    this.#catchUp.lookAgainSoon();
  }

  // Time

  async #inspectLate(): Promise<void> {
    // First: a disk that fails at it now is asked again.
    this.#background.after('late', this.#parts.limits.late, () => this.#inspectLate());
    if (this.#presence.isThere(true)) await this.#rooms.replaced.inspect();
  }

  async #safetyScan(): Promise<void> {
    this.#background.after('safety', this.#parts.limits.safetyScan, () => this.#safetyScan());
    await this.#lookAtAllAgain();
  }

  async #lookAtAllAgain(): Promise<void> {
    if (this.#presence.isThere(true)) await this.#lookAtAll();
    this.#catchUp.lookAgainSoon();
  }

  get #isEnding(): boolean {
    return this.#background.signal.aborted;
  }

  /** A failure of ours in the background: it is said, and everything is looked at again. */
  #broken(error: unknown): void {
    // The daemon closes: that is no failure of the folder.
    if (error instanceof GodwitError && error.code === 'not-running') return;
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.log.error('the folder failed at something', { error: stack });
    this.#rooms.board.set('internal', null, String(error));
    this.#background.after('rescan', this.#parts.limits.retry, () => this.#safetyScan());
  }
}

/**
 * Drives the folder: its start, its end, and what others ask of it. When the disk is looked at, local/look-schedule.ts knows; what of others' commits
 * goes on when, remote/catch-up.ts.
 *
 * Order at the start: watch, (snapshot,) look at everything, what was held back, then the feed. So whatever was changed
 * while the daemon was away is logged before a newer commit is put in place.
 */
import type { ExcludedHere, StayingFile } from '../../../shared/control/exclusions.ts';
import type {
  ErrorStatus,
  UnstoredStatus,
  WaitingStatus,
} from '../../../shared/control/snapshot.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber, DataVersion, Digest, VnodeKind } from '../../../shared/model/vnode.ts';
import type { KeptContents, WaitPolicy } from '../../../shared/ports/feed.ts';
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import { fromRoot } from '../../../shared/util/from-root.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { buildFolder, type FolderComponents, type FolderDependencies } from './build-folder.ts';
import { isBirthKnown } from './disk/disk-facts.ts';
import { whyUnclear } from './disk/path-errors.ts';
import { describeDiskError } from './error-words.ts';
import type { FolderFrontEnd } from './folder-options.ts';
import { hindranceIn, type Hindrance } from './hindrance.ts';
import type { MountPointHere, StandsFor } from './records/mount-points.ts';

/** Looks until what is to leave the disk rests; then it leaves later. */
const MOST_LOOKS = 3;
/** Paths that are told of at once as waiting: a status stays readable. */
const MOST_TOLD = 100;
const NOT_WHOLE = 'a folder in it is not kept on this laptop: `godwit include` it first';
const CHANGED = 'it has changed, and is taken when it rests';
const STARTING = 'the folder is looked at after a start';
const LOOKING = 'the folder is being looked at';

/**
 * Implements the front end `folder`: it builds the parts, starts and closes them, and answers the
 * daemon.
 */
export class Folder implements FolderFrontEnd {
  readonly #parts: FolderComponents;
  #started: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #forget: () => void = () => undefined;

  constructor(given: FolderDependencies) {
    this.#parts = buildFolder(given);
    const { events, background, limits } = this.#parts;
    events.on('statusChanged', () => {
      if (this.#isStarted && this.#parts.kept.isDue) this.#tendSoon();
      given.onChange?.();
    });
    events.on('retryNeeded', () => background.after('retry', limits.retry, () => this.#retry()));
    events.on('workFailed', (error) => this.#workFailed(error));
  }

  get volume(): VolumeId {
    return this.#parts.volume.id;
  }

  get token(): string {
    return this.#parts.guard.token;
  }

  get hasBegun(): boolean {
    return this.#isStarted;
  }

  get isAway(): boolean {
    return this.#parts.presence.why !== null;
  }

  mountPoints(): readonly MountPointHere[] {
    return this.#parts.mountPoints.here();
  }

  async hindrance(path: readonly string[]): Promise<Hindrance | null> {
    const { local, remote, catchUp } = this.#parts;
    const all = [...local.held.waiting(), ...remote.waiting(), ...catchUp.waiting()];
    const at = path.join('/');
    const waits = all.find((row) => row.path === at || row.path?.startsWith(`${at}/`));
    if (waits === undefined) {
      const dir = this.#parts.records.directoryAt(path);
      const isPart = dir !== null && this.#parts.excluded.hasOutIn(dir);
      return isPart ? { path, reason: NOT_WHOLE } : hindranceIn(this.#parts, path);
    }
    return { path: waits.path?.split('/') ?? path, reason: waits.reason, passes: true };
  }

  hasInode(inode: string): boolean {
    return isBirthKnown(inode) && this.#parts.records.byInode(inode) !== null;
  }

  standsFor(fid: Fid, inode: string): StandsFor {
    const { found, root, local } = this.#parts;
    const copy = found.copyOf(fid);
    const there = copy === null ? null : root.factsOrNull([...copy.path, copy.name]);
    if (copy !== null && there?.inode === copy.facts.inode) return 'there';
    return local.mayHave(inode) ? 'unseen' : 'nowhere';
  }

  get awaitsOthers(): boolean {
    return this.#parts.local.awaitsOthers;
  }

  async heard(): Promise<void> {
    await this.#parts.watching.heard();
  }

  async givesUp(mountPoint: Fid): Promise<void> {
    const { mutex, mountPoints, events, save } = this.#parts;
    const forgotten = await mutex.take(() => mountPoints.forgetBeneath(mountPoint));
    if (forgotten === 0) return;
    events.emit('namesForgotten');
    await save.saved();
  }

  lookAgain(): void {
    this.#parts.catchUp.lookAgainSoon();
  }

  excluded(): ExcludedHere[] {
    const { excluded, records, takeOut } = this.#parts;
    return excluded.marks().map((fid) => {
      const path = excluded.pathOf(fid);
      const above = path === null || path.length === 0 ? '' : `${path.join('/')}/`;
      const isIn = ({ path: at }: StayingFile): boolean => `${at}/`.startsWith(above);
      const staying = path === null ? [] : takeOut.staying().filter(isIn);
      const left = records.has(fid) ? records.countIn(fid) : 0;
      return { fid, path, left, staying: staying.slice(0, MOST_TOLD) };
    });
  }

  async looked(): Promise<void> {
    const { catchUp, takeOut, presence } = this.#parts;
    await this.#started;
    for (let round = 0; round < MOST_LOOKS && presence.isThere(true); round++) {
      // What has changed is logged first, our own changes among it.
      await this.scan();
      await catchUp.lookedAgain();
      if (!takeOut.hasChanges) return;
    }
  }

  isOut(dir: Fid): boolean {
    const { excluded, records } = this.#parts;
    const [place] = records.names(dir);
    return (
      place !== undefined && (excluded.isOut({ ...place, fid: dir }) || excluded.isMovedOut(dir))
    );
  }

  get isBare(): boolean {
    const { records, dirty } = this.#parts;
    return this.#isStarted && records.entryCount(records.root) === 0 && dirty.size === 0;
  }

  /** Begins to sync, in the background. */
  start(): void {
    const { feed, loaded, held, lost, log, board, local, catchUp, background } = this.#parts;
    if (lost !== null) {
      log.error(lost);
      board.set('damaged-rows', null, lost);
    }
    if (held.merged !== null || loaded.anew) local.adopt(!loaded.clean);
    this.#forget = feed.onWoken(() => {
      catchUp.lookAgainSoon();
      catchUp.repairSoon();
      if (this.#isStarted) this.#tendSoon();
    });
    let isStarted = (): void => undefined;
    this.#started = new Promise((resolve) => (isStarted = resolve));
    background.run(this.#run(isStarted));
  }

  /** A failure of ours is said, and it goes on where it was: a commit that is put in place again finds itself there. */
  async #run(isStarted: () => void): Promise<void> {
    const { remote, background, limits } = this.#parts;
    let isOpen = false;
    while (!this.#isEnding) {
      try {
        if (!isOpen) await this.#start();
        isOpen = true;
        isStarted();
        await remote.follow();
      } catch (error) {
        if (this.#isEnding) break;
        this.#workFailed(error);
        await background.delay(limits.retry);
      }
    }
    isStarted();
  }

  /** Resolves when everything was looked at and what was found is logged, or failed. Throws `folder-moved`. */
  async scan(): Promise<void> {
    const { presence, looks, board } = this.#parts;
    board.asked();
    // The start waits for it without end.
    presence.mustBeThere();
    await this.#started;
    presence.mustBeThere();
    await looks.lookAtAll(true);
    // What went away meanwhile was not looked at.
    presence.mustBeThere();
  }

  unsettled(): { paths: number; commits: number } {
    const { dirty, local, looks, remote, watching, catchUp } = this.#parts;
    const unseen = (this.#isStarted ? 0 : 1) + (watching.isUnseen ? 1 : 0);
    const paths = Math.max(dirty.size, looks.passes) + local.held.count + unseen;
    return { paths, commits: remote.unsettled + catchUp.unsettled };
  }

  /** What conflicts ask for, and what they leave over, belongs to it; but the audit does not wait for itself. */
  async reached(commit: CommitNumber, how: WaitPolicy = 'waits'): Promise<void> {
    const { remote, audit, catchUp } = this.#parts;
    const isOfAudit = audit.isOwnFlush;
    await remote.reached(commit, how);
    // What is not in place is for the audit to find, not to fail at.
    if (isOfAudit) return;
    await catchUp.settled();
    if (how === 'says') await catchUp.placed();
  }

  leftOut(path: readonly string[]): string | null {
    const { ignored, board, root, unplaced } = this.#parts;
    const kind = root.factsOrNull(path)?.kind ?? this.#kindElsewhere(path);
    const isDirectory = kind === 'directory';
    const shown = path.join('/');
    const said = board.messageOf(shown) ?? whyUnclear(board, path) ?? unplaced.reasonAt(shown);
    return ignored.reasonOf(path, isDirectory) ?? said;
  }

  /** Of what others have at a path where nothing is here. */
  #kindElsewhere(path: readonly string[]): VnodeKind | null {
    const { held, records } = this.#parts;
    const dir = records.directoryAt(path.slice(0, -1));
    const fid = dir === null ? null : (held.entry(dir, path.at(-1) ?? '')?.fid ?? null);
    return fid === null ? null : (held.vnode(fid)?.kind ?? records.get(fid)?.kind ?? null);
  }

  waiting(): WaitingStatus[] {
    const { dirty, local, looks, remote, board, catchUp, presence } = this.#parts;
    const starting = presence.why ?? (this.#isStarted ? null : STARTING);
    const paths = dirty.paths().slice(0, MOST_TOLD);
    return [
      ...(starting === null ? [] : [{ path: null, reason: starting }]),
      ...local.held.waiting().slice(0, MOST_TOLD),
      ...paths.map((path) => ({ path, reason: board.messageOf(path) ?? CHANGED })),
      ...(dirty.size === 0 && looks.passes > 0 ? [{ path: null, reason: LOOKING }] : []),
      ...remote.waiting().slice(0, MOST_TOLD),
      ...catchUp.waiting(),
    ];
  }

  /** What was made here has its contents here. */
  unstored(): UnstoredStatus | null {
    const { held, records } = this.#parts;
    const paths = [...held.unstored]
      .filter((fid) => !records.has(fid))
      .flatMap((fid) => held.entriesNaming(fid).slice(0, 1))
      .flatMap((row) => records.pathOfPlace(row)?.join('/') ?? [])
      .sort();
    const [path] = paths;
    return path === undefined ? null : { files: paths.length, path };
  }

  unlogged(): GodwitError | null {
    const { failures, looks } = this.#parts;
    const [untaken] = looks.untaken;
    if (failures.error !== null || untaken === undefined) return failures.error;
    return new GodwitError('not-committed', `${fromRoot(untaken)}: ${CHANGED}`);
  }

  status(): { errors: ErrorStatus[] } {
    return { errors: this.#parts.board.list() };
  }

  aside(): readonly string[] {
    return this.#parts.lostAndFound.list();
  }

  heldRemovals(): number {
    return this.#parts.local.held.count;
  }

  async confirmRemovals(path: readonly string[] | null = null): Promise<number> {
    const { held } = this.#parts.local;
    const count = held.countAt(path);
    if (count === 0) return 0;
    held.confirm(path);
    await this.scan();
    return count;
  }

  /** First looks again: what has come back meanwhile is not forgotten, and keeps what was done to it. */
  async rejectRemovals(path: readonly string[] | null = null): Promise<number> {
    const { local, mutex, save, catchUp } = this.#parts;
    if (local.held.countAt(path) === 0) return 0;
    await this.scan();
    const rejected = await mutex.take(() => local.held.reject(path));
    await save.saved();
    await catchUp.settled();
    return rejected;
  }

  get contents(): KeptContents {
    return this.#parts.kept;
  }

  copyOf(fid: Fid, _version: DataVersion, digest: Digest): Promise<string | null> {
    return this.#parts.copies.of(fid, digest);
  }

  anyCopyOf(fid: Fid): Promise<LocalCopy | null> {
    return this.#parts.copies.any(fid);
  }

  /** Ends all work and lets go of the folder. Resolves when nothing of it runs any more. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { store, loaded, local, background, watching, mutex, answers } = this.#parts;
    const { rooms, save, guard } = this.#parts;
    background.stop();
    this.#forget();
    await watching.close();
    await Promise.allSettled([this.#started, background.ended()]);
    // One that was begun in that moment.
    await watching.close();
    await mutex.idle();
    answers.end();
    rooms.end();
    try {
      // Else what was logged and is not in the records is found at the next start.
      if (save.now() && (this.#isStarted || loaded.clean)) {
        local.keepOpen();
        store.setState('clean', '1');
      }
    } finally {
      store.close();
      guard.release();
    }
  }

  async #start(): Promise<void> {
    const { presence, ownDisk, board, mounts, across, watching, remote, looks } = this.#parts;
    const { powerLoss, absentXattrs, placeholders, catchUp, replaced } = this.#parts;
    const { background, limits, events } = this.#parts;
    try {
      await presence.usable();
      ownDisk.tell(board);
      mounts.read();
      across.finish();
      await watching.anew();
      await remote.start();
      await looks.lookAtAll();
      await powerLoss.looked(() => looks.lookAtAll());
      await absentXattrs.setAgain();
      looks.begin();
      placeholders.tellAll();
      await remote.lookAgain();
      catchUp.open();
      this.#tendSoon();
      looks.schedule();
      await replaced.inspect();
      background.after('replaced', limits.late, () => this.#inspectReplaced());
      background.after('safety', limits.safetyScan, () => this.#safetyScan());
      watching.begin();
      events.emit('statusChanged');
    } catch (error) {
      if (!this.#isEnding) throw error;
    }
  }

  /** What is over the bound goes, and what is pinned comes; but not for each change. */
  #tendSoon(): void {
    const { background, limits, kept, presence, events } = this.#parts;
    background.after('kept', limits.keptPause, async () => {
      if (!presence.isThere(true)) return;
      background.later(() => kept.fillPinned());
      if (await kept.tend()) events.emit('statusChanged');
      background.cancel('kept-look');
      if (!kept.isBounded) return;
      // Others may fill the disk, and nobody says so.
      background.after('kept-look', kept.pause, () => this.#tendSoon());
    });
  }

  #retry(): void {
    this.#parts.apply.forgive();
    this.#parts.catchUp.lookAgainSoon();
  }

  async #inspectReplaced(): Promise<void> {
    const { background, limits, presence, replaced } = this.#parts;
    // First: a disk that fails at it now is asked again.
    background.after('replaced', limits.late, () => this.#inspectReplaced());
    if (presence.isThere(true)) await replaced.inspect();
  }

  async #safetyScan(): Promise<void> {
    const { background, limits, looks } = this.#parts;
    background.after('safety', limits.safetyScan, () => this.#safetyScan());
    await looks.lookAtAllAgain();
  }

  get #isStarted(): boolean {
    return this.#parts.looks.hasBegun;
  }

  get #isEnding(): boolean {
    return this.#parts.background.signal.aborted;
  }

  /** A failure of ours in the background, or of the disk: it is said, and everything is looked at again. */
  #workFailed(error: unknown): void {
    const { log, board, background, limits } = this.#parts;
    // The daemon closes: that is no failure of the folder.
    if (error instanceof GodwitError && error.code === 'not-running') return;
    if (describeDiskError(board, error)) {
      log.warn('the disk failed at something', { error: String(error) });
    } else {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('the folder failed at something', { error: stack });
      board.set('internal', null, String(error));
    }
    background.after('rescan', limits.retry, () => this.#safetyScan());
  }
}

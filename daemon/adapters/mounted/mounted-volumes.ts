/**
 * Keeps the volumes that are mounted in a folder, each by a front end of its own (adapters/folder), whose root is the directory of the mount point. So
 * everything that holds for a folder holds for a mounted volume, and the folder around it treats the directory as a border.
 *
 * Invariants
 * 1. A volume is kept at one place of the folder, and there until its mount point goes: so a ring of mount points ends.
 * 2. Where a volume is kept is durable before anything of it is put in place, and until nothing of it is left there.
 * 3. Records of a volume are used with the directory that they are of, by its token. One that is another directory, or was emptied with our marker,
 *    is begun anew: nothing that is missing there counts as removed (rule M4).
 * 4. Nothing of a volume is removed from the disk for good but by `takeAway`, when its front end is closed and its records are dropped (rule M5).
 */
import { join, relative } from 'node:path';
import { OneAtATime } from '../../../shared/concurrency/one-at-a-time.ts';
import { OWN_DIRECTORY, isFolderAt } from '../../../shared/control/marker.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { startupFailure } from '../../../shared/control/startup-failure.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import type { TimerHandle } from '../../../shared/ports/clock.ts';
import type { VolumesSeen } from '../../../shared/ports/feed.ts';
import { kindOf } from '../folder/disk/disk-facts.ts';
import { ownNameOf } from '../folder/disk/root-guard.ts';
import type { FolderFrontEnd, FolderOptions } from '../folder/folder-options.ts';
import type {
  MountKeeper,
  MountPoint,
  MountPointHere,
  StandsFor,
} from '../folder/records/mount-points.ts';
import { KeptMounts } from './kept-mounts.ts';
import { MountedRecords } from './mounted-records.ts';
import { takeAway } from './take-away.ts';

/** Changes come together. */
const SOON = milliseconds(20);
/** What a disk refused is tried again. */
const AGAIN = milliseconds(5000);

/** A folder of the tree: that around all others, or a mounted one. */
export interface Engine {
  readonly volume: VolumeId;
  readonly root: string;
  /** Below the root of the whole. */
  readonly path: readonly string[];
  readonly frontEnd: FolderFrontEnd;
  /** Resolves when it is closed, for who waits for it. */
  readonly left: Promise<undefined>;
}

interface Opened extends Engine {
  readonly at: Fid;
  readonly close: () => Promise<void>;
}

export interface MountedVolumesParts {
  /** As the folder around all others is opened. */
  readonly options: FolderOptions;
  readonly volumes: VolumesSeen;
  readonly openFolder: (options: FolderOptions) => Promise<FolderFrontEnd>;
  readonly letOthersRun: () => Promise<void>;
  readonly hex: (bytes: number) => string;
}

/** Opens, moves and takes away the folders of mounted volumes, as their mount points and rights come and go. */
export class MountedVolumes implements MountKeeper {
  readonly #parts: MountedVolumesParts;
  readonly #kept: KeptMounts;
  readonly #records: MountedRecords;
  readonly #open = new Map<VolumeId, Opened>();
  /** Mount points that are to go from the disk, and those at which nothing is kept any more for that. */
  readonly #asked = new Set<Fid>();
  readonly #left = new Set<Fid>();
  /** Of these, those that leave since they are not to be on this disk: they may come back. */
  readonly #out = new Set<Fid>();
  readonly #failures = new Map<VolumeId, ErrorStatus>();
  readonly #looking: OneAtATime;
  #top: Engine | null = null;
  #timer: TimerHandle | null = null;
  #forget: () => void = () => undefined;
  #isClosed = false;
  #isBusy = false;

  constructor(parts: MountedVolumesParts) {
    this.#parts = parts;
    const { options } = parts;
    this.#kept = new KeptMounts(options.dataDir, options.root, options.disk);
    this.#records = new MountedRecords(options);
    this.#looking = new OneAtATime(() => this.#look());
  }

  /** The folder around all others is open. */
  begin(frontEnd: FolderFrontEnd): void {
    const { options, volumes } = this.#parts;
    const { volume } = frontEnd;
    const left = new Promise<never>(() => undefined);
    this.#top = { volume, root: options.root, path: [], frontEnd, left };
    this.#forget = volumes.onVolumes(() => this.lookSoon());
    this.lookSoon();
  }

  /** Those that are open, without the one around them; what is mounted in one comes after it. */
  open(): readonly Engine[] {
    return [...this.#open.values()].sort((a, b) => a.path.length - b.path.length);
  }

  /** The same with the one around them, which comes first. */
  all(): readonly Engine[] {
    return this.#top === null ? [] : [this.#top, ...this.open()];
  }

  of(volume: VolumeId): Engine | null {
    return this.#open.get(volume) ?? null;
  }

  /** A volume is just being put in place, or taken away. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  errors(): ErrorStatus[] {
    const aside = this.#kept.aside().map(({ volume, directory }): ErrorStatus => {
      const message = `the volume ${volume} was shown here, and what this laptop had changed in it lies there`;
      const remedy =
        'what has been sent since is in the volume; take out the rest, then remove the directory';
      return { code: 'put-aside', message, remedy, path: directory };
    });
    return [...this.#failures.values(), ...aside];
  }

  isKept({ fid, volume }: MountPoint): boolean {
    // It is to be on this disk again.
    if (this.#out.has(fid) && !this.#isOut(fid)) {
      this.#out.delete(fid);
      this.#left.delete(fid);
    }
    if (this.#left.has(fid)) return false;
    const kept = this.#kept.get(volume);
    if (kept !== null) return kept.at === fid;
    const top = this.#top?.volume ?? this.#parts.options.volume.id;
    if (volume === top || this.#seen(volume) === null) return false;
    this.#kept.begin(volume, fid);
    this.lookSoon();
    return true;
  }

  hasElsewhere(inode: string, volume: VolumeId): boolean {
    return this.#besides(volume).some(({ frontEnd }) => frontEnd.hasInode(inode));
  }

  standsElsewhere(fid: Fid, inode: string, volume: VolumeId): StandsFor {
    const found = this.#besides(volume).map(({ frontEnd }) => frontEnd.standsFor(fid, inode));
    if (found.includes('there')) return 'there';
    if (this.#kept.volumes().some((each) => each !== volume && this.#isUnopened(each)))
      return 'unopened';
    return found.includes('unseen') ? 'unseen' : 'nowhere';
  }

  /** Something may lie in its directory, and nobody has looked there since the start. */
  #isUnopened(volume: VolumeId): boolean {
    const kept = this.#kept.get(volume);
    if (kept === null || kept.leaving !== null) return false;
    const opened = this.#open.get(volume);
    if (opened !== undefined) return !opened.frontEnd.hasBegun;
    if (this.#top === null) return true;
    const root = this.#rootOf(kept.at);
    return root !== null && this.#isDirectory(root);
  }

  async heardElsewhere(volume: VolumeId): Promise<void> {
    await Promise.all(
      this.#besides(volume).map(({ frontEnd, left }) => Promise.race([frontEnd.heard(), left])),
    );
  }

  #besides(volume: VolumeId): readonly Engine[] {
    return this.all().filter(({ frontEnd }) => frontEnd.volume !== volume);
  }

  mustLeave({ fid }: MountPoint): void {
    this.#asked.add(fid);
    this.lookSoon();
  }

  leaveWhenBare(mount: MountPoint): void {
    const opened = this.#open.get(mount.volume);
    this.#out.add(mount.fid);
    if (opened === undefined || opened.frontEnd.isBare) this.mustLeave(mount);
    else opened.frontEnd.lookAgain();
  }

  /** The mount point is not to be on this disk. */
  #isOut(at: Fid): boolean {
    return this.#around(at)?.frontEnd.isOut(at) ?? true;
  }

  /** The folder that a mount point is in. */
  #around(at: Fid): Engine | null {
    const volume = volumeOf(at);
    return volume === this.#top?.volume ? this.#top : this.of(volume);
  }

  lookSoon(): void {
    if (this.#isClosed || this.#isPlain) return;
    this.#timer ??= this.#parts.options.timers.start(SOON, () => {
      this.#timer = null;
      void this.look();
    });
  }

  /** Resolves when what is mounted now is open, as far as it can be. */
  look(): Promise<void> {
    return this.#isClosed || this.#isPlain ? Promise.resolve() : this.#looking.run();
  }

  /** Nothing is mounted in the folder, and nothing was. */
  get #isPlain(): boolean {
    if (this.#top === null) return true;
    return this.#top.frontEnd.mountPoints().length === 0 && this.#kept.volumes().length === 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#forget();
    if (this.#looking.isRunning) await this.#looking.run();
    for (const opened of [...this.#open.values()].reverse()) await this.#close(opened);
  }

  #seen(volume: VolumeId): VolumeInfo | null {
    return this.#parts.volumes.volumesSeen().find(({ id }) => id === volume) ?? null;
  }

  /** From the outermost folder on: what is mounted in each is opened, and the rest leaves. */
  async #look(): Promise<void> {
    if (this.#top === null || this.#isClosed) return;
    const wanted = new Set<VolumeId>();
    const known = new Set<VolumeId>();
    const engines: Engine[] = [this.#top];
    try {
      for (const engine of engines) {
        const { frontEnd } = engine;
        if (!frontEnd.hasBegun || frontEnd.isAway) continue;
        known.add(engine.volume);
        for (const mount of frontEnd.mountPoints()) {
          const info = this.#wanted(mount);
          if (info === null) continue;
          wanted.add(mount.volume);
          const opened = await this.#openAt(engine, mount, info);
          if (this.#isClosed) return;
          if (opened === null) continue;
          engines.push(opened);
          this.#parts.volumes.shows(mount.fid);
        }
      }
      for (const volume of this.#kept.volumes()) {
        if (!wanted.has(volume) && this.#mayLeave(volume, known)) await this.#leave(volume);
      }
    } catch (error) {
      this.#parts.options.log.warn('a mounted volume is tried again', { error: String(error) });
      this.#again();
    } finally {
      this.#busy(false);
    }
  }

  /** The volume, if it is to be kept at that mount point. */
  #wanted(mount: MountPoint): VolumeInfo | null {
    if (this.#asked.has(mount.fid) || !this.isKept(mount)) return null;
    if ((this.#kept.get(mount.volume)?.leaving ?? null) !== null) return null;
    return this.#seen(mount.volume);
  }

  /** Its mount point is known to be gone, or its right; and not merely out of sight. */
  #mayLeave(volume: VolumeId, known: ReadonlySet<VolumeId>): boolean {
    const kept = this.#kept.get(volume);
    if (kept === null || this.#top?.frontEnd.isAway !== false) return false;
    const around = volumeOf(kept.at);
    if (kept.leaving !== null || known.has(around)) return true;
    return around !== this.#top.volume && this.#kept.get(around) === null;
  }

  /** Null: it can't be open now, since its directory is not there. */
  async #openAt(around: Engine, mount: MountPointHere, info: VolumeInfo): Promise<Opened | null> {
    const root = join(around.root, ...mount.path);
    const before = this.#open.get(info.id);
    const isSame = before?.root === root && !before.frontEnd.isAway;
    if (before !== undefined && isSame) return before;
    this.#busy(true);
    if (before !== undefined) await this.#close(before);
    if (!this.#isDirectory(root)) return null;
    if (!this.#isItsRoot(info.id, root)) {
      if (!(await this.#isThere(around, mount, root))) return null;
      if (!this.#isItsRoot(info.id, root)) this.#beginAnew(info, mount.fid);
    }
    await Promise.race([around.frontEnd.givesUp(mount.fid), around.left]);
    if (this.#isClosed) return null;
    const opened = await this.#openFolder(root, [...around.path, ...mount.path], mount.fid, info);
    if (opened !== null) lookForMissing(this.all(), around.frontEnd, opened);
    return opened;
  }

  #isDirectory(root: string): boolean {
    const status = this.#parts.options.disk.status(root);
    return status !== null && kindOf(status) === 'directory';
  }

  /** What its records say is of this directory, or they say nothing. */
  #isItsRoot(volume: VolumeId, root: string): boolean {
    const token = this.#kept.get(volume)?.token ?? null;
    const { disk } = this.#parts.options;
    return token === null || isFolderAt(root, token, disk, ownNameOf(token));
  }

  /** The folder around it was looked at, and the mount point is where it was: it was not merely moved. */
  async #isThere(around: Engine, mount: MountPointHere, root: string): Promise<boolean> {
    try {
      await Promise.race([around.frontEnd.scan(), around.left]);
    } catch {
      return false;
    }
    const now = around.frontEnd.mountPoints().find(({ fid }) => fid === mount.fid);
    const isThere = now?.path.join('/') === mount.path.join('/') && this.#isDirectory(root);
    if (!isThere) this.lookSoon();
    return isThere && !this.#isClosed;
  }

  /** Its directory is there without our marker: it was removed with all that was in it, and made again. */
  #beginAnew({ id, name }: VolumeInfo, at: Fid): void {
    this.#parts.options.log.warn('a mounted volume is put in place anew', { volume: name });
    this.#records.drop(id);
    this.#kept.set(id, { at, token: null, leaving: null });
  }

  async #openFolder(
    root: string,
    path: readonly string[],
    at: Fid,
    volume: VolumeInfo,
  ): Promise<Opened | null> {
    const { options, openFolder } = this.#parts;
    const { id } = volume;
    const kept = { token: null, ...this.#kept.get(id), at, leaving: null };
    this.#kept.set(id, kept);
    try {
      const frontEnd = await openFolder({
        ...options,
        ...this.#records.optionsOf(id),
        ...{ root, volume, mounted: true, keeper: this },
        otherBytes: () => this.bytesBut(id),
        isExcluded: () => this.#isOut(at),
        onChange: () => {
          this.lookSoon();
          if (this.#out.has(at) && this.of(id)?.frontEnd.isBare === true) {
            this.#around(at)?.frontEnd.lookAgain();
          }
          options.onChange?.();
        },
      });
      this.#kept.set(id, { ...kept, token: frontEnd.token });
      this.#failures.delete(id);
      const { promise: left, resolve } = Promise.withResolvers<undefined>();
      const close = async (): Promise<void> => {
        await frontEnd.close();
        resolve(undefined);
      };
      const opened = { volume: id, root, path, at, frontEnd, left, close };
      this.#open.set(id, opened);
      options.onChange?.();
      return opened;
    } catch (error) {
      const { code, message, remedy } = startupFailure(error);
      this.#failures.set(id, { code, message, remedy, path: path.join('/') });
      options.log.warn('a mounted volume can not be opened', { root, why: message });
      this.#again();
      return null;
    }
  }

  /** Contents of all others that are in place: they count for the same bound. */
  bytesBut(volume: VolumeId): number {
    const others = this.all().filter((each) => each.volume !== volume);
    return others.reduce((sum, { frontEnd }) => sum + bytesOf(frontEnd), 0);
  }

  async #close(opened: Opened): Promise<void> {
    if (this.#open.get(opened.volume) === opened) this.#open.delete(opened.volume);
    await opened.close();
  }

  /** It goes from the disk with all that is mounted in it. */
  async #leave(volume: VolumeId): Promise<void> {
    const kept = this.#kept.get(volume);
    if (kept === null) return;
    this.#busy(true);
    for (const inner of this.#kept.volumes()) {
      const at = this.#kept.get(inner)?.at;
      if (at !== undefined && volumeOf(at) === volume) await this.#leave(inner);
    }
    const { options, volumes } = this.#parts;
    const opened = this.#open.get(volume);
    const left = kept.leaving === null ? null : join(options.root, kept.leaving);
    const root = left ?? opened?.root ?? this.#rootOf(kept.at);
    if (opened !== undefined) await this.#close(opened);
    try {
      if (root !== null) await this.#takeAway(volume, root);
    } catch (error) {
      const { code, message, remedy } = startupFailure(error);
      const path = relative(options.root, root ?? options.root);
      this.#failures.set(volume, { code, message, remedy, path });
      throw error;
    }
    this.#records.drop(volume);
    this.#kept.set(volume, null);
    this.#failures.delete(volume);
    volumes.unfollowed(volume);
    if (this.#asked.delete(kept.at)) this.#left.add(kept.at);
    options.log.info('a mounted volume has left the disk', { volume, root: root ?? '' });
    for (const { frontEnd } of [this.#top, ...this.#open.values()].filter(
      (each) => each !== null,
    )) {
      frontEnd.lookAgain();
    }
    options.onChange?.();
    // It may be seen again by now, or be mounted elsewhere.
    this.lookSoon();
  }

  #rootOf(at: Fid): string | null {
    const around = this.#around(at);
    const mount = around?.frontEnd.mountPoints().find(({ fid }) => fid === at);
    if (around === null || mount === undefined) return null;
    return join(around.root, ...mount.path);
  }

  async #takeAway(volume: VolumeId, root: string): Promise<void> {
    const { options, volumes, hex, letOthersRun } = this.#parts;
    const { disk: files, feed } = options;
    const known = this.#records.take(volume);
    const kept = this.#kept.get(volume);
    const token = known?.token ?? kept?.token ?? null;
    if (kept === null || token === null || !files.exists(join(root, ownNameOf(token)))) return;
    const name = (volumes.volumeName(volume) ?? `${volume}`).replaceAll('/', '_');
    const aside = join(OWN_DIRECTORY, 'lost+found', `${name}-${hex(4)}`);
    // Before anything lies there: it is listed whatever happens.
    this.#kept.putAside({ volume: name, directory: aside });
    this.#kept.set(volume, { ...kept, token, leaving: relative(options.root, root) });
    // From here on nothing that is missing may be taken for a removal.
    this.#records.drop(volume);
    const count = await takeAway({
      ...{ root, token, records: known?.records ?? null, files, letOthersRun },
      aside: join(options.root, aside),
      random: { hex },
      isUnsent: (fid, place) => feed.pendingVnode(fid) || feed.pendingEntry(place.dir, place.name),
    });
    if (count === 0) return;
    options.log.warn('files that were not sent are put aside', { volume: name, count, aside });
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = this.#parts.options.timers.start(AGAIN, () => {
      this.#timer = null;
      void this.look();
    });
  }

  #busy(isBusy: boolean): void {
    if (this.#isBusy === isBusy) return;
    this.#isBusy = isBusy;
    this.#parts.options.onChange?.();
  }
}

/**
 * What others miss since a start may have been moved into it: then that is no loss, which is known when both were looked at. `all`: with the one
 * around it, which is `around`.
 */
function lookForMissing(
  all: readonly Engine[],
  around: FolderFrontEnd,
  { frontEnd }: Engine,
): void {
  const missing = all
    .map((engine) => engine.frontEnd)
    .filter((each) => each.awaitsOthers || (each === around && each.heldRemovals() > 0));
  if (missing.length === 0) return;
  // One that was closed meanwhile is looked at when it is open again.
  void frontEnd
    .scan()
    .then(() => Promise.all(missing.map((each) => each.scan())))
    .catch(() => undefined);
}

function bytesOf({ contents }: FolderFrontEnd): number {
  return contents?.use().here.bytes ?? 0;
}

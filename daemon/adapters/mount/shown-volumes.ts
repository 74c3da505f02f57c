/**
 * The volumes that a mount shows: that at its top, and those whose mount points are met on the way.
 *
 * Invariants
 * 1. A volume is shown at one place, as in a folder, and there until its mount point goes: so a ring of mount points ends. Other mount points of it are
 *    empty directories that take nothing.
 * 2. A volume is followed from before anything in it is listed.
 * 3. What is known here of mount points is what the addon was told last.
 */
import { rootOf, volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { isPast, SNAPSHOTS_NAME } from '../../../shared/model/past-fid.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { TimerHandle } from '../../../shared/ports/clock.ts';
import type { VolumesSeen } from '../../../shared/ports/feed.ts';
import type { Attributes, Place } from '../../../shared/ports/file-system.ts';
import { Follower, type FollowerParts } from './follower.ts';
import type { NativeEntry, NativeStatus } from './native-mount.ts';
import { nativeStatus } from './operations.ts';

/** Changes come together. */
const SOON = milliseconds(20);

export interface ShownParts extends Omit<FollowerParts, 'volume' | 'names' | 'feed'> {
  readonly feed: FollowerParts['feed'] & VolumesSeen;
  /** That of the top. */
  readonly volume: VolumeId;
  /** What the core shows of a volume includes this commit. */
  readonly at: (volume: VolumeId) => CommitNumber;
}

/** A name that is a mount point. */
interface Point {
  readonly place: Place;
  /** Its own vnode. */
  readonly at: Fid;
  /** Null: none that may be seen. */
  readonly volume: VolumeId | null;
}

/** Decides what mount points show, and follows what is shown. */
export class ShownVolumes {
  readonly #parts: ShownParts;
  readonly #points = new Map<string, Point>();
  /** The mount point at which a volume is shown. */
  readonly #shown = new Map<VolumeId, Fid>();
  readonly #followers = new Map<VolumeId, Follower>();
  /** Directories that the mount has listed: they are told anew where the volume is seen again. */
  readonly #listed = new Map<VolumeId, Set<Fid>>();
  readonly #told = new Set<VolumeId>();
  readonly #forget: () => void;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(parts: ShownParts) {
    this.#parts = parts;
    this.#tellRights();
    this.#follow(parts.volume);
    this.#forget = parts.feed.onVolumes(() => this.#heard());
  }

  /** What follows a volume; null: it is not shown. */
  of(volume: VolumeId): Follower | null {
    return this.#followers.get(volume) ?? null;
  }

  /** All names of a directory, as the addon takes them. Rejects as the port does. */
  async list(dir: Fid): Promise<NativeEntry[]> {
    const { fileSystem } = this.#parts;
    const entries = await fileSystem.readdir(dir);
    const told = entries.map(({ name, attributes }) => ({
      name,
      status: this.status({ dir, name }, attributes),
    }));
    const names = new Set(entries.map(({ name }) => name));
    for (const { place } of this.#points.values()) {
      if (place.dir === dir && !names.has(place.name)) this.gone(place);
    }
    return names.has(SNAPSHOTS_NAME) ? told : [...told, ...(await this.#snapshots(dir))];
  }

  /** From now on the names of a directory are kept as they are. */
  listed(dir: Fid): void {
    if (!isPast(dir)) this.of(volumeOf(dir))?.listed(dir);
  }

  /** What a name stands for, as the addon takes it. */
  status(place: Place, attributes: Attributes): NativeStatus {
    const { mounted } = attributes;
    if (mounted === undefined) {
      this.gone(place);
      return nativeStatus(attributes);
    }
    const volume = mounted.volume === null ? null : volumeOf(attributes.fid);
    this.#points.set(keyOf(place), { place, at: mounted.at, volume });
    this.#lookSoon();
    const isShown = volume !== null && this.#isShownAt(volume, mounted.at);
    if (isShown) this.#follow(volume);
    const key = isShown ? attributes.fid : mounted.at;
    return { ...nativeStatus(attributes), key, mount: mounted.at };
  }

  /** Nothing has this name any more. */
  gone(place: Place): void {
    if (this.#points.delete(keyOf(place))) this.#lookSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    this.#timer?.cancel();
    for (const follower of this.#followers.values()) follower.close();
  }

  /** Where nothing shows it, it is shown there from now on. */
  #isShownAt(volume: VolumeId, at: Fid): boolean {
    if (volume === this.#parts.volume) return false;
    if (!this.#shown.has(volume)) this.#shown.set(volume, at);
    return this.#shown.get(volume) === at;
  }

  #follow(volume: VolumeId): void {
    if (this.#followers.has(volume) || this.#isClosed) return;
    const { at, ...parts } = this.#parts;
    const listed = this.#listed.get(volume) ?? new Set<Fid>();
    this.#listed.set(volume, listed);
    const follower = new Follower({ ...parts, volume, names: this }, at(volume), listed);
    this.#followers.set(volume, follower);
    // It may have changed since its attributes were asked for.
    void follower.refreshVnode(rootOf(volume)).catch(() => undefined);
  }

  /** As the folder of snapshots is in no listing, but can be looked up. */
  async #snapshots(dir: Fid): Promise<NativeEntry[]> {
    if (dir !== rootOf(volumeOf(dir))) return [];
    const found = await this.#parts.fileSystem.lookup(dir, SNAPSHOTS_NAME).catch(() => null);
    return found === null ? [] : [{ name: SNAPSHOTS_NAME, status: nativeStatus(found) }];
  }

  /** The server has said which volumes this device sees, and what it may do there. */
  #heard(): void {
    this.#tellRights();
    for (const { place } of this.#points.values()) this.#refresh(place);
    this.#lookSoon();
  }

  #tellRights(): void {
    const { native, mount, feed } = this.#parts;
    const seen = feed.volumesSeen();
    for (const { id, rights } of seen) {
      this.#told.add(id);
      native.mountRights(mount, id, rights);
    }
    for (const id of this.#told) {
      if (!seen.some((volume) => volume.id === id)) native.mountRights(mount, id, 'none');
    }
  }

  #refresh(place: Place): void {
    const follower = this.of(volumeOf(place.dir));
    void follower?.nameChanged(place).catch(() => undefined);
  }

  #lookSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#parts.timers.start(SOON, () => {
      this.#timer = null;
      this.#look();
    });
  }

  /** What is not reached any more is not followed, and may be shown elsewhere. */
  #look(): void {
    let isSame: boolean;
    do {
      isSame = true;
      for (const volume of this.#followers.keys()) {
        if (volume === this.#parts.volume || this.#isReached(volume)) continue;
        this.#followers.get(volume)?.close();
        this.#followers.delete(volume);
        isSame = false;
      }
    } while (!isSame);
    for (const [volume, at] of this.#shown) {
      if (this.#followers.has(volume) || this.#hasPoint(at)) continue;
      this.#shown.delete(volume);
      for (const point of this.#points.values()) {
        if (point.volume === volume) this.#refresh(point.place);
      }
    }
  }

  /** It may be seen, and its mount point is in a volume that is. */
  #isReached(volume: VolumeId): boolean {
    const at = this.#shown.get(volume);
    return [...this.#points.values()].some(
      (point) =>
        point.at === at && point.volume === volume && this.#followers.has(volumeOf(point.at)),
    );
  }

  /** The mount point is there still, whatever it shows. */
  #hasPoint(at: Fid): boolean {
    const isFollowed = this.#followers.has(volumeOf(at));
    return isFollowed && [...this.#points.values()].some((point) => point.at === at);
  }
}

const keyOf = ({ dir, name }: Place): string => `${dir}/${name}`;

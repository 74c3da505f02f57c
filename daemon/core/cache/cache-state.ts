/** The file cache: contents and what keeps them here, what is being fetched, and what bounds it. Files and pins are durable. */
import {
  DEFAULT_CACHE,
  type CacheSettings,
  type FreeDiskSpace,
} from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { RecentFile } from '../../../shared/control/snapshot.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { MOST_RECENT } from '../../limits.ts';
import type { Outbox } from '../effects.ts';
import { FetchList } from './fetch-list.ts';
import { FileCache } from './file-cache.ts';
import { Pins } from './pins.ts';

/** Which contents are being looked at before their first use (check-contents.ts), by name, and which were found damaged. */
class ContentChecks {
  readonly #underWay = new Set<string>();
  readonly #damaged = new Set<string>();

  /** False: it is under way already. */
  begin(name: string): boolean {
    if (this.#underWay.has(name)) return false;
    this.#underWay.add(name);
    return true;
  }

  ended(name: string, isGood: boolean): void {
    this.#underWay.delete(name);
    if (!isGood) this.#damaged.add(name);
  }

  /** Whether they were not what they should be when they were looked at. */
  wasDamaged(name: string): boolean {
    return this.#damaged.has(name);
  }
}

export interface Recent {
  readonly how: RecentFile['how'];
  readonly when: WallTime;
}

/** The MOST_RECENT files whose contents were sent or received last. It outlives the daemon (kept-recent.ts). */
class RecentFiles {
  /** The oldest first. */
  readonly #files = new Map<Fid, Recent>();
  #isKept = true;

  /** As the run before has kept them, the newest first. */
  load(files: ReadonlyArray<readonly [Fid, Recent]>): void {
    for (const [fid, recent] of files.toReversed()) this.#files.set(fid, recent);
  }

  /** Those that are to be kept, the newest first; null: they are what was taken last. */
  take(): Array<readonly [Fid, Recent]> | null {
    if (this.#isKept) return null;
    this.#isKept = true;
    return this.all();
  }

  note(fid: Fid, how: RecentFile['how'], when: WallTime): void {
    this.#isKept = false;
    this.#files.delete(fid);
    this.#files.set(fid, { how, when });
    const [oldest] = this.#files.keys();
    if (this.#files.size > MOST_RECENT && oldest !== undefined) this.#files.delete(oldest);
  }

  /** The newest first. */
  all(): Array<readonly [Fid, Recent]> {
    return [...this.#files].reverse();
  }
}

/**
 * Holds the state of the file cache: cached files, pins, fetches, checks of contents, and the
 * limits.
 */
export class CacheState {
  readonly files: FileCache;
  readonly pins: Pins;
  /** Folders that are not kept on this disk (rule X1). */
  readonly excluded: Pins;
  readonly fetches = new FetchList();
  readonly checks = new ContentChecks();
  readonly recent = new RecentFiles();
  readonly #placeholders = new Set<Fid>();
  #settings: CacheSettings = DEFAULT_CACHE;
  #disk: FreeDiskSpace | null = null;
  #parts = 0;

  constructor(out: Outbox) {
    this.files = new FileCache(out);
    this.pins = new Pins(out, 'pin');
    this.excluded = new Pins(out, 'excluded');
  }

  get settings(): CacheSettings {
    return this.#settings;
  }

  use(settings: CacheSettings): void {
    this.#settings = settings;
  }

  /** The vnode is gone for good, so nobody can wish anything of it: what is restored is another one. */
  endWishes(fid: Fid): void {
    this.pins.drop(fid);
    this.excluded.drop(fid);
  }

  /** Takes a measurement of the disk, in bytes: `free` is what is free beside the cache. */
  sawDisk({ free, total }: FreeDiskSpace, parts = 0): void {
    this.#disk = { free: free + this.files.bytes, total };
    this.#parts = parts;
  }

  /** Bytes of contents that came in part: who goes on with them needs as much less, and on a full disk they go first. */
  get parts(): number {
    return this.#parts;
  }

  /** The space of the disk in bytes, corrected by what the cache has gained and lost since the measurement; null: there was none. */
  diskNow(): FreeDiskSpace | null {
    const disk = this.#disk;
    return disk === null ? null : { ...disk, free: disk.free - this.files.bytes };
  }

  /** A front end has the contents of a file in place, or shows it without them. */
  keeps(fid: Fid, isHere: boolean): void {
    if (isHere) this.#placeholders.delete(fid);
    else this.#placeholders.add(fid);
  }

  /** A front end shows it without its contents. */
  isPlaceholder(fid: Fid): boolean {
    return this.#placeholders.has(fid);
  }

  placeholders(): IterableIterator<Fid> {
    return this.#placeholders.values();
  }
}

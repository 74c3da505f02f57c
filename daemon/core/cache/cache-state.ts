/** The file cache: contents and what keeps them here, what is being fetched, and what bounds it. Files and pins are durable. */
import {
  DEFAULT_CACHE,
  type CacheSettings,
  type FreeDiskSpace,
} from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Outbox } from '../effects.ts';
import { ContentChecks } from './content-checks.ts';
import { FetchList } from './fetch-list.ts';
import { FileCache } from './file-cache.ts';
import { Pins } from './pins.ts';
import { RecentFiles } from './recent-files.ts';

/**
 * Holds the state of the file cache: cached files, pins, fetches, checks of contents, and the
 * limits.
 */
export class CacheState {
  readonly files: FileCache;
  readonly pins: Pins;
  readonly fetches = new FetchList();
  readonly checks = new ContentChecks();
  readonly recent = new RecentFiles();
  readonly #placeholders = new Set<Fid>();
  #settings: CacheSettings = DEFAULT_CACHE;
  #disk: FreeDiskSpace | null = null;

  constructor(out: Outbox) {
    this.files = new FileCache(out);
    this.pins = new Pins(out);
  }

  get settings(): CacheSettings {
    return this.#settings;
  }

  use(settings: CacheSettings): void {
    this.#settings = settings;
  }

  /** Takes a measurement of the disk, in bytes: `free` is what is free beside the cache. */
  sawDisk({ free, total }: FreeDiskSpace): void {
    this.#disk = { free: free + this.files.bytes, total };
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

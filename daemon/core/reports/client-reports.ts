/**
 * The reports of the client for people, computed from its state on request (promise 7). A report over the whole log is cached until the next event,
 * since only an event changes the state.
 */
import type { CachePreview, CacheUse } from '../../../shared/control/cache.ts';
import type { SuggestedGroup } from '../../../shared/control/groups.ts';
import type { LocksReport } from '../../../shared/control/locks.ts';
import type { NetworkList } from '../../../shared/control/network.ts';
import type { FetchReport, PathQueue, QueueReport } from '../../../shared/control/queue.ts';
import type { FoundConflict } from '../../../shared/control/resolution.ts';
import type { SharingReport } from '../../../shared/control/sharing.ts';
import type { CacheChange } from '../../../shared/model/cache.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { BoundOf } from '../../../shared/ports/feed.ts';
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import { LISTING_KEPT, LISTINGS_KEPT } from '../../limits.ts';
import { cacheUse } from '../cache/cache-use.ts';
import { contentsBound, previewCache, settingsAfter } from '../cache/update-cache.ts';
import { fetchReport } from '../cache/fetch-report.ts';
import { sharingReport } from '../sharing/sharing-orders.ts';
import { locksReport } from '../lock/lock-report.ts';
import { crossedPath } from '../log/mount-points.ts';
import type { VolumePath } from '../../../shared/ports/controlled.ts';
import { networkList } from './network-status.ts';
import { suggestedGroups } from '../prefetch/suggested-groups.ts';
import type { ClientState } from '../state.ts';
import { coreStatus, logTally, type CoreStatus, type LogTotals, type Outside } from './status.ts';
import { QueueListing, type ListingPart } from '../log/queue-listing.ts';
import { pathQueue, queuePage } from '../log/queue-report.ts';

interface KeptListing {
  readonly listing: QueueListing;
  /** Of the state when it was begun. */
  readonly edition: number;
  readonly used: Instant;
}

/** Computes reports for people from the state of the client, and changes nothing in it. */
export class ClientReports {
  readonly #state: ClientState;
  #tally: { readonly edition: number; readonly tally: LogTotals } | null = null;
  /** The one that was used last comes last. */
  #listings: KeptListing[] = [];
  #lastListing = 0;

  constructor(state: ClientState) {
    this.#state = state;
  }

  status(outside: Outside): CoreStatus {
    const { edition } = this.#state;
    if (this.#tally?.edition !== edition) this.#tally = { edition, tally: logTally(this.#state) };
    return coreStatus(this.#state, outside, this.#tally.tally);
  }

  /**
   * The picture of the queue with that number, or (null) one of the queue as it is now; null: it is not kept any more. Numbers of an
   * earlier run of the program are none of this one.
   */
  listing(number: number | null): QueueListing | null {
    const { edition, now } = this.#state;
    const isMeant = (kept: KeptListing): boolean =>
      number === null ? kept.edition === edition : kept.listing.number === number;
    let kept = this.#listings.find(isMeant);
    if (kept === undefined && number !== null) return null;
    if (kept === undefined) {
      this.#lastListing = Math.max(this.#lastListing + 1, Math.floor(now.wall));
      const listing = new QueueListing(this.#state, this.#lastListing);
      kept = { listing, edition, used: now.at };
    }
    const others = this.#listings.filter(
      (other) => other !== kept && elapsed(other.used, now.at) < LISTING_KEPT,
    );
    this.#listings = [...others, { ...kept, used: now.at }].slice(-LISTINGS_KEPT);
    return kept.listing;
  }

  queuePage(listing: QueueListing, part: ListingPart): QueueReport {
    return queuePage(this.#state, listing, part);
  }

  /** What is queued of a path, in steps. null: there is no such volume. */
  queueAt(name: string, path: readonly string[]): Iterator<void, PathQueue> | null {
    const state = this.#state;
    const volume = [...state.names.volumes.values()].find(({ row }) => row.info.name === name);
    return volume === undefined ? null : pathQueue(state, volume.row.info.id, path);
  }

  /** As `acrossMounts` of the port; what is in no known volume stays as it is. */
  acrossMounts(place: VolumePath): VolumePath {
    const { volumes } = this.#state.names;
    const volume = [...volumes.values()].find(({ row }) => row.info.name === place.volume);
    if (volume === undefined) return place;
    const { volume: to, names } = crossedPath(this.#state, volume.row.info.id, place.path);
    return { volume: volumes.nameOf(to) ?? place.volume, path: names };
  }

  locks(): LocksReport {
    return locksReport(this.#state);
  }

  fetches(most: number): FetchReport {
    return fetchReport(this.#state, most);
  }

  cacheUse(): CacheUse {
    return cacheUse(this.#state);
  }

  /** Throws `usage` where the settings after it can't hold. */
  cacheAfter(change: CacheChange): { readonly preview: CachePreview; readonly boundOf: BoundOf } {
    const settings = settingsAfter(this.#state, change);
    return {
      preview: previewCache(this.#state, settings),
      boundOf: (bytes, room) => contentsBound(this.#state, bytes, room, settings),
    };
  }

  suggestedGroups(): SuggestedGroup[] {
    return suggestedGroups(this.#state);
  }

  /** A conflict that nobody has dealt with, and what it was about; null: there is no such. */
  volumesTold(): { readonly usual: VolumeId | null; readonly removed: readonly string[] } {
    const { usual, removed } = this.#state.names.volumes;
    return { usual, removed };
  }

  conflict(id: number): FoundConflict | null {
    return this.#state.conflict.list.find(id, (volume) => this.#state.names.volumes.nameOf(volume));
  }

  networks(): NetworkList {
    return networkList(this.#state);
  }

  sharing(fid: Fid | null): SharingReport {
    return sharingReport(this.#state, fid);
  }
}

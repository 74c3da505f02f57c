/**
 * What the client tells people: computed from its state when somebody asks (promise 7). What takes a look at the whole log is kept for as
 * long as no event comes: then nothing of it can have changed.
 */
import type { CacheUse } from '../../../shared/control/cache.ts';
import type { SuggestedGroup } from '../../../shared/control/groups.ts';
import type { NetworkList } from '../../../shared/control/network.ts';
import type { FetchReport, PathQueue, QueueReport } from '../../../shared/control/queue.ts';
import type { FoundConflict } from '../../../shared/control/resolution.ts';
import type { SharingReport } from '../../../shared/control/sharing.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import { LISTING_KEPT, LISTINGS_KEPT } from '../../limits.ts';
import { cacheUse } from '../cache/cache-use.ts';
import { fetchReport } from '../cache/fetch-report.ts';
import { sharingReport } from '../sharing/sharing-orders.ts';
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

  fetches(most: number): FetchReport {
    return fetchReport(this.#state, most);
  }

  cacheUse(): CacheUse {
    return cacheUse(this.#state);
  }

  suggestedGroups(): SuggestedGroup[] {
    return suggestedGroups(this.#state);
  }

  /** A conflict that nobody has dealt with, and what it was about; null: there is no such. */
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

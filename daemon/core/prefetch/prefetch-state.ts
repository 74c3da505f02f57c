/** What is under way of prefetching, and what is known of it. Nothing of it outlives the daemon. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Instant } from '../../../shared/model/time.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { RequestId } from '../events.ts';
import { FolderOrders } from './folder-orders.ts';
import { FolderStreaks, type Streak } from './folder-streaks.ts';
import { AccessMonitor } from './infer-groups.ts';
import { PrefetchList, type ListedGroup } from './prefetch-list.ts';
import type { FetchKey } from '../waits/wait-key.ts';

/** The list of a group as it was read. */
export interface ReadGroup {
  /** Of the content that it was read from. */
  readonly name: string;
  /** null: it is no list. */
  readonly files: readonly Fid[] | null;
}

/** Holds the state of prefetch: groups, streaks, pins to look at, and the one fetch in flight. */
export class PrefetchState {
  readonly list = new PrefetchList();
  readonly accesses = new AccessMonitor();
  /** Folders that are read one file after the other, and what comes after what in them. */
  readonly streaks = new FolderStreaks();
  readonly orders = new FolderOrders();
  /** Something may have become worth having; the same for what is pinned. */
  look = false;
  lookAtPins = false;
  /** Validations of pinned files count if they were sent after this request. */
  pinsSince: RequestId = 0;
  /** Questions in class PREFETCH that are under way, and the vnodes that only they are about. */
  readonly asking = new Set<RequestId>();
  readonly askedQuietly = new Set<Fid>();
  /** The content that is being read. */
  reading: string | null = null;
  /** The prefetch in flight, with its group or streak; with neither: it is for a pinned file. */
  fetching: FetchKey | null = null;
  group: ListedGroup | null = null;
  streak: Streak | null = null;
  readonly groups = new Map<Fid, ReadGroup>();
  /** Versions that could not be prefetched. */
  readonly failed = new Map<Fid, DataVersion>();
  /** When somebody opened a file last, or got what he had waited for. */
  demandAt: Instant | null = null;
  /** Calls that have touched their group. */
  readonly noted = new Set<number>();

  /** Looks at everything again: a session has begun, or pins may have changed. */
  lookAtAll(since: RequestId): void {
    this.look = true;
    this.lookAtPins = true;
    this.pinsSince = since;
  }
}

/** What waits to be sent, as people and programs see it, and what they can ask of it. */
import type { PriorityClass } from '../model/priority-class.ts';
import type { Update } from '../model/update.ts';

export const QUEUE_ACTS = ['now', 'later', 'cancel'] as const;
export type QueueAct = (typeof QUEUE_ACTS)[number];

/** Metadata updates, and stores. */
export const QUEUE_NAMES = ['metadata', 'data'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** A number of the list, or a path with all that is under it. */
export type QueueTarget =
  { readonly number: number } | { readonly volume: string; readonly path: readonly string[] };

export interface QueueOrder {
  readonly act: QueueAct;
  readonly target: QueueTarget;
  /** Of `cancel`: what waits for it is cancelled too. */
  readonly withDependents: boolean;
}

export interface QueueOutcome {
  /** How many updates the order was about, and how many others it took along: what they depend on, or what depends on them. */
  readonly updates: number;
  readonly others: number;
  /** Of the former, how many are metadata on their way: those are left alone. */
  readonly underWay: number;
  /** Why nothing of it is sent at the moment; null: nothing keeps it. */
  readonly why: string | null;
  /**
   * Of `cancel`: the paths of which the server has refused changes. These are given up, and the server's version comes. Left out: there was none.
   */
  readonly givenUp?: readonly string[];
  /** Those of them whose contents are kept in `lost+found` now. Left out by an older daemon. */
  readonly laidAside?: readonly string[];
  /** The name of the volume in which these are. Left out by an older daemon, and where nothing was given up. */
  readonly volume?: string;
}

export type QueueEntryState =
  | 'on its way'
  | 'ready'
  | 'waiting' // for others: `waitsFor`
  | 'delayed' // until `until`
  | 'held back' // there is no room in the quota
  | 'blocked' // `reason`
  | 'cancelled';

export interface QueueEntry {
  /** It stays the same while the update waits, but for conflicts. */
  readonly number: number;
  readonly volume: string;
  /** From the root of the volume. */
  readonly path: string;
  readonly kind: Update['op'];
  readonly priorityClass: PriorityClass;
  /** Of contents; 0 for metadata. `sentBytes` are acknowledged. */
  readonly bytes: number;
  /** Of a new file: how long the contents are that wait for it. Left out: there are none, or the daemon is older. */
  readonly contentBytes?: number;
  readonly sentBytes: number;
  readonly state: QueueEntryState;
  readonly turn: 'now' | 'later' | null;
  readonly waitsFor: readonly number[];
  readonly reason: string | null;
  /** ISO 8601. */
  readonly until: string | null;
  /** Estimated time until it is committed; null: unknown. */
  readonly seconds: number | null;
}

/**
 * What is asked of the queue: a page of it. A first question begins a listing: the queue as it is then, in the order in which it goes. Who
 * goes on in that (`listing` and `from` are `listing` and `next` of the page before) meets nothing twice, and misses nothing that stays
 * queued, whatever comes and goes meanwhile.
 */
export interface QueueRequest {
  /** Entries at most; a page never has more than a thousand. */
  readonly most: number;
  /** The place of the first one, from 0 on; left out: 0. */
  readonly from?: number | undefined;
  /** One of the queues; left out: both. */
  readonly of?: QueueName | undefined;
  /** Left out: the queue as it is now. */
  readonly listing?: number | undefined;
}

export interface QueueReport {
  /** All that the listing has of the queues that were asked for. */
  readonly total: number;
  /** A page of it, in the order in which they are sent, without what has gone since the listing began. */
  readonly entries: readonly QueueEntry[];
  /** Why nothing is sent at the moment; null: it is. */
  readonly why: string | null;
  /** Left out by an older daemon: it tells what it tells at once. It is kept for a minute after it was last used. */
  readonly listing?: number;
  /** Where the next page begins; null: there is none. Left out by an older daemon. */
  readonly next?: number | null;
  /** Milliseconds after which it may be asked for again by who only watches: a hundred times as long as it took. Left out by an older daemon. */
  readonly restMs?: number;
}

/** What is queued of one file, or of a folder with all that is in it. */
export interface PathQueue {
  readonly updates: number;
  /** Of contents, and how many of these are acknowledged. */
  readonly bytes: number;
  readonly sentBytes: number;
  /** What is not sent by itself, the gravest first; null: nothing is so. */
  readonly kept: {
    readonly state: Extract<QueueEntryState, 'blocked' | 'held back' | 'cancelled'>;
    readonly reason: string | null;
  } | null;
  /** How far the rest is; null: there is nothing. */
  readonly moving: 'sending' | 'delayed' | 'queued' | null;
}

/** When a queue is through. */
export interface QueueEstimate {
  /** Measured while it was busy; null: not known yet. */
  readonly bytesPerSecond: number | null;
  /** null: unknown, for the reason in `why`. */
  readonly seconds: number | null;
  readonly why: string | null;
}

/** Contents that are being fetched, or wait for their turn. */
export interface FetchEntry {
  readonly volume: string;
  /** From the root of the volume; null: it has no name here any more. */
  readonly path: string | null;
  /** A program waits for it; otherwise it is fetched for a folder, or ahead of use. */
  readonly demanded: boolean;
  /** It is fetched ahead of use, for a file group or a pin. Absent: it is not. */
  readonly ahead?: true;
  readonly state: 'on its way' | 'waiting';
  /** null: it is not known yet. */
  readonly bytes: number | null;
  readonly receivedBytes: number;
}

export interface FetchReport {
  /** `entries` are the first of them: those under way, then the others in their order. */
  readonly total: number;
  readonly entries: readonly FetchEntry[];
}

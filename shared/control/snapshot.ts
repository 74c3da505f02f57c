/**
 * What the daemon tells people and programs about itself: one plain object with a revision. The tray and the CLI
 * know nothing that is not in it.
 */
import type { FolderUse } from './cache.ts';
import type { DaemonState } from '../model/daemon-state.ts';
import type { PriorityClass } from '../model/priority-class.ts';
import type { Scheduling } from '../model/scheduling.ts';
import type { NetworkStatus } from './network.ts';
import type { QueueEstimate } from './queue.ts';

export interface QueueStatus {
  /** Updates logged and not yet answered by the server. */
  readonly updates: number;
  /** Of these, how many are on their way. */
  readonly inFlight: number;
  /** Content bytes of the stores among them; 0 for the metadata queue. */
  readonly bytes: number;
  /** Content bytes acknowledged of the stores that are on their way. */
  readonly sentBytes: number;
  /** Of these updates, how many a person has taken out of the queue. */
  readonly cancelled: number;
  /** Content bytes of these, which are in `bytes`, too; left out by an older daemon. */
  readonly cancelledBytes?: number;
  readonly estimate: QueueEstimate;
}

/** In bytes of the contents of files. */
export interface QuotaStatus {
  readonly limit: number;
  readonly used: number;
  /** What may still be written here: without what is queued, and what others were granted ahead. */
  readonly free: number;
}

export interface VolumeStatus {
  readonly id: number;
  readonly name: string;
  readonly rights: 'read' | 'write';
  /** It may not be seen now: what is known of it here stays. Left out: it may. */
  readonly shut?: true;
  /** The newest commit known of, and the newest that the front end shows. */
  readonly head: number;
  readonly applied: number;
  /** As last reported by the server; null: it has no quota. */
  readonly quota: QuotaStatus | null;
}

export interface ConflictStatus {
  readonly id: number;
  /** ISO 8601 time at which it was found. */
  readonly when: string;
  /** Left out where that is not known: an older daemon has found it. */
  readonly volume?: string;
  /** Paths inside the volume. */
  readonly path: string;
  readonly copy: string;
  readonly kind: string;
  /** Of these nothing is there any more: it was moved or removed since. Left out: of none, as far as is known. */
  readonly gone?: readonly ConflictPlace[];
}

export type ConflictPlace = 'path' | 'copy';

export interface ErrorStatus {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly path: string | null;
  /** Then the path is from the root of this volume, which is not the folder's. Left out: from the root of the folder, or the daemon is older. */
  readonly volume?: string;
  /** It was so before the last flush or scan began, or is being tried again; how that ends is not known yet. Left out: it is so now, or the daemon is older. */
  readonly untried?: true;
}

/** Something that is not synced yet, and why. */
export interface WaitingStatus {
  /** From the root of the folder; null: it is of no one path. */
  readonly path: string | null;
  readonly reason: string;
  /** A mount point that is missing: confirmed, it unmounts its volume, and removes nothing. */
  readonly unmounts?: true;
  /** It is not synced, and needs a person to be so. Absent: it is retried. */
  readonly stands?: true;
}

/** Files that others have made, and whose contents have not reached the server: nobody else has them. */
/** A folder that is not kept on this laptop. */
export interface ExcludedStatus {
  /** Below the root of the folder. */
  readonly path: string;
  /** Files and folders of it that are on the disk still. */
  readonly left: number;
}

export interface UnstoredStatus {
  readonly files: number;
  /** Of one of them, from the root of the folder. */
  readonly path: string;
}

/** Bytes a second over the last five seconds. */
export interface ClassRates {
  readonly up: number;
  readonly down: number;
}

/** Of all datagrams, and of headers and contents by priority class. */
export interface TrafficRates extends ClassRates {
  readonly classes: Readonly<Record<PriorityClass, ClassRates>>;
}

export interface RecentFile {
  readonly volume: string;
  /** From the root of the volume. */
  readonly path: string;
  readonly how: 'sent' | 'received';
  /** ISO 8601. */
  readonly when: string;
}

/** How fast contents may be sent and received, bytes a second; null: as fast as it goes. */
export interface LimitStatus {
  readonly upload: number | null;
  readonly download: number | null;
  /** The server paces what it sends so. `soon`: it is being told. `too-old`, `refused`: it does not. */
  readonly server: 'paces' | 'soon' | 'too-old' | 'refused';
}

export interface StatusSnapshot {
  readonly revision: number;
  readonly pid: number;
  readonly version: string;
  /** The version that is installed by now where this daemon began: it takes a new start. Absent: the same one, as far as is known. */
  readonly installed?: string;
  readonly state: DaemonState;
  /** One line for people. */
  readonly summary: string;
  readonly connected: boolean;
  /** ISO 8601 time since when it is not. Absent: it is, or the daemon is older. */
  readonly offlineSince?: string;
  readonly server: { readonly address: string; readonly fingerprint: string };
  readonly device: {
    readonly id: number | null;
    readonly name: string;
    readonly user: string | null;
  };
  readonly folder: string | null;
  readonly frontEnd: 'folder' | 'mount' | 'none';
  /** Why `--front-end auto` took it; absent: a person said which, or the daemon is older. */
  readonly frontEndWhy?: string;
  readonly paused: boolean;
  /** ISO 8601 time at which syncing goes on by itself. null, or absent from an older daemon: when a person resumes it. */
  readonly pausedUntil?: string | null;
  /** Syncing resumes when the machine joins another network. Absent: it does not. */
  readonly pausedUntilNetworkChanges?: boolean;
  readonly queues: { readonly metadata: QueueStatus; readonly data: QueueStatus };
  readonly fetches: {
    readonly running: number;
    readonly bytes: number;
    readonly receivedBytes: number;
  };
  /** Changes in the folder that are not logged yet, and commits that are not in it yet. */
  readonly unsettled: { readonly paths: number; readonly commits: number };
  /**
   * Why not everything is synced: the first of what waits, each with its reason; updates of the queue are one entry. Empty where all is
   * synced. Left out by an older daemon.
   */
  readonly waiting?: readonly WaitingStatus[];
  /** Left out: there are none, or the daemon is older. */
  readonly unstored?: UnstoredStatus;
  /** Folders that this laptop does not keep; left out: it keeps all, or the daemon is older. */
  readonly excluded?: readonly ExcludedStatus[];
  readonly cache: {
    readonly files: number;
    readonly bytes: number;
    /** Files that the folder shows without their contents; left out: none. */
    readonly placeholders?: number;
    /** Files of the folder; left out: there is none, or the daemon is an older one. `files` and `bytes` are of what is beside it. */
    readonly folder?: FolderUse;
  };
  /** The folder's own first, where there is a folder. */
  readonly volumes: readonly VolumeStatus[];
  readonly conflicts: readonly ConflictStatus[];
  readonly errors: readonly ErrorStatus[];
  readonly link: {
    readonly rttMs: number | null;
    readonly sentBytes: number;
    readonly receivedBytes: number;
    /** The shortest round trip of this connection: what the line takes without a queue. Left out by an older daemon, as what follows. */
    readonly baseRttMs?: number | null;
    /** How fast contents leave, as the bulk window measures it on the line; null: nothing was sent yet that tells. */
    readonly bulkBytesPerSecond?: number | null;
    readonly rates?: TrafficRates;
    /** How far the server's clock is ahead of the one of this machine, to some seconds. Left out: it has not told the time yet. */
    readonly clockAheadMs?: number;
  };
  /** The network that the machine is on; null, or absent from an older daemon: none, or unknown. */
  readonly network?: NetworkStatus | null;
  /** The limits of a person on contents. Absent: there are none, or the daemon is older. */
  readonly limits?: LimitStatus;
  /** Files that are locked, by this laptop and by others, and locks that it has lost. Left out: there are none, or the daemon is older. */
  readonly locks?: { readonly own: number; readonly others: number; readonly lost: number };
  /** The files whose contents moved last, newest first; left out by an older daemon. */
  readonly recent?: readonly RecentFile[];
  /** Many files were removed here at once: how many, and when that began (ISO 8601). Left out: no such thing, or the daemon is older. */
  readonly manyRemoved?: { readonly files: number; readonly since: string };
  /** Other laptops removed many files: each what, the newest last. Left out: no such thing, or the daemon is older. */
  readonly othersRemoved?: readonly OthersRemoved[];
  /** The laptops of this person, the newest first. Left out: the server has not told, or the daemon is older. */
  readonly devices?: readonly OwnDevice[];
  /** How what this side sends is ordered; left out: by priorities. */
  readonly scheduling?: Scheduling;
  /** Where metrics are served over HTTP; left out: nowhere. */
  readonly metrics?: string;
}

/** A laptop of the person whose daemon tells the status. */
export interface OwnDevice {
  readonly device: number;
  readonly name: string;
  /** When it was paired, ISO 8601. */
  readonly since: string;
  /** When this laptop heard of it first, ISO 8601, within the last days. Left out: it knew of it before. */
  readonly joined?: string;
}

/** What another laptop removed in one volume, one file shortly after the other. */
export interface OthersRemoved {
  readonly device: number;
  /** What it is called; null: the server does not say. */
  readonly by: string | null;
  readonly volume: string;
  readonly files: number;
  /** When that began, ISO 8601. */
  readonly since: string;
  /** The commits, as far as they are known here: `from` is the same while it goes on. */
  readonly from: number;
  readonly to: number;
}

/**
 * A plan: the whole of a simulated run as data. A seed makes one (`make-plan.ts`), `run-plan.ts` carries it out, a
 * file can hold it, and a failing one can be shortened: any part of its list left out is a plan again.
 *
 * Times are absolute, so that leaving one entry out does not move the others. An entry that makes no sense when its time
 * comes (a daemon that is down is killed) does nothing.
 */
import type { FileOperation } from './operation.ts';

/** One laptop of a run. */
export interface LaptopPlan {
  /** Laptops of one volume meet; others must not hear of it. */
  readonly volume: number;
  readonly rights: 'read' | 'write';
  readonly frontEnd: 'folder' | 'none';
  /** Several laptops of one user have the same rights. Left out: one of its own. */
  readonly user?: string;
  /** It is paired at this time, in the middle of the workload. Left out: before the run begins. */
  readonly joinsAtMs?: number;
  /** It is switched off and never seen again. Left out: it stays. */
  readonly leavesAtMs?: number;
  /** How far its wall clock is off from the beginning. Left out: not at all. */
  readonly wallSkewMs?: number;
  /** How it announces hidden updates, and in which order it sends (shared/model/consistency.ts). Absent: the default. */
  readonly invalidations?: 'sync' | 'no';
  readonly storePriorities?: 'uniform';
  /** Contents leave and come no faster, bytes a second. Left out: as fast as they can. */
  readonly uploadLimit?: number;
  readonly downloadLimit?: number;
}

/** The world of a run: near or far, fast or slow. */
export interface PlanSettings {
  readonly laptops: readonly LaptopPlan[];
  /** Disks and databases answer within this time, in any order. */
  readonly diskMs: number;
  readonly network: {
    /** One way. */
    readonly delayMs: number;
    /** Null: no bottleneck. */
    readonly bytesPerSecond: number | null;
    /** Each packet takes up to so much longer: streams overtake each other. Left out: none does. */
    readonly jitterMs?: number;
    /** The share of packets that are lost and sent again. Left out: none are. */
    readonly loss?: number;
    /** The most that travels as one where there is a bottleneck. Left out: as much as in the real world. */
    readonly packetBytes?: number;
  };
  /** Contents of so many bytes or more go in parts, and by difference. Left out: nearly all do; in the real world few of the size that runs have. */
  readonly partialFrom?: number;
  /** What each laptop may keep of fetched contents. Left out: all of them. */
  readonly cacheBytes?: number;
  /** How large each laptop's disk looks to its daemon, which leaves a reserve of it free. It refuses nothing by itself. Left out: nobody looks. */
  readonly diskBytes?: number;
  /** Two laptops that use a file within this time share it; left out: a day, which no run lasts. */
  readonly sharePeriodMs?: number;
  /** How long a reader waits for what another has hidden. Left out: as long as in the real world. */
  readonly readerWaitMs?: number;
  /** The server works in turns as the real one does, and a device that has added so many rows lately rests beside others. Left out: all is done at one go. */
  readonly heavyRows?: number;
  /** How far the server's wall clock is off from the beginning. Left out: not at all. */
  readonly serverWallSkewMs?: number;
}

/** A fault as data: its family says what the details mean. */
export interface FaultEvent {
  readonly family: string;
  /** How long it lasts; 0 where it is over at once. */
  readonly lastsMs: number;
  readonly [detail: string]: string | number | boolean;
}

export type PlanEntry = {
  /** Milliseconds since everybody was connected. */
  readonly at: number;
} & (
  | {
      readonly kind: 'operation';
      /** Names it in this run, also after other steps were left out. */
      readonly number: number;
      /** Index of the laptop. */
      readonly laptop: number;
      readonly operation: FileOperation;
    }
  | { readonly kind: 'fault'; readonly fault: FaultEvent }
);

export interface Plan {
  readonly seed: number;
  readonly settings: PlanSettings;
  /** In order of time. */
  readonly entries: readonly PlanEntry[];
}

/** The RPCs of ours that are on their way, and what each is for. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { SharingOrder } from '../../../shared/model/sharing.ts';
import type { Instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber, DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Serial } from '../events.ts';

export type Purpose =
  | { readonly for: 'hello' }
  /** GetTime: keep-alive, and the heads. */
  | { readonly for: 'time' }
  /** Hidden updates (rule S2). */
  | { readonly for: 'announce' }
  | { readonly for: 'validate'; readonly fids: readonly Fid[] }
  | { readonly for: 'status'; readonly fids: readonly Fid[] }
  | { readonly for: 'directory'; readonly fid: Fid }
  | { readonly for: 'contents'; readonly key: string }
  | { readonly for: 'blocks'; readonly volume: VolumeId }
  /** The front end's position. */
  | {
      readonly for: 'follow';
      readonly volume: VolumeId;
      readonly call: number;
      readonly since: CommitNumber;
    }
  /** Our own catching up after a lost lease. */
  | { readonly for: 'catch-up'; readonly volume: VolumeId; readonly since: CommitNumber }
  | {
      readonly for: 'snapshot';
      readonly volume: VolumeId;
      readonly call: number;
      readonly isFirst: boolean;
    }
  /** The volume as the server had it before the lost part (rule I1), and what was committed since. */
  | { readonly for: 'lost-snapshot' | 'lost-since'; readonly volume: VolumeId }
  | { readonly for: 'past'; readonly call: number }
  /** What users say of sharing in a volume; and that a person of ours says something. */
  | { readonly for: 'orders'; readonly volume: VolumeId }
  | {
      readonly for: 'order';
      readonly call: number;
      readonly fid: Fid;
      readonly order: SharingOrder | null;
    }
  /** A fetch that is under way goes on in a higher class. */
  | { readonly for: 'raise'; readonly key: string }
  | { readonly for: 'batch'; readonly seqs: readonly UpdateSeq[]; readonly bytes: number }
  /** `isWhole`: its contents are surely sent as they are, all of them. */
  | {
      readonly for: 'store';
      readonly seq: UpdateSeq;
      readonly fid: Fid;
      readonly bytes: number;
      readonly isWhole: boolean;
    };

export interface OpenRequest {
  readonly id: Serial;
  readonly purpose: Purpose;
  readonly sentAt: Instant;
  priorityClass: PriorityClass;
  sentBytes: number;
  receivedBytes: number;
  /** Of its contents, what the network's budget was charged with (network/tend-bulk.ts). */
  charged: number;
  /** It is to be stopped, and to go on later. */
  stopped: boolean;
}

/** A fetch of contents that somebody waits for; one for each fid and version (null: the present one). */
export interface ContentsFetch {
  readonly key: string;
  readonly fid: Fid;
  readonly version: DataVersion | null;
  /** Where the contents go: into the cache, or straight to the caller. */
  readonly into: 'cache' | 'caller';
  /** Only these contents will do; null: those of that version. */
  readonly digest: Digest | null;
  /** The present version, as far as is known: its contents are here, and only others are wanted. */
  readonly unless: DataVersion | null;
  /** Nobody waits for it yet (prefetch/prefetch.ts). */
  ahead: boolean;
  /** It comes with the word of it (brought.ts): who puts it in place may ask later. */
  isBrought: boolean;
  priorityClass: 'FETCH' | 'STORE_DATA' | 'PREFETCH';
  /** While it runs. */
  request: Serial | null;
  /** How often the server was asked to raise it. */
  raises: number;
  state: 'queued' | 'running';
  /** While it runs: how long the contents are, as far as known. */
  bytes: number;
}

/** The RPCs of ours that are on their way, and what each is for; in the order in which they were sent. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { LockMode } from '../../../shared/model/file-lock.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { SharingOrder } from '../../../shared/model/sharing.ts';
import type { Instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { AnyRpc, Outbox, SentContent, WantedContent } from '../effects.ts';
import type { RequestId } from '../events.ts';
import type { FetchKey } from './wait-key.ts';

export type Purpose =
  | { readonly for: 'hello' | 'give-up' }
  /** GetTime: keep-alive, and the heads. */
  | { readonly for: 'time' }
  /** GetTime, with how fast contents are to come here (network/transfer-limits.ts). */
  | { readonly for: 'limit'; readonly rate: number | null }
  /** Hidden updates (rule S2). */
  | { readonly for: 'announce' }
  | { readonly for: 'validate'; readonly fids: readonly Fid[] }
  | { readonly for: 'status'; readonly fids: readonly Fid[] }
  /** A directory; the name of a file. */
  | { readonly for: 'directory' | 'name'; readonly fid: Fid }
  /** The way down from a directory (sharing/lookup.ts). */
  | { readonly for: 'lookup'; readonly dir: Fid; readonly names: readonly string[] }
  | { readonly for: 'contents'; readonly key: FetchKey }
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
  /** Who removed many files, and when (sharing/others-removals.ts). */
  | {
      readonly for: 'who-removed';
      readonly volume: VolumeId;
      readonly from: CommitNumber;
      readonly which: 'first' | 'last';
      readonly commit: CommitNumber;
    }
  | { readonly for: 'past'; readonly call: number }
  /** What users say of sharing in a volume; and that a person of ours says something. */
  | { readonly for: 'orders'; readonly volume: VolumeId }
  | {
      readonly for: 'order';
      readonly call: number;
      readonly fid: Fid;
      readonly order: SharingOrder | null;
    }
  /** User locks: one is wanted, one is to end (or those of others, if a call says so), all of a volume. `call` null: nobody waits for it. */
  | {
      readonly for: 'lock';
      readonly call: number | null;
      readonly fid: Fid;
      readonly mode: LockMode;
    }
  | { readonly for: 'unlock'; readonly call: number | null; readonly fid: Fid }
  | { readonly for: 'locks'; readonly volume: VolumeId }
  /** What this laptop is called from now on; `call` null: its settings say so. */
  | { readonly for: 'rename'; readonly call: number | null; readonly name: string }
  /** Which devices this person has. */
  | { readonly for: 'devices' }
  /** A fetch that is under way goes on in a higher class. */
  | { readonly for: 'raise'; readonly key: FetchKey }
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
  readonly id: RequestId;
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

/** Hears of what is sent, and of the end of the connection that it was sent on. */
export interface Promising {
  sent(request: RequestId, at: Instant): void;
  reset(): void;
}

/** What a request carries besides its message. */
export interface About {
  readonly content?: SentContent | null;
  readonly wanted?: WantedContent;
}

/** Numbers requests, emits their effects, and keeps the open ones in the order of sending. */
export class Requests {
  readonly #out: Outbox;
  readonly #promises: Promising;
  readonly #open = new Map<RequestId, OpenRequest>();
  #lastSerial: RequestId = 0;
  #lastSent: Instant;

  constructor(out: Outbox, promises: Promising, at: Instant) {
    this.#out = out;
    this.#promises = promises;
    this.#lastSent = at;
  }

  get size(): number {
    return this.#open.size;
  }

  /** When something was sent last, or the program began. */
  get lastSent(): Instant {
    return this.#lastSent;
  }

  /** The next number of a request, a call or a file task. */
  nextSerial(): RequestId {
    this.#lastSerial += 1;
    return this.#lastSerial;
  }

  send(
    message: AnyRpc,
    priorityClass: PriorityClass,
    purpose: Purpose,
    at: Instant,
    { content = null, wanted }: About = {},
  ): RequestId {
    const id = this.nextSerial();
    const nothing = { sentBytes: 0, receivedBytes: 0, charged: 0, stopped: false };
    this.#open.set(id, { id, purpose, sentAt: at, priorityClass, ...nothing });
    this.#promises.sent(id, at);
    this.#lastSent = at;
    const about = wanted === undefined ? { content } : { content, wanted };
    this.#out.emit({ kind: 'request', request: id, message, priorityClass, ...about });
    return id;
  }

  get(id: RequestId): OpenRequest | undefined {
    return this.#open.get(id);
  }

  has(id: RequestId): boolean {
    return this.#open.has(id);
  }

  values(): IterableIterator<OpenRequest> {
    return this.#open.values();
  }

  /** Whether something is asked for this. */
  isAsking(what: Purpose['for']): boolean {
    for (const { purpose } of this.#open.values()) if (purpose.for === what) return true;
    return false;
  }

  /** It was answered, or ended without an answer. */
  end(id: RequestId): void {
    this.#open.delete(id);
  }

  /** It was answered, and goes on for something else, from now on. */
  goOn(request: OpenRequest, purpose: Purpose): void {
    this.#open.set(request.id, { ...request, purpose, charged: 0 });
  }

  /** It goes in another class from now on. */
  expedite(request: OpenRequest, priorityClass: PriorityClass): void {
    request.priorityClass = priorityClass;
    this.#out.emit({ kind: 'raise', request: request.id, priorityClass });
  }

  /** It is to be stopped, and to go on later. */
  stop(request: OpenRequest): void {
    request.stopped = true;
    this.#out.emit({ kind: 'stop', request: request.id });
  }

  /**
   * The daemon ends its connection. A server that hears of this lets nobody wait for what it had promised here (server/core/session/end-session.ts);
   * so no promise is used from this step on, though the event of the connection's end comes later.
   */
  disconnect(): void {
    this.#promises.reset();
    this.#out.emit({ kind: 'disconnect' });
  }
}

/**
 * What the core wants done. All effects of a step, answers and requests too, wait until the rows of that step (and of every step before it) are
 * durable: no peer or program learns of what a crash could undo. A program on this machine may learn of what only a loss of power could undo, since
 * that ends the program too (runtime/event-loop.ts).
 */
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../shared/model/vnode.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { LogFields, LogLevel } from '../../shared/ports/log.ts';
import type { ClientTable, ClientTables, RowChange } from '../../shared/ports/client-store.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ReplyOf, RequestOf, RpcName } from '../../shared/wire/rpcs.ts';
import type { RequestId } from './events.ts';

/** What is hidden of what was our own (rule S1), for the acknowledgement of a break. */
export type HiddenMarksReport = NonNullable<ReplyOf<'BreakCallback'>['told']>;

/** A content of the file store, to be sent with a request. */
export interface SentContent {
  readonly name: string;
  readonly length: number;
  /** The digest of the committed version that it was made over, which can be the base of a delta. Null: it is not known. */
  readonly base: Digest | null;
  /** A version of another file that has the same contents, and can be the base, too. Null: none is known, or the server takes none. */
  readonly from: { readonly fid: Fid; readonly version: DataVersion } | null;
  /** It may have been sent before, in this life or an earlier one: the server may have a part of it. */
  readonly again: boolean;
}

/** What is known of contents to fetch: the server can send them as a delta over a version that is cached. */
export interface WantedContent {
  readonly fid: Fid;
  /** Of the contents, or of another version of them; null: it is not known. */
  readonly size: number | null;
  /** A committed version in the file store. */
  readonly held: HeldContent | null;
}

export interface HeldContent {
  readonly name: string;
  readonly version: DataVersion;
  readonly digest: Digest;
  readonly size: number;
}

export type AnyRpc = {
  [N in RpcName]: { readonly rpc: N; readonly body: RequestOf<N> };
}[RpcName];

/** Work on files. All but `discard` and `remove` are answered by a `file` event with the same task number. */
export type FileTask =
  /** `received` null: the content is empty, and there is no file yet. */
  | {
      readonly what: 'adopt';
      readonly received: { readonly path: string; readonly length: number } | null;
      readonly name: string;
    }
  /** `call`: for whom. */
  | {
      readonly what: 'stage';
      readonly name: string;
      readonly from: string | null;
      readonly call: number;
    }
  | {
      readonly what: 'seal';
      readonly name: string;
      readonly digest: string | null;
      readonly call: number;
    }
  | { readonly what: 'take' | 'copy-out'; readonly name: string }
  | { readonly what: 'hand-over'; readonly spool: string | null }
  /** Look for a local copy and take it in; the outcome's path is null where there is none. */
  | {
      readonly what: 'local-copy';
      readonly fid: Fid;
      readonly version: DataVersion;
      readonly digest: Digest;
      readonly size: number;
      readonly name: string;
    }
  /** Copies the version that the front end has, whichever it is; the outcome has its digest. */
  | { readonly what: 'any-copy'; readonly fid: Fid; readonly name: string }
  /** Read what is there: the outcome has its digest. */
  | { readonly what: 'check'; readonly name: string }
  /** A short text: the outcome has it, where it has `most` bytes at most. */
  | { readonly what: 'read'; readonly name: string; readonly most: number }
  | { readonly what: 'discard'; readonly spool: string }
  | { readonly what: 'remove'; readonly name: string }
  /** Put a copy where a person finds it. */
  | { readonly what: 'lose'; readonly name: string; readonly readable: string };

export type Effect =
  | { readonly kind: 'connect' }
  | { readonly kind: 'disconnect' }
  /** Contents leave no faster than this on the present connection; null: as fast as it goes. */
  | { readonly kind: 'limit'; readonly bytesPerSecond: number | null }
  | {
      readonly kind: 'request';
      readonly request: RequestId;
      readonly message: AnyRpc;
      readonly priorityClass: PriorityClass;
      readonly content: SentContent | null;
      /** Of a Fetch. */
      readonly wanted?: WantedContent;
    }
  /** Ends a request that is on its way; it goes on later. Where its end is on its way already, that counts. */
  | { readonly kind: 'stop'; readonly request: RequestId }
  /** Answers an incoming BreakCallback. `told`: our hidden updates of what was unshared and ours. */
  | { readonly kind: 'acknowledge'; readonly call: number; readonly told?: HiddenMarksReport }
  /** Answers an incoming ServerPull: nothing is coming of these. */
  | { readonly kind: 'pulled'; readonly call: number; readonly held: readonly Fid[] }
  /** A request that is on its way goes on in another class. */
  | { readonly kind: 'raise'; readonly request: RequestId; readonly priorityClass: PriorityClass }
  /** `file`: a file that goes to the caller with the answer; it is discarded if the caller is gone. */
  | {
      readonly kind: 'answer';
      readonly call: number;
      readonly value: unknown;
      readonly file?: string;
    }
  | {
      readonly kind: 'refuse';
      readonly call: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly remedy?: string;
    }
  | { readonly kind: 'file'; readonly task: RequestId; readonly work: FileTask }
  | { readonly kind: 'woken'; readonly volume: VolumeId }
  /** The invitation was redeemed and may be forgotten. */
  | { readonly kind: 'paired' }
  /** What this laptop is called from now on. */
  | { readonly kind: 'renamed'; readonly name: string }
  /** The server has said which volumes this device sees. */
  | { readonly kind: 'volumes' }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields;
    };

/** Collects the rows and effects of a step; the parts of the core write into it. */
export class Outbox {
  #rows = new Map<string, RowChange>();
  #effects: Effect[] = [];
  readonly #woken = new Set<VolumeId>();

  put<T extends ClientTable>(table: T, key: string | number, value: ClientTables[T]): void {
    this.#change({ table, key: String(key), value } as RowChange);
  }

  drop(table: ClientTable, key: string | number): void {
    this.#change({ table, key: String(key), value: undefined });
  }

  emit(effect: Effect): void {
    this.#effects.push(effect);
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.#effects.push({ kind: 'log', level, message, fields });
  }

  /** Notes that the front end of a volume has something to look at; it is woken once, at the end of the step. */
  wake(volume: VolumeId): void {
    this.#woken.add(volume);
  }

  /** The rows so far, once, in the order of their first change. */
  takeRows(): RowChange[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }

  takeEffects(): Effect[] {
    for (const volume of this.#woken) this.#effects.push({ kind: 'woken', volume });
    this.#woken.clear();
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #change(change: RowChange): void {
    this.#rows.set(`${change.table}\0${change.key}`, change);
  }
}

/** What is known of calls beside that they wait: open files, notes of front ends (durable), and closes that wait for the server. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { Outbox } from '../effects.ts';
import { CallNotes } from './call-notes.ts';
import { OpenHandles } from './open-handles.ts';
import { RemovalBurst } from '../names/removal-burst.ts';

/** A close whose store was logged under a number, and what it is answered. */
export interface SyncClose {
  readonly seq: UpdateSeq;
  readonly rank: UpdateSeq;
  readonly fid: Fid;
}

/** The error of a call that has waited for the queue too long. */
interface InVain {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Holds open files, the notes of front ends, and the calls that wait for a commit or for room in
 * the queue.
 */
export class CallsState {
  readonly notes: CallNotes;
  readonly handles = new OpenHandles();
  readonly removals = new RemovalBurst();
  /** What was kept last of bursts of removals, by the key of its row (kept-removals.ts). */
  readonly keptRemovals = new Map<string, string>();
  readonly #syncCloses = new Map<number, SyncClose>();
  readonly #waitsForQueue = new Map<number, InVain>();

  constructor(out: Outbox) {
    this.notes = new CallNotes(out);
  }

  /** A close that waits until what it wrote is committed; undefined: it is none. */
  syncClose(call: number): SyncClose | undefined {
    return this.#syncCloses.get(call);
  }

  closeWhenCommitted(call: number, close: SyncClose): void {
    this.#syncCloses.set(call, close);
  }

  waitForQueue(call: number, inVain: InVain): void {
    this.#waitsForQueue.set(call, inVain);
  }

  /** The error of the call once it has waited too long; undefined: it does not wait for the queue. */
  queueInVain(call: number): InVain | undefined {
    return this.#waitsForQueue.get(call);
  }

  get waitingForQueue(): number {
    return this.#waitsForQueue.size;
  }

  /** The call has its answer, or was given up. */
  ended(call: number): void {
    this.#syncCloses.delete(call);
    this.#waitsForQueue.delete(call);
  }
}

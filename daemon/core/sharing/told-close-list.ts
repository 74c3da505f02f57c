/** The closes that wait until the server has the message about what they wrote (reported-closes.ts), by their calls. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { RequestId } from '../events.ts';

export interface PendingClose {
  readonly seq: UpdateSeq;
  readonly fid: Fid;
  /** The message that announces it; null: none was sent yet. */
  message: RequestId | null;
}

/**
 * Keeps the closes that wait for an acknowledged ForwardInvalidate, by the numbers of their calls.
 */
export class ToldCloseList {
  readonly #closes = new Map<number, PendingClose>();

  get size(): number {
    return this.#closes.size;
  }

  get(call: number): PendingClose | undefined {
    return this.#closes.get(call);
  }

  begin(call: number, close: PendingClose): void {
    this.#closes.set(call, close);
  }

  end(call: number): void {
    this.#closes.delete(call);
  }

  [Symbol.iterator](): IterableIterator<[number, PendingClose]> {
    return this.#closes[Symbol.iterator]();
  }
}

/** The closes that wait until the server was told of what they wrote (told-closes.ts), by their calls. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { Serial } from '../events.ts';

export interface ToldClose {
  readonly seq: UpdateSeq;
  readonly fid: Fid;
  /** The one that tells of it; null: none has yet. */
  message: Serial | null;
}

export class ToldCloseList {
  readonly #closes = new Map<number, ToldClose>();

  get size(): number {
    return this.#closes.size;
  }

  get(call: number): ToldClose | undefined {
    return this.#closes.get(call);
  }

  begin(call: number, close: ToldClose): void {
    this.#closes.set(call, close);
  }

  end(call: number): void {
    this.#closes.delete(call);
  }

  [Symbol.iterator](): IterableIterator<[number, ToldClose]> {
    return this.#closes[Symbol.iterator]();
  }
}

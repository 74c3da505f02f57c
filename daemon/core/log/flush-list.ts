/** The flushes that somebody waits for (flush.ts), and the youngest word of how far the server is. */
import type { Instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { RequestId } from '../events.ts';

export interface RunningFlush {
  readonly barrier: UpdateSeq;
  readonly deadline: Instant | null;
  /** The newest request when the last update was answered: a later GetTime reports what the server had by then. Null: updates are unanswered. */
  answeredAt: RequestId | null;
}

/** Keeps the flushes that calls wait for, and the request number of the newest answered GetTime. */
export class FlushList {
  readonly #running = new Map<number, RunningFlush>();
  #lastTime: RequestId = 0;

  get size(): number {
    return this.#running.size;
  }

  get(call: number): RunningFlush | undefined {
    return this.#running.get(call);
  }

  begin(call: number, flush: RunningFlush): void {
    this.#running.set(call, flush);
  }

  end(call: number): void {
    this.#running.delete(call);
  }

  [Symbol.iterator](): IterableIterator<[number, RunningFlush]> {
    return this.#running[Symbol.iterator]();
  }

  /** A GetTime was answered, and its heads are known. */
  timeTold(request: RequestId): void {
    this.#lastTime = Math.max(this.#lastTime, request);
  }

  /** Whether one was that was sent after this. */
  isToldSince(serial: RequestId): boolean {
    return this.#lastTime > serial;
  }
}

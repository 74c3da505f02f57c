/**
 * Spaces group commits: the first after a rest goes at once, and one that comes soon after another waits a little, so that
 * what arrives meanwhile shares its sync. The core has one group committing at a time, so there is one to wait.
 *
 * After a commit it rests as long as that took: where commits are slow (a busy disk, many rows), few large ones go through where many
 * small ones would write the same pages again and again, and the thread has half of its time for everything else.
 */
import {
  after,
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
} from '../../shared/model/time.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { COMMIT_SPACING, MOST_COMMIT_REST } from '../limits.ts';

interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metaStore: MetaStore;
}

export class CommitPacer {
  readonly #ports: Ports;
  /** Not before then. */
  #next: Instant | null = null;
  #timer: TimerHandle | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  commit(writes: readonly RowWrite[]): Promise<void> {
    const rest = this.#rest();
    if (rest <= 0) return this.#begin(writes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#timer = this.#ports.timers.start(rest, () => {
      this.#timer = null;
      this.#begin(writes).then(resolve, reject);
    });
    return promise;
  }

  /** A commit that waits is not begun any more. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  async #begin(writes: readonly RowWrite[]): Promise<void> {
    const { clock, metaStore } = this.#ports;
    const begun = clock.now();
    this.#next = after(begun, COMMIT_SPACING);
    try {
      await metaStore.commit(writes);
    } finally {
      const ended = clock.now();
      const took = Math.min(elapsed(begun, ended), MOST_COMMIT_REST);
      const rested = after(ended, milliseconds(took));
      if (rested > this.#next) this.#next = rested;
    }
  }

  #rest(): Duration {
    if (this.#next === null) return milliseconds(0);
    return milliseconds(Math.max(elapsed(this.#ports.clock.now(), this.#next), 0));
  }
}

/**
 * Spaces group commits: the first after a rest goes at once, and one that comes soon after another waits a little, so that
 * what arrives meanwhile shares its sync. The core has one group committing at a time, so there is one to wait.
 */
import { elapsed, type Duration, type Instant } from '../../shared/model/time.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { COMMIT_SPACING } from '../limits.ts';

interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metaStore: MetaStore;
}

export class CommitPacer {
  readonly #ports: Ports;
  #last: Instant | null = null;
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

  #begin(writes: readonly RowWrite[]): Promise<void> {
    this.#last = this.#ports.clock.now();
    return this.#ports.metaStore.commit(writes);
  }

  #rest(): Duration {
    if (this.#last === null) return 0 as Duration;
    return (COMMIT_SPACING - elapsed(this.#last, this.#ports.clock.now())) as Duration;
  }
}

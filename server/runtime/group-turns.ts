/**
 * Who adds much to group commits leaves time between them while another device adds little.
 *
 * Such a device fills group after group, so a save of another one would wait for the group under way and write the rows of the next one with its own. So
 * the updates of a device that adds much are not looked up before the group under way is durable, and then not before a rest of HEAVY_REST times as long
 * as a group with its rows took. In the rest the group that is being collected is empty, and a save is committed at once and alone.
 *
 * A turn is one load: look-ups and decisions of about half a millisecond. The group is written after a pause (HEAVY_PAUSE), in which the thread sleeps: what keeps a
 * core busy for long keeps all else that is to run on it waiting, as the threads that bring the messages of others, and a turn of the event loop does not change that.
 *
 * Invariants
 * 1. A device that is alone, or beside others that add as much, never waits here; nor does one that adds little.
 * 2. Who waits has its turn after MOST_HEAVY_REST and one group at most, whatever became of the turn before.
 * 3. A device that rests adds one load to a group.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import {
  after,
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
} from '../../shared/model/time.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import { COMMIT_SPACING, HEAVY_PAUSE, HEAVY_REST, MOST_HEAVY_REST } from '../limits.ts';
import type { AddedLately } from './added-lately.ts';

interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Says when a device that adds much may add to a group again. */
export class GroupTurns {
  readonly #ports: Ports;
  readonly #added: AddedLately;
  /** Those who wait may add one group. False: nobody waits any more. */
  readonly #comes: () => boolean;
  #isUnderWay = false;
  /** Who has had its turn since the last group. */
  readonly #had = new Set<DeviceId>();
  #from: Instant | null = null;
  #isWaitedFor = false;
  #timer: TimerHandle | null = null;

  constructor(ports: Ports, added: AddedLately, comes: () => boolean) {
    this.#ports = ports;
    this.#added = added;
    this.#comes = comes;
  }

  /** False: it waits, and `comes` is called when its turn has come. */
  mayAdd(device: DeviceId): boolean {
    if (!this.isHeavy(device)) return true;
    if (!this.#isUnderWay && this.#left() <= 0 && !this.#had.has(device)) {
      this.#had.add(device);
      return true;
    }
    this.#isWaitedFor = true;
    this.#arm(this.#left());
    return false;
  }

  /** It adds much beside somebody who does not. */
  isHeavy(device: DeviceId): boolean {
    return this.#added.isHeavy(device, this.#ports.clock.now());
  }

  /** How long a group waits before it is written, so that the thread has slept since its rows were decided. */
  pauseBefore(writes: readonly RowWrite[]): Duration {
    return this.#isOfHeavy(writes) ? HEAVY_PAUSE : milliseconds(0);
  }

  /** A group is closed. */
  begins(): void {
    this.#isUnderWay = true;
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** The group has ended. `took`: since it began to be written. */
  ended(writes: readonly RowWrite[], took: Duration): void {
    this.#isUnderWay = false;
    this.#had.clear();
    if (this.#isOfHeavy(writes)) {
      const rest = Math.min(HEAVY_REST * took, MOST_HEAVY_REST);
      this.#from = after(this.#ports.clock.now(), milliseconds(rest));
    }
    if (this.#isWaitedFor) this.#arm(this.#left());
  }

  /** Nobody's turn comes any more. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isWaitedFor = false;
  }

  /** Asks once for each device: groups of one that is alone are long. */
  #isOfHeavy(writes: readonly RowWrite[]): boolean {
    const asked = new Set<DeviceId>();
    for (const write of writes) {
      if (write.kind !== 'applied' || asked.has(write.device)) continue;
      if (this.isHeavy(write.device)) return true;
      asked.add(write.device);
    }
    return false;
  }

  #left(): Duration {
    if (this.#from === null) return milliseconds(0);
    return milliseconds(Math.max(elapsed(this.#ports.clock.now(), this.#from), 0));
  }

  #arm(wait: Duration): void {
    if (this.#isUnderWay || this.#timer !== null) return;
    // The group of the turn before may be about to close.
    const least = this.#had.size > 0 ? COMMIT_SPACING : 0;
    this.#timer = this.#ports.timers.start(milliseconds(Math.max(wait, least)), () => {
      this.#timer = null;
      this.#had.clear();
      this.#isWaitedFor = this.#comes();
      // What had its turn may stage nothing, and then no group ends.
      if (this.#isWaitedFor) this.#arm(COMMIT_SPACING);
    });
  }
}

/**
 * Spaces group commits: the first after a rest goes at once, and one that comes soon after another waits a little, so that
 * what arrives meanwhile shares its sync. The core has one group committing at a time, so there is one to wait.
 *
 * After a commit it rests as long as that took: where commits are slow (a busy disk, many rows), few large ones go through where many
 * small ones would write the same pages again and again, and the thread has half of its time for everything else. A group that is full rests for as long
 * as its rows took to write: it gains nothing by waiting for its sync.
 *
 * It measures how long rows take to write, and says how many a group may hold: GROUP_TIME of them, and less where several devices add rows.
 * A device that has added far less than others waits for no rest: who fills group after group keeps it waiting for their syncs alone.
 *
 * Where several devices add rows, a group is written in turns of the event loop, PART_TIME each: who asks for no row waits for one of them.
 */
import {
  after,
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
} from '../../shared/model/time.ts';
import type { DeviceId } from '../../shared/model/change.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { MetaStore, WritingTurns } from '../../shared/ports/meta-store.ts';
import {
  COMMIT_SPACING,
  GROUP_TIME,
  LEAST_GROUP_WRITES,
  MAX_GROUP_WRITES,
  MOST_COMMIT_REST,
  PART_TIME,
  SHARED_GROUP_TIME,
} from '../limits.ts';
import { AddedLately } from './added-lately.ts';
import { GroupTurns } from './group-turns.ts';

/** Groups of fewer rows say little of what a row takes. */
const MEASURED_FROM = 16;
/** What the last group says counts so much. */
const NEWS = 0.25;
/** Before anything was measured, milliseconds. */
const FIRST_ROW_TIME = 0.01;

interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metaStore: MetaStore;
  /** Lets the event loop go on, and calls back; left out: rows are written at once. */
  readonly goOn?: (then: () => void, isFirst?: boolean) => void;
  /** Rows from which on a device has added much; left out: HEAVY_ROWS. */
  readonly heavyRows?: number;
}

/** Decides when a group is committed, and how many rows a group may hold. */
export class CommitPacer {
  readonly #ports: Ports;
  /** Not before then. */
  #next: Instant | null = null;
  #timer: TimerHandle | null = null;
  #rowTime = FIRST_ROW_TIME;
  readonly #added: AddedLately;
  readonly #turnsOf: GroupTurns;
  /** Ends when the group that is being written in turns is written. */
  #writing: Promise<void> | null = null;
  /** Begins the commit that waits. */
  #waiting: (() => void) | null = null;

  /** `comes`: those that wait for their turn (`mayAdd`) may add one group. False: nobody waits any more. */
  constructor(ports: Ports, comes: () => boolean = () => false) {
    this.#ports = ports;
    this.#added = new AddedLately(ports.heavyRows);
    this.#turnsOf = new GroupTurns(ports, this.#added, comes);
  }

  /** Rows of a group that is full. */
  get most(): number {
    const isShared = this.#added.isShared(this.#ports.clock.now());
    const most = Math.floor((isShared ? SHARED_GROUP_TIME : GROUP_TIME) / this.#rowTime);
    return Math.min(Math.max(most, LEAST_GROUP_WRITES), MAX_GROUP_WRITES);
  }

  /** A group is being written in turns, and nothing can be read before it ends; null: none is. */
  get writing(): Promise<void> | null {
    return this.#writing;
  }

  /** A device is about to add so many rows. */
  comes(device: DeviceId, rows: number): void {
    this.#added.add(device, rows, this.#ports.clock.now());
    if (this.isSmall(device)) this.hurry();
  }

  /** A device asks something urgent: groups of others are short, are written in turns, and leave time in between. */
  asks(device: DeviceId): void {
    this.#added.asks(device, this.#ports.clock.now());
  }

  /** It waits for no rest. */
  isSmall(device: DeviceId): boolean {
    return this.#added.isSmall(device, this.#ports.clock.now());
  }

  /** It adds much beside somebody who adds little, or asks. */
  isHeavy(device: DeviceId): boolean {
    return this.#turnsOf.isHeavy(device);
  }

  /** False: it adds much beside somebody who adds little, and waits for its turn. */
  mayAdd(device: DeviceId): boolean {
    return this.#turnsOf.mayAdd(device);
  }

  /** A commit that rests begins. */
  hurry(): void {
    if (this.#timer === null) return;
    this.#timer.cancel();
    this.#timer = null;
    this.#soon();
  }

  /** `hurries`: without a rest before. */
  commit(writes: readonly RowWrite[], hurries = false): Promise<void> {
    this.#turnsOf.begins();
    const rest = hurries ? 0 : Math.max(this.#rest(), this.#turnsOf.pauseBefore(writes));
    const hasOthers = this.#added.isShared(this.#ports.clock.now());
    const isAtOnce = this.#ports.goOn === undefined || !hasOthers;
    if (rest <= 0 && isAtOnce) return this.#begin(writes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting = () => void this.#begin(writes).then(resolve, reject);
    if (rest <= 0) this.#soon();
    else {
      this.#timer = this.#ports.timers.start(milliseconds(rest), () => {
        this.#timer = null;
        this.#goOn();
      });
    }
    return promise;
  }

  /** Where others add rows too, they are written in a turn of the event loop of their own: what decided them took its time already. */
  #soon(): void {
    const { goOn } = this.#ports;
    if (goOn === undefined) this.#goOn();
    else goOn(() => this.#goOn(), true);
  }

  #goOn(): void {
    const begins = this.#waiting;
    this.#waiting = null;
    begins?.();
  }

  /** A commit that waits is not begun any more. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#waiting = null;
    this.#turnsOf.stop();
  }

  async #begin(writes: readonly RowWrite[]): Promise<void> {
    const { clock, metaStore } = this.#ports;
    const begun = clock.now();
    this.#next = after(begun, COMMIT_SPACING);
    const isFull = writes.length >= this.most;
    const { goOn } = this.#ports;
    const turns = goOn !== undefined && this.#added.isShared(begun) ? this.#turns(goOn) : null;
    const committed = metaStore.commit(writes, turns?.given);
    const atOnce = elapsed(begun, clock.now());
    turns?.paused(atOnce);
    if (turns === null) this.#measured(writes.length, atOnce);
    try {
      await committed;
      if (turns !== null) this.#measured(writes.length, turns.wrote());
    } finally {
      const ended = clock.now();
      const wrote = turns?.wrote() ?? atOnce;
      const took = isFull ? wrote : elapsed(begun, ended);
      const rested = after(ended, milliseconds(Math.min(took, MOST_COMMIT_REST)));
      if (rested > this.#next) this.#next = rested;
      this.#turnsOf.ended(writes, elapsed(begun, ended));
    }
  }

  /** `wrote`: how long all turns took together, without what went on in between. */
  #turns(goOn: (then: () => void, isFirst?: boolean) => void) {
    const { clock } = this.#ports;
    let [since, wrote, waits] = [clock.now(), 0, false];
    const ended = Promise.withResolvers<void>();
    this.#writing = ended.promise;
    const paused = (took: number): void => {
      wrote += took;
      if (waits) return;
      this.#writing = null;
      ended.resolve();
    };
    const given: WritingTurns = {
      isOver: () => elapsed(since, clock.now()) >= PART_TIME,
      goOn: (then) => {
        waits = true;
        goOn(() => {
          [since, waits] = [clock.now(), false];
          then();
          paused(elapsed(since, clock.now()));
        }, true);
      },
    };
    return { given, paused, wrote: () => milliseconds(wrote) };
  }

  #measured(rows: number, wrote: Duration): void {
    if (rows < MEASURED_FROM) return;
    this.#rowTime += NEWS * (wrote / rows - this.#rowTime);
  }

  #rest(): Duration {
    if (this.#next === null) return milliseconds(0);
    return milliseconds(Math.max(elapsed(this.#ports.clock.now(), this.#next), 0));
  }
}

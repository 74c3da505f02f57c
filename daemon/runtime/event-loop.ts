/**
 * The loop around the core: events in, one transaction for all that came meanwhile, effects out.
 *
 * Invariants
 * 1. The core is stepped by one event at a time, in the order they were posted, never from inside an effect.
 * 2. Effects are carried out, in order, only when the rows of their steps (and of all before) are durable: group commit.
 * 3. A commit that found no room changed nothing; it is tried again, and until it succeeds nobody is told anything. Where the daemon
 *    is to end meanwhile, it ends as if it had died then: nothing is told, and nothing more is done.
 */
import { after, elapsed, milliseconds, seconds, type Instant } from '../../shared/model/time.ts';
import type { ClientStore, RowChange } from '../../shared/ports/client-store.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Client } from '../core/client.ts';
import type { Effect } from '../core/effects.ts';
import type { Event } from '../core/events.ts';

const RETRY_COMMIT = seconds(1);

/** The longest pause after a transaction: its sync goes on beside, and what came meanwhile is the next one. */
const MOST_REST = milliseconds(5);

export interface LoopPorts {
  readonly client: Client;
  readonly store: ClientStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Resolves when everything that has happened so far has been posted: one transaction is to cover it. */
  readonly breathe: () => Promise<void>;
  readonly carryOut: (effect: Effect) => void;
  readonly changed: () => void;
  /** What can be had again should make room. */
  readonly diskFull: () => void;
  /** There was no room to the end: whoever waits for an answer gets none. */
  readonly gaveUp: () => void;
  /** A fault of ours, or of the database: the daemon can't go on. */
  readonly fatal: (error: unknown) => void;
}

export class EventLoop {
  readonly #ports: LoopPorts;
  #queue: Event[] = [];
  #running: Promise<void> | null = null;
  #timer: { at: Instant; handle: TimerHandle } | null = null;
  #closed = false;
  #ending = false;
  #diskFull = false;
  /** Ends the wait for room. */
  #tryNow: (() => void) | null = null;
  /** Not before then, if the last transaction was just now. */
  #nextCommit: Instant | null = null;

  constructor(ports: LoopPorts) {
    this.#ports = ports;
  }

  /** Nothing can be made durable for now. */
  get isDiskFull(): boolean {
    return this.#diskFull;
  }

  post(event: Event): void {
    if (this.#closed) return;
    this.#queue.push(event);
    this.#running ??= Promise.resolve()
      .then(() => this.#run())
      .catch((error: unknown) => {
        this.#closed = true;
        this.#ports.fatal(error);
      });
  }

  /** The daemon is to end: from now on a commit that finds no room is given up. */
  ending(): void {
    this.#ending = true;
    this.#tryNow?.();
  }

  /** Takes no more events, and resolves when what was posted before is durable and done. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.handle.cancel();
    this.#timer = null;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#rest();
      await this.#ports.breathe();
      const { rows, effects } = this.#stepAll();
      if (rows.length > 0 && !(await this.#commit(rows))) break;
      for (const effect of effects) this.#ports.carryOut(effect);
    }
    this.#running = null;
    this.#arm();
  }

  #stepAll(): { rows: RowChange[]; effects: Effect[] } {
    const { client, clock } = this.#ports;
    const rows: RowChange[] = [];
    const effects: Effect[] = [];
    const events = this.#queue;
    this.#queue = [];
    let changed = false;
    for (const event of events) {
      const step = client.step(event, { at: clock.now(), wall: clock.wall() });
      for (const row of step.rows) rows.push(row);
      for (const effect of step.effects) effects.push(effect);
      changed ||= step.changed;
    }
    if (changed) this.#ports.changed();
    return { rows, effects };
  }

  /**
   * Leaves as long between two transactions as the last one took, so that under load a slow disk gets few large ones and
   * the program half of the time. After a rest the first one goes at once.
   */
  async #rest(): Promise<void> {
    const { clock, timers } = this.#ports;
    if (this.#nextCommit === null) return;
    const left = this.#nextCommit - clock.now();
    this.#nextCommit = null;
    if (left <= 0) return;
    await new Promise<void>((resolve) => {
      timers.start(milliseconds(left), resolve);
    });
  }

  /** False: given up. */
  async #commit(rows: readonly RowChange[]): Promise<boolean> {
    const { store, log, changed, clock } = this.#ports;
    for (;;) {
      const begun = clock.now();
      try {
        await store.commit(rows);
        const took = Math.min(elapsed(begun, clock.now()), MOST_REST);
        if (took > 0) this.#nextCommit = after(clock.now(), milliseconds(took));
        if (this.#diskFull) changed();
        this.#diskFull = false;
        return true;
      } catch (error) {
        if (!(error instanceof GodwitError) || error.code !== 'disk-full') throw error;
        if (!this.#diskFull) {
          this.#diskFull = true;
          log.error('the disk is full: nothing is acknowledged until there is room');
          changed();
          this.#ports.diskFull();
        }
        if (this.#ending) {
          this.#giveUp();
          return false;
        }
        await this.#retryPause();
      }
    }
  }

  #giveUp(): void {
    this.#closed = true;
    this.#queue = [];
    this.#ports.gaveUp();
  }

  async #retryPause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#ports.timers.start(RETRY_COMMIT, resolve);
      this.#tryNow = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#tryNow = null;
  }

  #arm(): void {
    if (this.#closed) return;
    const at = this.#ports.client.nextWake();
    if (this.#timer !== null && this.#timer.at === at) return;
    this.#timer?.handle.cancel();
    this.#timer = null;
    if (at === null) return;
    const delay = milliseconds(Math.max(at - this.#ports.clock.now(), 0));
    const handle = this.#ports.timers.start(delay, () => {
      this.#timer = null;
      this.post({ kind: 'tick' });
    });
    this.#timer = { at, handle };
  }
}

/**
 * The loop around the core: events in, one transaction for all that came meanwhile, effects out.
 *
 * Invariants
 * 1. The core is stepped by one event at a time, in the order they were posted, never from inside an effect.
 * 2. Effects are carried out, in order, only when the rows of their steps (and of all before) are durable, and the contents that these
 *    name: group commit. Meanwhile the core goes on.
 * 3. Except what programs on this machine wait for (`isEarly`): that is done when those rows are recorded, which a killed daemon does not
 *    lose. Nothing leaves this machine before its rows are durable. While the disk is full, or slow, these wait as all others do.
 * 4. A commit that found no room changed nothing; it is tried again, and until it succeeds no effect is carried out. If the daemon
 *    is to end meanwhile, it ends as if it had crashed then: no effect is carried out.
 */
import { after, elapsed, milliseconds, seconds, type Instant } from '../../shared/model/time.ts';
import type { ClientStore, RowChange } from '../../shared/ports/client-store.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Client } from '../core/client.ts';
import type { Effect } from '../core/effects.ts';
import type { Event } from '../core/events.ts';
import { LONGEST_SYNC, MOST_UNSYNCED } from '../limits.ts';

const RETRY_COMMIT = seconds(1);

/** The longest pause after a transaction. Its sync runs in the background; events that come meanwhile form the next one. */
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
  /** A program on this machine waits for it and need not wait for durability. */
  readonly isEarly: (effect: Effect) => boolean;
  /** Contents that rows may name by now and that are not durable. */
  readonly contents: () => { readonly unsynced: number; sync(): Promise<void> };
  /** So many rows were made durable. */
  readonly committed: (rows: number) => void;
  /** Frees contents that the server has too. */
  readonly diskFull: () => void;
  /** The disk stayed full to the end: callers that wait get no answer. */
  readonly gaveUp: () => void;
  /** A fault of ours, or of the database: the daemon can't go on. */
  readonly fatal: (error: unknown) => void;
}

interface Held {
  readonly rows: RowChange[];
  /** Of the rows, so many from the first on are recorded. */
  recorded: number;
  readonly effects: Effect[];
}

function nothingHeld(): Held {
  return { rows: [], recorded: 0, effects: [] };
}

/**
 * Steps the core by one event at a time, commits the rows of many steps together, then carries out
 * their effects.
 */
export class EventLoop {
  readonly #ports: LoopPorts;
  #queue: Event[] = [];
  #running: Promise<void> | null = null;
  /** What steps have left behind and is to be made durable, and done. */
  #held: Held = nothingHeld();
  /** What is being committed. */
  #underWay: Held | null = null;
  #committing: Promise<void> | null = null;
  #recording: Promise<boolean> | null = null;
  /** The last one: its rows are durable, being committed, or the first of what is held. */
  #lastRecord: number | undefined;
  #commitBegan: Instant | null = null;
  #timer: { at: Instant; handle: TimerHandle } | null = null;
  #closed = false;
  #ending = false;
  /** It ended as if the program had died. */
  #dead = false;
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
    this.#running ??= this.#guarded(() => this.#run());
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
    await this.#committing;
  }

  /** In a turn of its own. */
  #guarded(work: () => Promise<void>): Promise<void> {
    return Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        this.#die();
        this.#ports.fatal(error);
      });
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#diskFull) await this.#committing;
      await this.#ports.breathe();
      if (this.#dead) break;
      const { rows, effects } = this.#stepAll();
      for (const row of rows) this.#held.rows.push(row);
      const late = await this.#doneEarly(effects);
      if (this.#dead) break;
      for (const effect of late) this.#held.effects.push(effect);
      this.#settle();
    }
    this.#running = null;
    this.#arm();
  }

  /** Gives what has to wait. */
  async #doneEarly(effects: readonly Effect[]): Promise<readonly Effect[]> {
    const { carryOut, isEarly } = this.#ports;
    const early: Effect[] = [];
    const late: Effect[] = [];
    for (const effect of effects) (isEarly(effect) ? early : late).push(effect);
    if (early.length === 0 || !(await this.#record()) || this.#dead) return effects;
    for (const effect of early) carryOut(effect);
    return late;
  }

  /** False: effects that depend on the rows so far wait until these are durable. */
  async #record(): Promise<boolean> {
    const { clock, contents } = this.#ports;
    if (this.#diskFull || contents().unsynced > MOST_UNSYNCED) return false;
    const began = this.#commitBegan;
    if (began !== null && elapsed(began, clock.now()) > LONGEST_SYNC) return false;
    // Records have no gap: what is being committed may not be there if we are killed now.
    const parts = [this.#underWay, this.#held].filter((held) => held !== null);
    const rows = parts.flatMap((held) => held.rows.slice(held.recorded));
    if (rows.length === 0) return true;
    this.#recording = this.#recorded(rows, parts);
    try {
      return await this.#recording;
    } finally {
      this.#recording = null;
    }
  }

  async #recorded(rows: readonly RowChange[], parts: readonly Held[]): Promise<boolean> {
    const number = await this.#ports.store.record(rows);
    if (number === null) return false;
    this.#lastRecord = number;
    for (const part of parts) part.recorded = part.rows.length;
    return true;
  }

  /** Does what can be done, or begins to make durable what it waits for. */
  #settle(): void {
    if (this.#committing !== null) return;
    if (this.#held.rows.length === 0) this.#carryOut(this.#takeHeld());
    else this.#committing = this.#guarded(() => this.#commitAll());
  }

  /** Until nothing is held any more. */
  async #commitAll(): Promise<void> {
    while (this.#held.rows.length + this.#held.effects.length > 0) {
      await this.#rest();
      // What is recorded at this moment is among the rows, and its number is not known yet.
      while (this.#recording !== null) await this.#recording;
      const held = this.#takeHeld();
      this.#underWay = held;
      if (held.rows.length > 0 && !(await this.#commit(held))) break;
      this.#underWay = null;
      this.#carryOut(held);
    }
    this.#committing = null;
  }

  #takeHeld(): Held {
    const held = this.#held;
    this.#held = nothingHeld();
    return held;
  }

  #carryOut({ effects }: Held): void {
    for (const effect of effects) this.#ports.carryOut(effect);
  }

  #stepAll(): { rows: RowChange[]; effects: Effect[] } {
    const { client, clock } = this.#ports;
    const rows: RowChange[] = [];
    const effects: Effect[] = [];
    const events = this.#queue;
    this.#queue = [];
    for (const event of events) {
      const step = client.step(event, { at: clock.now(), wall: clock.wall() });
      for (const row of step.rows) rows.push(row);
      for (const effect of step.effects) effects.push(effect);
    }
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
  async #commit({ rows }: Held): Promise<boolean> {
    // All before these rows is durable: no record of it may come back over them.
    const upTo = this.#lastRecord;
    const { store, log, clock, contents } = this.#ports;
    for (;;) {
      const begun = clock.now();
      this.#commitBegan = begun;
      try {
        // Before their rows: these are never there without them.
        await contents().sync();
        await store.commit(rows, upTo);
        this.#commitBegan = null;
        const took = Math.min(elapsed(begun, clock.now()), MOST_REST);
        if (took > 0) this.#nextCommit = after(clock.now(), milliseconds(took));
        this.#diskFull = false;
        this.#ports.committed(rows.length);
        return true;
      } catch (error) {
        if (!(error instanceof GodwitError) || error.code !== 'disk-full') throw error;
        if (!this.#diskFull) {
          this.#diskFull = true;
          log.error('the disk is full: nothing is acknowledged until there is room');
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
    this.#die();
    this.#ports.gaveUp();
  }

  #die(): void {
    this.#closed = true;
    this.#dead = true;
    this.#queue = [];
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

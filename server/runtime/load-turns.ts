/**
 * Loads take turns: of those who have asked, by the processor time that the answers to each of them cost. What is asked for is loaded in parts
 * (load-parts.ts), a long answer is written in pieces, and after a moment the event loop goes on: so timers run, and who asks for little is answered
 * between two parts of much.
 *
 * What a load brings may be staged, and then adds to the group commit that is being collected. A group has room for so many rows (commit-pacer.ts); when
 * it is full, who has added to it waits for the next one. Everybody may add to each.
 */
import { elapsed, type Instant } from '../../shared/model/time.ts';
import type { DeviceId } from '../../shared/model/change.ts';
import type { AnyRow } from '../../shared/model/stored.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { Effect } from '../core/events.ts';
import { LOADING_MOMENT, LOAD_TURN, MOST_LOAD_DEBT, PART_TIME } from '../limits.ts';
import { FairQueue } from './fair-queue.ts';
import { LoadParts, type Part } from './load-parts.ts';
import { RowPaces } from './row-paces.ts';

type LoadEffect = Extract<Effect, { kind: 'load' }>;

export interface Ports {
  readonly clock: Clock;
  readonly metaStore: MetaStore;
  /** Lets the event loop go on, and calls back. Left out: everything is loaded at once, and nobody's time counts. */
  readonly goOn?: (then: () => void) => void;
}

export interface LoadCallbacks {
  /** The answer to a load, once. */
  readonly loaded: (effect: LoadEffect, rows: readonly AnyRow[]) => void;
  readonly notLoaded: (ticket: number, error: unknown) => void;
  /** Which group is being collected, and whether it is full. */
  readonly group: () => { readonly id: number; readonly isFull: boolean };
  /** The load with this ticket waits for the next group. */
  readonly waitsForGroup: (ticket: number) => void;
  /** False: the device waits until `turnComes`. */
  readonly mayAdd: (device: DeviceId) => boolean;
  /** The load with this ticket waits for that, or does so no more: no group waits for it meanwhile. */
  readonly rests: (ticket: number, isResting: boolean) => void;
  /** Nothing can be read before this ends; null: it can. */
  readonly writing: () => Promise<void> | null;
  /** A device is about to add to a group, about so many rows. */
  readonly comes: (device: DeviceId, rows: number) => void;
}

/** What is left of an answer: each piece is a moment's work. */
type Pieces = Iterator<unknown>;

interface Load {
  readonly effect: LoadEffect;
  readonly parts: LoadParts;
}

interface Taken extends Part {
  readonly whose: DeviceId;
  readonly load: Load;
}

/** Loads rows from the store for the core, in turns by device. */
export class FairLoads {
  readonly #ports: Ports;
  readonly #hooks: LoadCallbacks;
  readonly #queue = new FairQueue<Load | Pieces>({ turn: LOAD_TURN, mostDebt: MOST_LOAD_DEBT });
  readonly #paces = new RowPaces();
  /** Those that wait for the next group. */
  #held: Load[] = [];
  /** Those that wait for the turn of their device. */
  readonly #resting = new Map<DeviceId, Load[]>();
  /** Who has added to which group last. */
  readonly #added = new Map<DeviceId, number>();
  /** Whose answer is being made in this moment. */
  #answering: DeviceId | null = null;
  /** Since when the event loop waits. */
  #since: Instant | null = null;
  #isRunning = false;
  #isStopped = false;

  constructor(ports: Ports, hooks: LoadCallbacks) {
    this.#ports = ports;
    this.#hooks = hooks;
  }

  begin(effect: LoadEffect): void {
    const { goOn, metaStore } = this.#ports;
    if (goOn === undefined) {
      metaStore.load(effect.keys).then(
        (rows) => this.#hooks.loaded(effect, rows),
        (error: unknown) => this.#hooks.notLoaded(effect.ticket, error),
      );
      return;
    }
    if (effect.adds) this.#hooks.comes(effect.whose, effect.keys.length);
    this.#queue.push(effect.whose, { effect, parts: new LoadParts(effect.keys) });
    this.#start();
  }

  /** Work for an answer. Where it is made upon a load, it goes on before the next load of the same device, and counts as that; else it is done at once. */
  inPieces(pieces: Pieces): void {
    const whose = this.#answering;
    if (whose === null) while (pieces.next().done !== true);
    else this.#queue.putBack(whose, pieces);
  }

  /** Work for a device, in its turns: each piece is a moment's. */
  inPiecesOf(whose: DeviceId, pieces: Pieces): void {
    this.#queue.push(whose, pieces);
    this.#start();
  }

  /** Another group is being collected. */
  groupBegins(): void {
    const held = this.#held;
    this.#held = [];
    for (const load of held) this.#queue.push(load.effect.whose, load);
    if (held.length > 0) this.#start();
  }

  /** Each device that waits for its turn begins its next load, or all of them where it is not heavy any more. False: none waits any more. */
  turnComes(isHeavy: (device: DeviceId) => boolean): boolean {
    for (const [device, loads] of this.#resting) {
      for (const load of loads.splice(0, isHeavy(device) ? 1 : loads.length)) {
        this.#queue.push(device, load);
        this.#hooks.rests(load.effect.ticket, false);
      }
      if (loads.length === 0) this.#resting.delete(device);
    }
    this.#start();
    return this.#resting.size > 0;
  }

  /** Nothing is loaded any more. */
  stop(): void {
    this.#isStopped = true;
  }

  #start(): void {
    const { goOn } = this.#ports;
    if (!this.#isRunning && goOn !== undefined) void this.#run(goOn);
  }

  async #run(goOn: (then: () => void) => void): Promise<void> {
    this.#isRunning = true;
    // What else came in this turn of the event loop takes part.
    await Promise.resolve();
    this.#since = this.#ports.clock.now();
    for (let next = this.#take(); next !== null; next = this.#take()) {
      if (next instanceof Array) await this.#load(next, goOn);
      else this.#piece(next.whose, next.pieces);
      await this.#breathe(goOn);
    }
    this.#isRunning = false;
  }

  async #breathe(goOn: (then: () => void) => void): Promise<void> {
    const { clock } = this.#ports;
    if (elapsed(this.#since ?? clock.now(), clock.now()) < LOADING_MOMENT) return;
    await new Promise<void>((resolve) => goOn(resolve));
    this.#since = clock.now();
  }

  /**
   * A piece of an answer, a part of one long load, or short loads whole: as much as one long part is. So a device has one load begun at a time, and the
   * rows of one in memory.
   */
  #take(): Taken[] | { readonly whose: DeviceId; readonly pieces: Pieces } | null {
    const taken: Taken[] = [];
    let time = 0;
    while (time < PART_TIME && !this.#isStopped) {
      const next = this.#queue.take();
      if (next === null) break;
      const { whose, item } = next;
      if (!('parts' in item)) {
        if (taken.length === 0) return { whose, pieces: item };
        this.#queue.putBack(whose, item);
        break;
      }
      const part = item.parts.next(PART_TIME - time, this.#paces);
      if (taken.length > 0 && !part.isLast) {
        this.#queue.putBack(whose, item);
        break;
      }
      if (!this.#mayGo(item)) continue;
      taken.push({ whose, load: item, ...part });
      time += part.time;
      if (!part.isLast) break;
    }
    return taken.length === 0 ? null : taken;
  }

  /** False: it waits for the next group, or for the turn of its device. */
  #mayGo({ effect, parts }: Load): boolean {
    const { adds, whose, ticket } = effect;
    if (!adds || parts.isBegun) return true;
    if (!this.#hooks.mayAdd(whose)) {
      const resting = this.#resting.get(whose);
      if (resting === undefined) this.#resting.set(whose, [{ effect, parts }]);
      else resting.push({ effect, parts });
      this.#hooks.rests(ticket, true);
      return false;
    }
    const { id, isFull } = this.#hooks.group();
    if (isFull && this.#added.get(whose) === id) {
      this.#held.push({ effect, parts });
      this.#hooks.waitsForGroup(effect.ticket);
      return false;
    }
    this.#added.set(whose, id);
    return true;
  }

  async #load(taken: readonly Taken[], goOn: (then: () => void) => void): Promise<void> {
    const { clock, metaStore } = this.#ports;
    const writing = this.#hooks.writing();
    if (writing !== null) await writing;
    const begun = clock.now();
    const found = await Promise.allSettled(taken.map(({ keys }) => metaStore.load(keys)));
    this.#charge(taken, elapsed(begun, clock.now()));
    for (const [index, each] of taken.entries()) {
      const came = found[index];
      if (came === undefined) continue;
      await this.#breathe(goOn);
      this.#came(each, came);
    }
  }

  #came({ whose, load }: Taken, came: PromiseSettledResult<readonly AnyRow[]>): void {
    const { effect, parts } = load;
    if (came.status === 'rejected') return this.#hooks.notLoaded(effect.ticket, came.reason);
    parts.came(came.value);
    if (!parts.isDone) return this.#queue.putBack(whose, load);
    const { clock } = this.#ports;
    const begun = clock.now();
    this.#answering = whose;
    try {
      this.#hooks.loaded(effect, parts.giveAway());
    } finally {
      this.#answering = null;
    }
    this.#queue.charge(whose, elapsed(begun, clock.now()));
  }

  #piece(whose: DeviceId, pieces: Pieces): void {
    const { clock } = this.#ports;
    const begun = clock.now();
    const { done } = pieces.next();
    this.#queue.charge(whose, elapsed(begun, clock.now()));
    if (done !== true) this.#queue.putBack(whose, pieces);
  }

  /** Who asked for it pays, by what was looked up. */
  #charge(taken: readonly Taken[], took: number): void {
    const all = taken.reduce((sum, { time }) => sum + time, 0);
    const kinds = new Set(taken.flatMap(({ keys }) => keys.map(({ kind }) => kind)));
    this.#paces.measured(kinds, took, all);
    for (const { whose, time } of taken) {
      this.#queue.charge(whose, all > 0 ? (took * time) / all : took / taken.length);
    }
  }
}

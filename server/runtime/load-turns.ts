/**
 * Loads take turns: of those who have asked, by the processor time that the answers to each of them cost. What is asked for is loaded in parts
 * (load-parts.ts), and after a moment the event loop goes on, so timers run, and who asks for little is answered between two parts of much.
 *
 * What a load brings may be staged, and then adds to the group commit that is being collected. A group has room for so many rows (commit-pacer.ts); when
 * it is full, who has added to it waits for the next one. Everybody may add to each.
 */
import { elapsed, type Instant } from '../../shared/model/time.ts';
import type { AnyRow } from '../../shared/model/stored.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { Effect } from '../core/events.ts';
import { LOADING_MOMENT, LOAD_PART, LOAD_TURN, MOST_LOAD_DEBT } from '../limits.ts';
import { FairQueue } from './fair-queue.ts';
import { LoadParts } from './load-parts.ts';

type LoadEffect = Extract<Effect, { kind: 'load' }>;

export interface Ports {
  readonly clock: Clock;
  readonly metaStore: MetaStore;
  /** Lets the event loop go on, and calls back. Left out: everything is loaded at once, and nobody's time counts. */
  readonly goOn?: (then: () => void) => void;
}

export interface Hooks {
  /** The answer to a load, once. */
  readonly loaded: (ticket: number, rows: readonly AnyRow[]) => void;
  readonly notLoaded: (ticket: number, error: unknown) => void;
  /** Which group is being collected, and whether it is full. */
  readonly group: () => { readonly id: number; readonly isFull: boolean };
  /** Somebody waits for the next group. */
  readonly waitsForGroup: () => void;
}

interface Load {
  readonly effect: LoadEffect;
  readonly parts: LoadParts;
}

interface Taken {
  readonly whose: number;
  readonly load: Load;
  readonly keys: LoadEffect['keys'];
  readonly weight: number;
}

export class LoadTurns {
  readonly #ports: Ports;
  readonly #hooks: Hooks;
  readonly #queue = new FairQueue<Load>({ turn: LOAD_TURN, mostDebt: MOST_LOAD_DEBT });
  /** Those that wait for the next group. */
  #held: Load[] = [];
  /** Who has added to which group last. */
  readonly #added = new Map<number, number>();
  #isRunning = false;
  #isStopped = false;

  constructor(ports: Ports, hooks: Hooks) {
    this.#ports = ports;
    this.#hooks = hooks;
  }

  begin(effect: LoadEffect): void {
    const { goOn, metaStore } = this.#ports;
    if (goOn === undefined) {
      metaStore.load(effect.keys).then(
        (rows) => this.#hooks.loaded(effect.ticket, rows),
        (error: unknown) => this.#hooks.notLoaded(effect.ticket, error),
      );
      return;
    }
    this.#queue.push(effect.whose, { effect, parts: new LoadParts(effect.keys) });
    if (!this.#isRunning) void this.#run(goOn);
  }

  /** Another group is being collected. */
  groupBegins(): void {
    const held = this.#held;
    this.#held = [];
    for (const load of held) this.#queue.push(load.effect.whose, load);
    const { goOn } = this.#ports;
    if (held.length > 0 && !this.#isRunning && goOn !== undefined) void this.#run(goOn);
  }

  /** Nothing is loaded any more. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(goOn: (then: () => void) => void): Promise<void> {
    const { clock } = this.#ports;
    this.#isRunning = true;
    // What else came in this turn of the event loop takes part.
    await Promise.resolve();
    let since = clock.now();
    for (let taken = this.#take(); taken.length > 0; taken = this.#take()) {
      const begun = clock.now();
      await Promise.all(taken.map((each) => this.#load(each)));
      this.#charge(taken, begun);
      if (elapsed(since, clock.now()) < LOADING_MOMENT) continue;
      await new Promise<void>((resolve) => goOn(resolve));
      since = clock.now();
    }
    this.#isRunning = false;
  }

  /** Parts that are loaded together: as much as one long part is. */
  #take(): Taken[] {
    const taken: Taken[] = [];
    let weight = 0;
    while (weight < LOAD_PART && !this.#isStopped) {
      const next = this.#queue.take();
      if (next === null) break;
      const { whose, item: load } = next;
      if (!this.#mayGo(load)) continue;
      const part = load.parts.next();
      taken.push({ whose, load, ...part });
      weight += part.weight;
    }
    return taken;
  }

  /** False: it waits for the next group. */
  #mayGo(load: Load): boolean {
    const { adds, whose } = load.effect;
    if (!adds) return true;
    const { id, isFull } = this.#hooks.group();
    if (isFull && this.#added.get(whose) === id) {
      this.#held.push(load);
      this.#hooks.waitsForGroup();
      return false;
    }
    this.#added.set(whose, id);
    return true;
  }

  async #load({ whose, load, keys }: Taken): Promise<void> {
    const { effect, parts } = load;
    let rows: readonly AnyRow[];
    try {
      rows = await this.#ports.metaStore.load(keys);
    } catch (error) {
      this.#hooks.notLoaded(effect.ticket, error);
      return;
    }
    parts.came(rows);
    if (parts.isDone) this.#hooks.loaded(effect.ticket, parts.rows);
    else this.#queue.putBack(whose, load);
  }

  /** Who asked for it pays, by what was looked up. */
  #charge(taken: readonly Taken[], begun: Instant): void {
    const took = elapsed(begun, this.#ports.clock.now());
    const all = taken.reduce((sum, { weight }) => sum + weight, 0);
    for (const { whose, weight } of taken) this.#queue.charge(whose, (took * weight) / all);
  }
}

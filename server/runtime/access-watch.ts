/**
 * Looks, every so often, whether an administrator's command changed who may do what, or how much, and tells the core.
 *
 * An invitation needs no watching: it is read by the Hello that brings it.
 */
import type { Duration } from '../../shared/model/time.ts';
import type { TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import type { ServerEvent } from '../core/events.ts';
import { devicesToWatch } from '../core/session/watched-devices.ts';
import type { ServerState } from '../core/state.ts';

interface Ports {
  readonly timers: Timers;
  readonly metaStore: MetaStore;
  readonly log: Log;
}

/** Polls the store for changes by commands of an administrator, and feeds them to the core. */
export class AccessWatch {
  readonly #ports: Ports;
  readonly #state: ServerState;
  readonly #every: Duration;
  readonly #feed: (event: ServerEvent) => void;
  /** The doubts that the last look was an answer to; null: it was none to all of them, or nobody has looked yet. */
  #doubts: number | null = null;
  #owed = false;
  #timer: TimerHandle | null = null;
  #stopped = false;

  constructor(
    ports: Ports,
    state: ServerState,
    every: Duration,
    feed: (event: ServerEvent) => void,
  ) {
    this.#ports = ports;
    this.#state = state;
    this.#every = every;
    this.#feed = feed;
    this.#sleep();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #sleep(): void {
    if (this.#stopped) return;
    this.#timer = this.#ports.timers.start(this.#every, () => {
      this.#look().then(
        () => this.#sleep(),
        (error: unknown) => {
          this.#ports.log.warn('rights or volumes could not be read', { error: String(error) });
          this.#sleep();
        },
      );
    });
  }

  async #look(): Promise<void> {
    // Asked once, it is not told again: where reading then fails, it is owed.
    if (await this.#ports.metaStore.changedOutside()) this.#owed = true;
    // A change may have been seen before, when a device was only about to come in with what it might do until then.
    const isSure = this.#state.accessDoubts === this.#doubts;
    if ((!this.#owed && isSure) || this.#stopped) return;
    // At once: what is known of rights holds from now on, whatever becomes of the rest.
    await this.#lookAtRights();
    if (!this.#owed || this.#stopped) return;
    const found = await this.#ports.metaStore.volumes();
    if (this.#stopped) return;
    this.#owed = false;
    const before = this.#state.accessDoubts;
    this.#feed({ kind: 'volumes', ...found });
    // There are new ones: rights in them are of use from now on.
    if (this.#state.accessDoubts !== before) await this.#lookAtRights();
  }

  async #lookAtRights(): Promise<void> {
    const doubts = this.#state.accessDoubts;
    const watched = devicesToWatch(this.#state);
    const devices = await this.#ports.metaStore.accessOf(watched);
    if (this.#stopped) return;
    // Of a device whose pairing is not committed yet nothing was told.
    this.#doubts = devices.length < watched.length ? null : doubts;
    this.#feed({ kind: 'access', devices, doubts });
  }
}

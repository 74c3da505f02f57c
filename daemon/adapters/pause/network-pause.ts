/**
 * `godwit pause --until-network-changes`, beside the pauses with and without an end (timed-pause.ts).
 *
 * Invariants
 * 1. It ends when the machine joins another network than the one it was paused on. A network that goes away and comes back is not
 *    another one.
 * 2. It is durable before the pause is; one without a pause is forgotten at the start. A start on another network ends it.
 * 3. Any other pause, and `resume`, take its place.
 */
import type { NetworkFacts } from '../../../shared/model/network.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { ControlledDaemon } from '../../../shared/ports/controlled.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Pauses } from '../control/control-services.ts';
import type { KeptEnd, NetworkEnd } from './pause-ends.ts';
import type { TimedPause } from './timed-pause.ts';

export interface NetworkPauseParts {
  readonly store: KeptEnd<NetworkEnd>;
  readonly timed: Pick<TimedPause, 'pause' | 'resume' | 'listen' | 'until' | 'edition' | 'close'>;
  readonly daemon: Pick<ControlledDaemon, 'snapshot'>;
  readonly log: Log;
}

/** Pauses that end when the machine joins another network, beside those that end by time. */
export class NetworkPause implements Pauses {
  readonly #parts: NetworkPauseParts;
  /** The network that is to be left; null: the pause does not end by that. */
  #leaves: string | null;
  #now: string | null = null;

  /** At the start of a daemon, which knows whether it was paused. */
  constructor(parts: NetworkPauseParts) {
    this.#parts = parts;
    this.#leaves = parts.store.load()?.leaves ?? null;
    if (this.#leaves !== null && !parts.daemon.snapshot().paused) this.#forget();
  }

  get until(): WallTime | null {
    return this.#parts.timed.until;
  }

  get untilNetworkChanges(): boolean {
    return this.#leaves !== null;
  }

  get edition(): number {
    return this.#parts.timed.edition;
  }

  listen(changed: () => void): () => void {
    return this.#parts.timed.listen(changed);
  }

  pause(forMs: number | null): void {
    if (this.#leaves !== null) this.#parts.store.remove();
    this.#leaves = null;
    this.#parts.timed.pause(forMs);
  }

  /** Throws `not-found` if the network is unknown, `disk-full` or `folder-unusable`; then nothing has changed. */
  pauseUntilNetworkChanges(): void {
    const leaves = this.#now;
    if (leaves === null) {
      throw new GodwitError('not-found', 'which network this machine is on is not known');
    }
    const { store, timed } = this.#parts;
    store.save({ leaves });
    this.#leaves = leaves;
    timed.pause(null);
  }

  resume(): void {
    this.#forget();
    this.#parts.timed.resume();
  }

  /** Called by the network monitor (network-monitor.ts). */
  networkIs(facts: NetworkFacts | null): void {
    this.#now = facts?.name ?? null;
    if (this.#leaves === null || facts === null || facts.name === this.#leaves) return;
    this.#parts.log.info('the pause is over: another network', { name: facts.name });
    this.resume();
  }

  close(): void {
    this.#parts.timed.close();
  }

  /** It goes on all the same; at most it stands in a start of the daemon that is not paused, and is removed then. */
  #forget(): void {
    if (this.#leaves === null) return;
    this.#leaves = null;
    try {
      this.#parts.store.remove();
    } catch (error) {
      const why = (error as Error).message;
      this.#parts.log.warn('that the pause is over could not be written down', { why });
    }
  }
}

/** The NetworkMonitor port without a machine: it reports what a test sets. */
import type { NetworkFacts } from '../../shared/model/network.ts';
import { sameNetwork, type NetworkMonitor } from '../../shared/ports/network-monitor.ts';

/** A network monitor in the hand of a test. */
export class FakeNetworkMonitor implements NetworkMonitor {
  #facts: NetworkFacts | null;
  #told: NetworkFacts | null | undefined;
  #heard: ((network: NetworkFacts | null) => void) | null = null;
  #isClosed = false;

  constructor(facts: NetworkFacts | null = null) {
    this.#facts = facts;
  }

  watch(heard: (network: NetworkFacts | null) => void): void {
    this.#heard = heard;
    queueMicrotask(() => this.#tell());
  }

  /** Changes the network. */
  is(facts: NetworkFacts | null): void {
    this.#facts = facts;
    // A new watcher gets the latest network once.
    if (this.#told !== undefined) this.#tell();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }

  #tell(): void {
    if (this.#isClosed || this.#heard === null) return;
    if (this.#told !== undefined && sameNetwork(this.#told, this.#facts)) return;
    this.#told = this.#facts;
    this.#heard(this.#facts);
  }
}

/**
 * The NetworkMonitor of this machine: NetworkManager if it answers, else the routes, read at intervals. If neither is there (another
 * system than Linux), networks can't be distinguished, and nothing is held back.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkFacts } from '../../../shared/model/network.ts';
import type { TimerHandle, Timers } from '../../../shared/ports/clock.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { sameNetwork, type NetworkMonitor } from '../../../shared/ports/network-monitor.ts';
import { ROUTES_EVERY } from './netmon-limits.ts';
import { NetworkManagerBus } from './network-manager.ts';
import { networkOf } from './read-routes.ts';

export interface SystemMonitorParts {
  readonly timers: Timers;
  readonly log: Log;
  /** null: there is no bus to ask on. */
  readonly busAddress: string | null;
  /** The kernel's file of routes. */
  readonly procNet: string;
}

/** The network monitor of this machine: NetworkManager if it answers, else the routing table. */
export class SystemMonitor implements NetworkMonitor {
  readonly #parts: SystemMonitorParts;
  readonly #bus: NetworkManagerBus | null;
  #listener: (network: NetworkFacts | null) => void = () => undefined;
  /** The facts that were reported last; undefined: none yet. */
  #last: NetworkFacts | null | undefined;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(parts: SystemMonitorParts) {
    this.#parts = parts;
    const { busAddress } = parts;
    this.#bus = busAddress === null ? null : new NetworkManagerBus({ ...parts, busAddress });
  }

  watch(listener: (network: NetworkFacts | null) => void): void {
    this.#listener = listener;
    if (this.#bus === null) return this.#lookSoon();
    this.#bus.watch((network) => {
      this.#timer?.cancel();
      this.#timer = null;
      if (network === undefined) this.#lookSoon();
      else this.#report(network);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#bus?.close();
  }

  /** Never from inside `watch`. */
  #lookSoon(): void {
    setImmediate(() => this.#look());
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#report(networkOf(this.#read('route'), this.#read('wireless')));
    this.#timer?.cancel();
    this.#timer = this.#parts.timers.start(ROUTES_EVERY, () => this.#look());
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.#parts.procNet, name), 'utf8');
    } catch {
      return '';
    }
  }

  #report(network: NetworkFacts | null): void {
    if (this.#isClosed) return;
    if (this.#last !== undefined && sameNetwork(this.#last, network)) return;
    this.#last = network;
    this.#listener(network);
  }
}

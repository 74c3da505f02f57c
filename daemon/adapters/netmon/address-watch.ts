/**
 * Reports changes of this machine's addresses: a connection may use one that is gone, which nothing else reports. It polls,
 * since Node.js has no event for it.
 */
import { networkInterfaces } from 'node:os';
import type { TimerHandle, Timers } from '../../../shared/ports/clock.ts';
import { ADDRESSES_EVERY } from './netmon-limits.ts';

export interface AddressWatchParts {
  readonly timers: Timers;
  /** All of them, in an order that stays. */
  readonly addresses: () => string;
  readonly changed: () => void;
}

/** Compares the addresses of this machine at intervals and calls back if they have changed. */
export class AddressWatch {
  readonly #parts: AddressWatchParts;
  #last: string;
  #timer: TimerHandle;

  constructor(parts: AddressWatchParts) {
    this.#parts = parts;
    this.#last = parts.addresses();
    this.#timer = this.#later();
  }

  close(): void {
    this.#timer.cancel();
  }

  #later(): TimerHandle {
    return this.#parts.timers.start(ADDRESSES_EVERY, () => this.#look());
  }

  #look(): void {
    this.#timer = this.#later();
    const now = this.#parts.addresses();
    const before = this.#last;
    this.#last = now;
    // Without any there is nothing to move to; the ones that come next are others again.
    if (now !== '' && now !== before) this.#parts.changed();
  }
}

/** Those of this machine that reach others. Local ones of IPv6 change with each sleep and carry nothing. */
export function machineAddresses(): string {
  const all = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
      .map(({ address }) => `${name} ${address}`),
  );
  return all.sort().join(', ');
}

/**
 * The NetworkMonitor port: which network the machine uses now.
 *
 * Contract
 * 1. `heard` is called once with what is so at the start, and then at each change; with null where there is no network, or none that can be
 *    told apart. Never from inside `watch`, and not twice in a row with the same facts.
 * 2. It throws nothing and never ends by itself: what fails is tried again, and until then there is null, or what another way of looking says.
 * 3. After `close` has been called nothing is told. `close` resolves when nothing is left open.
 */
import type { NetworkFacts } from '../model/network.ts';

export interface NetworkMonitor {
  watch(heard: (network: NetworkFacts | null) => void): void;
  close(): Promise<void>;
}

/**
 * Whether two sets of facts describe the same network in every field. Null: not known, which equals
 * only itself.
 */
export function sameNetwork(one: NetworkFacts | null, other: NetworkFacts | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.name === other.name &&
    one.kind === other.kind &&
    one.metered === other.metered &&
    one.why === other.why &&
    one.interface === other.interface &&
    one.gateway === other.gateway &&
    (one.subnet ?? null) === (other.subnet ?? null)
  );
}

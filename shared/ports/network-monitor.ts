/**
 * The NetworkMonitor port: which network the machine uses now.
 *
 * Contract
 * 1. `heard` is called once with the present state, and then at each change; with null where there is no network, or none that can be
 *    told apart. Never from inside `watch`, and not twice in a row with the same facts.
 * 2. It throws nothing and never ends by itself: failures are retried; until then it gives null, or the facts of another source.
 * 3. After `close` has been called no callback comes. `close` resolves when nothing is left open.
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

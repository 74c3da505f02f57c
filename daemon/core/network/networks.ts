/** What the core knows of networks: the one the machine is on, the rules of a person for all of them, and the credit of what trickles. */
import type { NetworkFacts, NetworkRule } from '../../../shared/model/network.ts';
import { METERED_RULES, NO_RULE } from '../../../shared/model/network.ts';
import type { Instant } from '../../../shared/model/time.ts';
import type { MetaValue } from '../../../shared/ports/client-store.ts';
import type { Outbox } from '../effects.ts';
import { DataUsed, type MetaRows } from './data-used.ts';
import { policyFor, type NetworkPolicy } from './network-policy.ts';

const KEY = 'network-rule:';

/** Holds the present network, its policy, the rules and the counted bytes. */
export class Networks {
  readonly #rows: MetaRows;
  readonly rules = new Map<string, NetworkRule>();
  readonly used: DataUsed;
  /** Null: the machine is on no network, or it is not known. */
  now: NetworkFacts | null = null;
  /** The network has been reported, or no report is expected. */
  isTold: boolean;
  /** The policy that the rules give for the present network. */
  policy: NetworkPolicy | null = null;
  /** Bytes that background contents may move at once on a network where they trickle, as of `creditAt`. */
  credit = 0;
  creditAt: Instant;
  /** How many calls want everything sent at any cost: while they wait, nothing is held back. */
  spending = 0;
  /** Bytes of the present connection that were counted already. */
  counted = { sent: 0, received: 0 };

  constructor(out: Outbox, at: Instant, isTold: boolean) {
    this.isTold = isTold;
    this.#rows = {
      put: (key, value) => out.put('meta', key, value),
      drop: (key) => out.drop('meta', key),
    };
    this.used = new DataUsed(this.#rows);
    this.creditAt = at;
  }

  load(meta: ReadonlyMap<string, MetaValue>): void {
    this.used.load(meta);
    for (const [key, value] of meta) {
      const rule = key.startsWith(KEY) ? readRule(String(value)) : null;
      if (rule !== null) this.rules.set(key.slice(KEY.length), rule);
    }
  }

  is(facts: NetworkFacts | null): void {
    this.now = facts;
    this.isTold = true;
    this.#judge();
  }

  /** null: there is no rule for it any more. */
  rule(network: string, rule: NetworkRule | null): void {
    if (rule === null) {
      this.rules.delete(network);
      this.#rows.drop(`${KEY}${network}`);
    } else {
      this.rules.set(network, rule);
      this.#rows.put(`${KEY}${network}`, JSON.stringify(rule));
    }
    this.#judge();
  }

  #judge(): void {
    this.policy = this.now === null ? null : policyFor(this.now, this.rules);
  }
}

/** What this program has written; null for anything else, which is no rule. */
function readRule(text: string): NetworkRule | null {
  try {
    const { metered, budget, trickle, pause } = JSON.parse(text) as NetworkRule;
    const isAmount = (value: unknown): boolean =>
      value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
    if (!METERED_RULES.includes(metered) || !isAmount(budget) || !isAmount(trickle)) return null;
    return { ...NO_RULE, metered, budget, trickle, pause: pause === true };
  } catch {
    return null;
  }
}

/** What holds on a network: what is known of it, and the rules of a person, put together. */
import {
  METERED_BUDGET,
  METERED_RULE,
  METERED_TRICKLE,
  NO_RULE,
  rulesFor,
  type NetworkFacts,
  type NetworkRule,
} from '../../../shared/model/network.ts';

export interface NetworkPolicy {
  readonly metered: boolean;
  /** The source that says whether the network is metered, in a few words for people. */
  readonly why: string;
  /** Bytes a day; null: as many as there are. */
  readonly budget: number | null;
  /** Bytes a second of background contents; null: as fast as it goes. */
  readonly trickle: number | null;
  readonly pause: boolean;
}

/**
 * The most particular rule that fits is the network's own. What a person has set for a network holds on it, metered or not; what is left
 * open is free where it is not metered, and else as the rule for metered networks says.
 */
export function policyFor(
  facts: NetworkFacts,
  rules: ReadonlyMap<string, NetworkRule>,
): NetworkPolicy {
  const name = rulesFor(facts).find((each) => rules.has(each));
  const own = (name === undefined ? undefined : rules.get(name)) ?? NO_RULE;
  const metered = own.metered === 'auto' ? facts.metered === true : own.metered === 'yes';
  const why = own.metered === 'auto' ? facts.why : 'you said so';
  const { budget, trickle, pause } = own;
  if (!metered) return { metered, why, budget, trickle, pause };
  const all = rules.get(METERED_RULE) ?? NO_RULE;
  return {
    metered,
    why,
    budget: budget ?? all.budget ?? METERED_BUDGET,
    trickle: trickle ?? all.trickle ?? METERED_TRICKLE,
    pause: pause || all.pause,
  };
}

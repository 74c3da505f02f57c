/** What a person rules for a network (network/networks.ts): answered when it is durable. */
import { NO_RULE, wrongNetworkName } from '../../../shared/model/network.ts';
import { MOST_NETWORK_RULES } from '../../limits.ts';
import type { NetworkCall } from '../events.ts';
import type { ClientState } from '../state.ts';
import { done, refused, type Attempt } from '../waits/attempt-result.ts';

/**
 * Sets, changes or removes (`change` null) the rule for a network, durably. Answers with the
 * present rule, or null. Refuses with `usage` a wrong name or too many rules, and with `not-found`
 * the removal of no rule.
 */
export function attemptNetworkRule(state: ClientState, { network, change }: NetworkCall): Attempt {
  const { rules } = state.networks;
  const wrong = wrongNetworkName(network);
  if (wrong !== null) return refused('usage', `a network can not be called so: ${wrong}`);
  if (change === null) {
    if (!rules.has(network)) return refused('not-found', `there is no rule for ${network}`);
    state.networks.rule(network, null);
  } else {
    if (!rules.has(network) && rules.size >= MOST_NETWORK_RULES) {
      return refused('usage', `there are rules for ${rules.size} networks: remove one first`);
    }
    state.networks.rule(network, { ...NO_RULE, ...rules.get(network), ...change });
  }
  state.changed = true;
  return done(rules.get(network) ?? null);
}

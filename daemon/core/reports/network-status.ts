/** The network as reports show it, computed for each report. */
import type { NetworkList, NetworkRow, NetworkStatus } from '../../../shared/control/network.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { ClientState } from '../state.ts';
import { isUrgent } from '../log/update-size.ts';
import { bulkDecision } from '../network/update-bulk-gate.ts';

/** Null: the machine is on no network, or it is not known. */
export function networkStatus(state: ClientState): NetworkStatus | null {
  const { now: facts, policy, used } = state.networks;
  if (facts === null || policy === null) return null;
  const bytes = used.on(facts.name, state.now);
  const { metered, why, budget, trickle } = policy;
  const decision = bulkDecision(state);
  const ends = decision.kind === 'wait' && decision.why === 'budget';
  return {
    name: facts.name,
    kind: facts.kind,
    metered,
    why,
    used: bytes,
    budget: budget === null ? null : { bytes: budget, left: Math.max(0, budget - bytes) },
    trickle,
    background: { free: 'free', trickle: 'trickles', wait: 'waits' }[decision.kind] as 'free',
    until: ends ? used.dayEnds(state.now) : null,
    waiting: decision.kind === 'free' ? NOTHING : waitingOf(state),
  };
}

const NOTHING = { stores: 0, bytes: 0, fetches: 0 };

/** Stores that are not urgent, and what the folder is to bring in. */
function waitingOf(state: ClientState): NetworkStatus['waiting'] {
  let [stores, bytes, fetches] = [0, 0, 0];
  for (const entry of state.log.all()) {
    const { update, state: how } = entry;
    if (update.op !== 'store' || isUrgent(entry)) continue;
    if (how === 'answered' || how === 'blocked') continue;
    stores += 1;
    bytes += update.size;
  }
  for (const { into } of state.cache.fetches.values()) if (into === 'caller') fetches += 1;
  return { stores, bytes, fetches };
}

/** The limits on contents, if a person has set any. */
export function limitStatus({ limits }: ClientState): Pick<StatusSnapshot, 'limits'> {
  const { settings, told } = limits;
  if (settings.upload === null && settings.download === null) return {};
  const server = limits.isTold() ? 'paces' : typeof told === 'string' ? told : 'soon';
  return { limits: { ...settings, server } };
}

/** The network of now, and all with a rule or with bytes of today, by name. */
export function networkList(state: ClientState): NetworkList {
  const { now: facts, rules, used } = state.networks;
  const bytes = new Map(used.today(state.now));
  const names = new Set([...rules.keys(), ...bytes.keys()]);
  if (facts !== null) names.add(facts.name);
  const networks = [...names].sort().map((network): NetworkRow => ({
    network,
    rule: rules.get(network) ?? null,
    used: bytes.get(network) ?? 0,
    current: network === facts?.name,
  }));
  return { networks };
}

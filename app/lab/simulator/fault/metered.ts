/**
 * A laptop is on a network on which data count: with a budget that is used up soon or already, with contents that trickle, or where a person
 * wants none in the background. At its end it is on one that costs nothing, and everything goes on.
 */
import { seconds } from '../../../../shared/model/time.ts';
import type { NetworkFacts, NetworkRule } from '../../../../shared/model/network.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 60_000;
const NAMES = ['café', 'train', 'phone'];

export const metered: FaultFamily = {
  name: 'metered',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'metered',
    laptop: random.below(laptops.length),
    network: random.pick(NAMES),
    isMetered: random.pick([true, true, false]),
    budget: random.pick([-1, -1, 0, 2_000, 100_000]),
    trickle: random.pick([-1, -1, 200, 5_000]),
    pause: random.pick([true, false, false]),
    lastsMs: random.below(random.pick([2_000, 20_000, LONGEST_MS])),
  }),
  begin: ({ laptop, network, isMetered, budget, trickle, pause }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    const rule: Partial<NetworkRule> = {
      budget: amount(budget),
      trickle: amount(trickle),
      pause: pause === true,
    };
    const name = String(network);
    // Who dies before it is durable has no rule, as with any command.
    void client.daemon.ruleNetwork(name, rule).catch(() => undefined);
    client.daemon.networkIs(factsOf(name, isMetered === true), utcOffsetOf(name));
    return () => atHome(client);
  },
};

const amount = (value: unknown): number | null => (Number(value) < 0 ? null : Number(value));

/** Another part of the world, where the day begins at another hour. */
const utcOffsetOf = (name: string): number => NAMES.indexOf(name) * seconds(7 * 60 * 60);

/** Describes a simulated Wi-Fi network of a name to the daemon, metered or not. */
export function factsOf(name: string, isMetered: boolean): NetworkFacts {
  const why = 'the plan says so';
  return { name, kind: 'wifi', metered: isMetered, why, interface: 'wlan0', gateway: null };
}

/** A daemon that was started anew meanwhile knows of no network, and holds nothing back. */
export function atHome(client: ClientNode): void {
  if (client.running) client.daemon.networkIs(null, 0);
}

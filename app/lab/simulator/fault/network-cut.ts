/** A laptop and the server hear nothing of each other, in both directions or in one. */
import { SERVER_HOST } from '../cluster/server-node.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 60_000;

export const networkCut: FaultFamily = {
  name: 'cut',
  weight: 4,
  draw: (random, { laptops }) => ({
    family: 'cut',
    laptop: random.below(laptops.length),
    way: random.pick(['both', 'both', 'up', 'down']),
    lastsMs: random.below(random.pick([1_000, LONGEST_MS])),
  }),
  begin: ({ laptop, way }, target) => {
    const { cluster } = target;
    const client = target.laptop(Number(laptop));
    if (way !== 'down') cluster.network.cutOneWay(client.name, SERVER_HOST);
    if (way !== 'up') cluster.network.cutOneWay(SERVER_HOST, client.name);
    return () => cluster.heal(client);
  },
};

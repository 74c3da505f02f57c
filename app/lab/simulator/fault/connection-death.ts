/** Connections that die while their path is whole, and laptops and servers that move to another address. */
import type { Side } from '../net/memory-connection.ts';
import { SERVER_HOST, SERVER_PORT } from '../cluster/server-node.ts';
import type { FaultFamily } from './fault.ts';

/** Who notices at once; the others hear silence. */
export const NOTICED: Readonly<Record<string, readonly Side[]>> = {
  both: ['client', 'server'],
  client: ['client'],
  server: ['server'],
  nobody: [],
};

/** The server goes on with the old connection, or the laptop does, while the other has a new one already. */
export const connectionDeath: FaultFamily = {
  name: 'death',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'death',
    laptop: random.below(laptops.length),
    noticed: random.pick(Object.keys(NOTICED)),
    lastsMs: 0,
  }),
  begin: ({ laptop, noticed }, target) => {
    const { network } = target.cluster;
    network.lose(target.laptop(Number(laptop)).name, SERVER_HOST, NOTICED[String(noticed)] ?? []);
    return null;
  },
};

/** Nothing arrives until the operating system reports the new address, which may take longer than the connection lives. */
export const addressChange: FaultFamily = {
  name: 'address',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'address',
    laptop: random.below(laptops.length),
    lastsMs: random.below(random.pick([100, 5_000, 60_000])),
  }),
  begin: ({ laptop }, target) => {
    const client = target.laptop(Number(laptop));
    target.cluster.network.changeAddress(client.name);
    return () => target.cluster.networkChanged(client);
  },
};

/** A person sets another address for the server: the present one, or one that does not answer, until the right one is set. */
export const serverReaddressed: FaultFamily = {
  name: 'readdressed',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'readdressed',
    laptop: random.below(laptops.length),
    isWrong: random.chance(0.7),
    lastsMs: random.below(random.pick([100, 5_000, 60_000])),
  }),
  begin: ({ laptop, isWrong }, target) => {
    const client = target.laptop(Number(laptop));
    const tell = (port: number): void => {
      // It starts with the right one.
      if (client.running) client.daemon.readdress({ host: SERVER_HOST, port });
    };
    tell(isWrong === true ? SERVER_PORT + 1 : SERVER_PORT);
    return () => tell(SERVER_PORT);
  },
};

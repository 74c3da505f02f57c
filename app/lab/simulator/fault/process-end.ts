/** Processes that end without a word, alone or with the power of their machine, and come back later. */
import type { FaultFamily } from './fault.ts';

const LONGEST_DOWN_MS = 20_000;

export const daemonEnd: FaultFamily = {
  name: 'daemon',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'daemon',
    laptop: random.below(laptops.length),
    how: random.pick(['killed', 'power']),
    lastsMs: random.below(LONGEST_DOWN_MS),
  }),
  begin: ({ laptop, how }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running) return null;
    target.kill(client, how === 'power' ? 'power' : 'killed');
    return () => target.start(client);
  },
};

export const serverEnd: FaultFamily = {
  name: 'server',
  weight: 2,
  draw: (random) => ({
    family: 'server',
    how: random.pick(['killed', 'power']),
    lastsMs: random.below(LONGEST_DOWN_MS),
  }),
  begin: ({ how }, target) => {
    const { server } = target.cluster;
    if (!server.running) return null;
    if (how === 'power') server.losePower();
    else server.crash();
    return () => target.start(server);
  },
};

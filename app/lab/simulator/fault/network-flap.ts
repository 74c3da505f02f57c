/** A path that comes and goes: cuts too short for anybody to give up, one after the other. */
import { SERVER_HOST } from '../cluster/server-node.ts';
import type { FaultFamily } from './fault.ts';

export const networkFlap: FaultFamily = {
  name: 'flap',
  weight: 2,
  draw: (random, { laptops }) => {
    const [times, downMs, upMs] = [
      random.between(1, 10),
      random.between(10, 2_000),
      random.between(10, 1_000),
    ];
    return {
      family: 'flap',
      laptop: random.below(laptops.length),
      times,
      downMs,
      upMs,
      told: random.chance(0.5),
      lastsMs: times * (downMs + upMs),
    };
  },
  begin: ({ laptop, times, downMs, upMs, told }, target) => {
    const { network, world } = target.cluster;
    const client = target.laptop(Number(laptop));
    const heal = (): void => {
      if (told === true) target.cluster.heal(client);
      else network.heal(client.name, SERVER_HOST);
    };
    const steps = Array.from({ length: Number(times) }, (_, i) => {
      const at = i * (Number(downMs) + Number(upMs));
      return [
        world.time.in(at, `${client.name} flaps`, () => network.cut(client.name, SERVER_HOST)),
        world.time.in(at + Number(downMs), `${client.name} is back for a moment`, heal),
      ];
    }).flat();
    return () => {
      for (const step of steps) step.cancel();
      heal();
    };
  },
};

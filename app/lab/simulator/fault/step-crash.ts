/**
 * Crashes at a step: a laptop just when a program of it has got its answer, and the server just before or after a commit. What was promised by then
 * must hold.
 */
import type { CrashMoment } from '../process/crash-points.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 20_000;

export const acknowledgedCrash: FaultFamily = {
  name: 'acknowledged',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'acknowledged',
    laptop: random.below(laptops.length),
    how: random.pick(['killed', 'power']),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop, how }, target) => {
    const client = target.laptop(Number(laptop));
    let armed = true;
    target.cluster.watch((observation) => {
      if (!armed || observation.kind !== 'done' || observation.running.client !== client) return;
      armed = false;
      target.kill(client, how === 'power' ? 'power' : 'killed');
    });
    return () => {
      armed = false;
      return target.start(client);
    };
  },
};

export const commitCrash: FaultFamily = {
  name: 'commit',
  weight: 2,
  draw: (random) => ({
    family: 'commit',
    moment: random.pick(['before', 'after']),
    nth: 1 + random.below(3),
    how: random.pick(['killed', 'power']),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ moment, nth, how }, target) => {
    const { server } = target.cluster;
    if (!server.running || server.crashPoints.armed) return null;
    server.crashPoints.arm({
      label: 'database.commit',
      nth: Number(nth),
      moment: moment as CrashMoment,
      how: how === 'power' ? 'power' : 'killed',
    });
    return () => {
      server.crashPoints.arm(null);
      return target.start(server);
    };
  },
};

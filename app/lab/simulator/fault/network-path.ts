/** A path that is bad: it loses packets, takes now longer and now shorter, or has little room and long queues. */
import { SERVER_HOST } from '../cluster/server-node.ts';
import type { PathConditions } from '../net/pipe.ts';
import type { EndFault, FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_MS = 60_000;
/** Bytes per second: a tunnel, a train, a telephone, a hotel, an office. */
const RATES = [0, 4_000, 32_000, 250_000, 2_000_000];
/** As long as a queue gets before its bottleneck: kept short, and as cheap boxes have it. */
const QUEUES_MS = [50, 2_000];

export const packetLoss: FaultFamily = {
  name: 'loss',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'loss',
    laptop: random.below(laptops.length),
    percent: random.pick([1, 5, 20, 50]),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop, percent }, target) =>
    shape(target, Number(laptop), { loss: Number(percent) / 100 }),
};

/** Streams overtake each other. */
export const jitter: FaultFamily = {
  name: 'jitter',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'jitter',
    laptop: random.below(laptops.length),
    mostMs: random.pick([5, 50, 500, 3_000]),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop, mostMs }, target) =>
    shape(target, Number(laptop), { jitterMs: Number(mostMs) }),
};

/** The rate changes from step to step; where it is 0 nothing gets through. */
export const rateTrace: FaultFamily = {
  name: 'rate',
  weight: 2,
  draw: (random, { laptops }) => {
    const steps = random.between(1, 8);
    const stepMs = random.pick([200, 2_000, 10_000]);
    return {
      family: 'rate',
      laptop: random.below(laptops.length),
      trace: Array.from({ length: steps }, () => random.pick(RATES)).join(' '),
      stepMs,
      queueMs: random.pick(QUEUES_MS),
      lastsMs: steps * stepMs,
    };
  },
  begin: ({ laptop, trace, stepMs, queueMs }, target) => {
    const rates = String(trace).split(' ').map(Number);
    const { time } = target.cluster.world;
    const set = (bytesPerSecond = 0): EndFault =>
      shape(target, Number(laptop), { bytesPerSecond, queueMs: Number(queueMs) });
    const end = set(rates[0]);
    const steps = rates.slice(1).map((rate, i) =>
      time.in((i + 1) * Number(stepMs), `rate ${rate}`, () => {
        set(rate);
      }),
    );
    return () => {
      for (const step of steps) step.cancel();
      return end();
    };
  },
};

/** Both ways; the end of it brings back what is usual. */
function shape(target: FaultTarget, laptop: number, conditions: Partial<PathConditions>): EndFault {
  const { network } = target.cluster;
  const { name } = target.laptop(laptop);
  const set = (to: Partial<PathConditions>): void => {
    network.shape(name, SERVER_HOST, to);
    network.shape(SERVER_HOST, name, to);
  };
  const changed = Object.keys(conditions) as Array<keyof PathConditions>;
  set(conditions);
  return () => set(Object.fromEntries(changed.map((one) => [one, network.usual[one]])));
}

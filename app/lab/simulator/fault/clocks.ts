/** Machines that sleep, and wall clocks that somebody sets. The clock that leases are counted by goes on through both. */
import type { Cluster } from '../cluster/cluster.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
/** A breath, around the length of a lease, and a night. */
const SLEEPS_MS = [2 * SECOND, 40 * SECOND, 40 * SECOND, 300 * SECOND, 8 * HOUR];
const SERVER_SLEEPS_MS = [2 * SECOND, 40 * SECOND, 300 * SECOND];
const JUMPS_S = [2, 3_600, 86_400, 315_360_000];

/** Whose clock: the server's has this index. */
const SERVER = -1;

export const wallJump: FaultFamily = {
  name: 'wall',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'wall',
    laptop: random.below(laptops.length + 1) + SERVER,
    // A machine without a battery begins in 1970.
    to: random.chance(0.1) ? '1970' : 'elsewhere',
    byMs: random.pick([SECOND, -SECOND]) * random.below(random.pick(JUMPS_S)),
    lastsMs: 0,
  }),
  begin: ({ laptop, to, byMs }, target) => {
    const { clock } = machineAt(target, Number(laptop));
    clock.jumpWall(to === '1970' ? 0 - clock.wall() : Number(byMs));
    return null;
  },
};

export const suspend: FaultFamily = {
  name: 'suspend',
  weight: 3,
  draw: (random, { laptops }) => ({
    family: 'suspend',
    laptop: random.below(laptops.length),
    answer: random.pick(['reset', 'none']),
    /** Its network is there so long after it. */
    networkMs: random.pick([0, 0, random.below(10 * SECOND)]),
    lastsMs: random.below(random.pick(SLEEPS_MS)),
  }),
  begin: ({ laptop, answer, networkMs }, target) => {
    const { cluster } = target;
    const client = target.laptop(Number(laptop));
    if (client.machine.asleep) return null;
    const wake = sleep(client, answer);
    const late = Number(networkMs);
    if (late === 0) return wake;
    cluster.network.cut(client.name, SERVER_HOST);
    return () => {
      wake();
      cluster.world.time.in(late, `${client.name} finds a network`, () => cluster.heal(client));
    };
  },
};

/** A virtual machine that is paused, or moved to another host. */
export const serverSuspend: FaultFamily = {
  name: 'server-suspend',
  weight: 1,
  draw: (random) => ({
    family: 'server-suspend',
    answer: random.pick(['reset', 'none']),
    lastsMs: random.below(random.pick(SERVER_SLEEPS_MS)),
  }),
  begin: ({ answer }, { cluster }) => {
    if (cluster.server.machine.asleep) return null;
    return sleep(cluster.server, answer);
  },
};

function sleep(node: ClientNode | Cluster['server'], answer: unknown): () => void {
  node.sleep();
  return () => node.wake(answer === 'reset' ? 'reset' : 'none');
}

function machineAt(target: FaultTarget, index: number): ClientNode | Cluster['server'] {
  return index === SERVER ? target.cluster.server : target.laptop(index);
}

/** What people do to the programs themselves: a pause, and an end in good order with a start later. */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ServerNode } from '../cluster/server-node.ts';
import type { World } from '../world.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_PAUSE_MS = 60_000;
const LONGEST_DOWN_MS = 20_000;
const LONGEST_CLOSING_MS = 20;

export const pause: FaultFamily = {
  name: 'pause',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'pause',
    laptop: random.below(laptops.length),
    lastsMs: random.below(LONGEST_PAUSE_MS),
  }),
  begin: ({ laptop }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running) return null;
    client.daemon.pause();
    // A pause lasts through restarts: it ends when a daemon is there to hear of it.
    return async () => {
      await target.start(client);
      if (client.running) client.daemon.resume();
    };
  },
};

export const daemonStop: FaultFamily = {
  name: 'stop',
  weight: 1,
  draw: (random, { laptops }) => ({
    family: 'stop',
    laptop: random.below(laptops.length),
    /** Until a program comes that has not heard of it. */
    asksAfterMs: random.below(LONGEST_CLOSING_MS),
    lastsMs: random.below(LONGEST_DOWN_MS),
  }),
  begin: async ({ laptop, asksAfterMs = 0 }, target) => {
    const client = target.laptop(Number(laptop));
    // One who sleeps is asked nothing.
    if (!client.running || client.machine.asleep) return null;
    const { world } = target.cluster;
    world.time.in(Number(asksAfterMs), `a program asks ${client.name} all the same`, () => {
      if (client.running && client.daemon.isClosing) asksAllTheSame(client, world);
    });
    await ended(target.cluster, client, `${client.name} to close`);
    return () => target.start(client);
  },
};

export const serverStop: FaultFamily = {
  name: 'server-stop',
  weight: 1,
  draw: (random) => ({ family: 'server-stop', lastsMs: random.below(LONGEST_DOWN_MS) }),
  begin: async (_, target) => {
    const { server } = target.cluster;
    if (!server.running || server.machine.asleep) return null;
    await ended(target.cluster, server, 'the server to close');
    return () => target.start(server);
  },
};

/** It may die of something else while it closes. */
async function ended(cluster: Cluster, node: ClientNode | ServerNode, what: string): Promise<void> {
  let failure: { readonly error: unknown } | null = null;
  node.close().catch((error: unknown) => (failure = { error }));
  await cluster.until(() => !node.running || failure !== null, what);
  if (failure !== null) throw (failure as { error: unknown }).error;
}

function asksAllTheSame(client: ClientNode, world: World): void {
  client.daemon.fileSystem.volumes().catch((error: unknown) => {
    if (!(error instanceof GodwitError)) world.fault(error);
  });
}

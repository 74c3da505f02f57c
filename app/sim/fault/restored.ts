/**
 * The server is put back from a backup (rule I1): it is taken when the fault begins; when it ends the server dies, its machine gets
 * what the backup holds, and it begins a new epoch. What was committed between is known to laptops only.
 *
 * It weighs nothing yet. On its own it still finds something in 1 of 300 plans of 150 steps: acknowledged bytes that are nowhere (seed
 * 3160; of 400 steps: seed 152). With a weight of 1 beside all other families, in 3 of 260 plans of 1,000 steps in which nothing is found without it: a laptop
 * that is not connected again (600036), a store that was refused and left the log (600172), a losing version that is nowhere (600230).
 */
import type { FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_MS = 90_000;

export const restored: FaultFamily = {
  name: 'restored',
  weight: 0,
  draw: (random) => ({
    family: 'restored',
    lastsMs: random.below(random.pick([2_000, LONGEST_MS])),
  }),
  begin: (_event, target) => {
    const { server } = target.cluster;
    const backup = server.backUp();
    return async () => {
      if (server.begun) server.crash();
      server.restore(backup);
      await target.start(server);
      await inviteUnknown(target);
    };
  },
};

/** Who was paired after the backup is a stranger, and is invited again; what it has stays its own. */
async function inviteUnknown(target: FaultTarget): Promise<void> {
  const { cluster } = target;
  for (const client of [...cluster.clients]) {
    if (client.clientStore.meta('device') === undefined) continue;
    if (cluster.server.metaStore.incarnationOf(client.identity.fingerprint) !== undefined) continue;
    cluster.inviteAgain(client, 'itself');
    if (!client.begun) continue;
    target.kill(client, 'killed');
    await target.start(client);
  }
}

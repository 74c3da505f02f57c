/**
 * The server is put back from a backup (rule I1): it is taken when the fault begins; when it ends the server dies, its machine gets
 * what the backup holds, and it begins a new epoch. What was committed between is known to laptops only.
 *
 * It weighs nothing yet: where two restores come close together it still finds two things. A laptop without a folder may have contents
 * whose name it does not know (it made them in a folder that it has not listed since), and cannot offer them. And an offer about a
 * volume that no front end follows may leave an adjustment that nobody does.
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

/**
 * The server is put back from a backup (rule I1): it is taken when the fault begins; when it ends the server dies, its machine gets
 * what the backup holds, and it begins a new epoch. What was committed between is known to laptops only.
 *
 * The restore repeats what administrators have set since, of rights, quotas, invitations and revoked devices: else what a fault takes
 * for a while would be taken for good by a backup of that while.
 *
 * No backup is made of what has rotted: the real one reads all again and refuses it.
 */
import type { Orders } from '../store/orders.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_MS = 90_000;

export const restored: FaultFamily = {
  name: 'restored',
  weight: 1,
  draw: (random) => ({
    family: 'restored',
    lastsMs: random.below(random.pick([2_000, LONGEST_MS])),
  }),
  begin: (_event, target) => {
    const { server } = target.cluster;
    if (!server.isWhole) return null;
    const backup = server.backUp();
    return async () => {
      if (server.begun) server.crash();
      const orders = server.metaStore.orders();
      server.restore(backup, 'told', orders.made);
      server.metaStore.orderAgain(orders);
      await target.start(server);
      await inviteUnknown(target, orders);
    };
  },
};

/**
 * Who was paired after the backup is a stranger, and is invited again; what it has stays its own. So is who was being paired: the answer
 * to its Hello may be on its way, and its invitation is used.
 */
async function inviteUnknown(target: FaultTarget, { revoked }: Orders): Promise<void> {
  const { cluster } = target;
  for (const client of [...cluster.clients]) {
    if (revoked.includes(client.identity.fingerprint)) continue;
    if (cluster.server.metaStore.incarnationOf(client.identity.fingerprint) !== undefined) continue;
    cluster.inviteAgain(client, 'itself');
    if (!client.begun) continue;
    target.kill(client, 'killed');
    await target.start(client);
  }
}

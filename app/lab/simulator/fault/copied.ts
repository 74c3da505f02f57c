/**
 * A laptop's data folder is copied to another machine, and both go on as one device (rule I2). The second one to speak is refused; a
 * while later its person pairs it again, as a device of its own. Where the one that spoke last has queued what the other has had applied
 * under the same number, it is refused as well, and both are paired again.
 */
import { seconds } from '../../../../shared/model/time.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_MS = 60_000;
const HELLO_LANDS = seconds(10);

export const copied: FaultFamily = {
  name: 'copied',
  weight: 1,
  // A flush says why no more time is of use.
  programsMeet: ['incarnation-reused'],
  draw: (random, { laptops }) => ({
    family: 'copied',
    laptop: random.below(laptops.length),
    lastsMs: random.below(random.pick([2_000, LONGEST_MS])),
  }),
  begin: async ({ laptop }, target) => {
    const original = target.laptop(Number(laptop));
    if (original.clientStore.meta('device') === undefined) return null;
    const { fingerprint } = original.identity;
    const copy = target.cluster.copy(original);
    if (copy === null) return null;
    await target.start(copy);
    return async () => {
      const { cluster } = target;
      const same = cluster.clients.filter(({ identity }) => identity.fingerprint === fingerprint);
      for (const client of same) if (client.begun) target.kill(client, 'killed');
      // What the last Hello of one of them was about to change is in the server's database then.
      await cluster.pass(HELLO_LANDS);
      const last = same.find((client) => isCurrent(target, client)) ?? same[0];
      const kept = last !== undefined && isLetIn(target, last) ? last : undefined;
      for (const client of same) if (client !== kept) cluster.inviteAgain(client, 'another');
      for (const client of same) await target.start(client);
    };
  },
};

/** The server knows its data folder by its present incarnation. */
function isCurrent({ cluster }: FaultTarget, { clientStore, identity }: ClientNode): boolean {
  const current = cluster.server.metaStore.incarnationOf(identity.fingerprint);
  if (typeof current !== 'string') return false;
  return (
    current === clientStore.meta('incarnation') || current === clientStore.meta('incarnation-next')
  );
}

/** It is not taken for a copy; and the device that all of them share is not revoked. */
function isLetIn({ cluster }: FaultTarget, { clientStore, identity }: ClientNode): boolean {
  const { metaStore } = cluster.server;
  if (metaStore.isRevoked(identity.fingerprint)) return false;
  const logged = [...clientStore.rows('update').values()];
  return !logged.some(({ seq, name, answer }) => {
    return answer === null && metaStore.wasAnothers(identity.fingerprint, seq, name);
  });
}

/**
 * A laptop's data folder is copied to another machine, and both go on as one device (rule I2). The second one to speak is refused; a
 * while later its person pairs it again, as a device of its own.
 */
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const LONGEST_MS = 60_000;

export const copied: FaultFamily = {
  name: 'copied',
  weight: 1,
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
      for (const client of needless(target, fingerprint)) {
        target.cluster.inviteAgain(client, 'another');
        if (client.begun) target.kill(client, 'killed');
        await target.start(client);
      }
    };
  },
};

/** Of the laptops with this key all but one: that which the server knows by its present incarnation, or else the first. */
function needless({ cluster }: FaultTarget, fingerprint: string): ClientNode[] {
  const current = cluster.server.metaStore.incarnationOf(fingerprint);
  const same = cluster.clients.filter(({ identity }) => identity.fingerprint === fingerprint);
  const isCurrent = ({ clientStore }: ClientNode): boolean =>
    typeof current === 'string' &&
    (current === clientStore.meta('incarnation') ||
      current === clientStore.meta('incarnation-next'));
  const kept = same.find(isCurrent) ?? same[0];
  return same.filter((client) => client !== kept);
}

/**
 * Somebody else's program at the door: a stranger, a guest who may read, a laptop gone bad that may write. What it sends is
 * drawn from a seed of its own, so that leaving other faults out of a plan does not change it.
 */
import type { Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FaultFamily } from './fault.ts';
import { HostilePeer } from './hostile-peer.ts';

const LONGEST_MS = 60_000;

export const hostile: FaultFamily = {
  name: 'hostile',
  weight: 2,
  draw: (random, { laptops }) => ({
    family: 'hostile',
    seed: random.below(1_000_000),
    rights: random.pick(['none', 'read', 'write']),
    volume: random.pick(laptops).volume,
    /** What an administrator does about it, half way. */
    done: random.pick(['nothing', 'reads only', 'no right', 'revoked']),
    /** Of its invitation: in time, too late, or passed on to a friend. */
    invitation: random.pick(['good', 'good', 'good', 'expired', 'passed on']),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: (event, { cluster }) => {
    const seed = String(event['seed']);
    const { world, server } = cluster;
    const volume = Number(event['volume']) as VolumeId;
    const user = `mallory ${seed}`;
    const rights = rightsOf(event['rights']);
    const hours = event['invitation'] === 'expired' ? -1 : undefined;
    const invitation = rights === null ? null : server.invite(user, volume, rights, hours);
    const named = (host: string): HostilePeer =>
      new HostilePeer(cluster, {
        host,
        volume,
        invitation,
        random: new SeededRandom(`hostile ${seed} ${host}`),
      });
    const peer = named(`mallory-${seed}`);
    const friend = event['invitation'] === 'passed on' ? named(`marvin-${seed}`) : null;
    friend?.begin();
    peer.begin();
    world.time.in(event.lastsMs / 2, 'an administrator acts', () => {
      if (rights === null || event['done'] === 'nothing') return;
      if (event['done'] !== 'revoked') {
        server.metaStore.allow(user, volume, event['done'] === 'reads only' ? 'read' : null);
      } else {
        const device = peer.device === null ? null : server.metaStore.deviceOf(peer.fingerprint);
        if (device !== null) server.revoke(device);
      }
    });
    return () => {
      peer.end();
      friend?.end();
    };
  },
};

function rightsOf(detail: unknown): Rights | null {
  return detail === 'read' || detail === 'write' ? detail : null;
}

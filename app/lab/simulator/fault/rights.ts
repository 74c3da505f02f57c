/**
 * An administrator changes what people may do, while they work: a user may only read a volume for a while, or is not let in
 * at all, and a device is revoked for good. What they did meanwhile stays on their laptops (rule W7) and goes on when they may again.
 */
import type { Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { PlanSettings } from '../plan/plan.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 60_000;

export const rightsTaken: FaultFamily = {
  name: 'rights',
  weight: 1,
  draw: (random, { laptops }) => {
    const index = random.below(laptops.length);
    const { user = '', volume, rights } = laptops[index] as PlanSettings['laptops'][number];
    return {
      family: 'rights',
      user,
      volume,
      rights: random.pick(['read', 'read', 'none']),
      back: rights,
      lastsMs: random.below(random.pick([500, 5_000, LONGEST_MS])),
    };
  },
  begin: ({ user, volume, rights, back }, target) => {
    const { metaStore } = target.cluster.server;
    const allow = (what: Rights | null): void =>
      metaStore.allow(String(user), Number(volume) as VolumeId, what);
    allow(rights === 'read' ? 'read' : null);
    return () => allow(back as Rights);
  },
};

/** The first laptop stays: somebody has to be there in the end. */
export const deviceRevoked: FaultFamily = {
  name: 'revoked',
  weight: 1,
  // A flush says why no more time is of use.
  programsMeet: ['device-revoked'],
  draw: (random, { laptops }) => ({
    family: 'revoked',
    laptop: 1 + random.below(Math.max(laptops.length - 1, 1)),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.device === null) return null;
    const { server } = target.cluster;
    const device = server.metaStore.deviceOf(client.identity.fingerprint);
    if (device === null) return null;
    server.revoke(device);
    // It works on alone for a while.
    return () => target.leaves(client);
  },
};

/**
 * An administrator denies a person single rights in a volume for a while, by a row of their own or by a team that they are in. It is in a run only where it
 * is named, beside the other faults and from a random stream of its own: so other seeds keep their meaning.
 */
import { ACCESS_RIGHTS, rightSet } from '../../../../shared/model/access-list.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 60_000;
const MOST_DENIED = 3;
const TEAMS = 1_000_000;

export const access: FaultFamily = {
  name: 'access',
  weight: 0,
  programsMeet: ['no-right'],
  draw: (random, { laptops }) => {
    const { user = '', volume } = random.pick(laptops);
    const denied = Array.from({ length: 1 + random.below(MOST_DENIED) }, () =>
      random.pick(ACCESS_RIGHTS),
    );
    return {
      family: 'access',
      user,
      volume,
      rights: rightSet([...new Set(denied)]),
      // 0: by a row of their own.
      team: random.fraction() < 0.5 ? 0 : 1 + random.below(TEAMS),
      lastsMs: random.below(random.pick([500, 5_000, LONGEST_MS])),
    };
  },
  begin: ({ user, volume: number, rights, team: drawn }, target) => {
    const { metaStore } = target.cluster.server;
    const volume = Number(number) as VolumeId;
    const person = { kind: 'person', name: String(user) } as const;
    if (Number(drawn) === 0) {
      const deny = (set: number): void =>
        metaStore.changeAccess({ ask: 'set', volume, ...person, negative: true, rights: set });
      deny(Number(rights));
      return () => deny(0);
    }
    const team = `team${Number(drawn)}`;
    metaStore.changeAccess({ ask: 'make-team', team });
    metaStore.changeAccess({ ask: 'member', team, ...person, isIn: true });
    const row = { kind: 'team', name: team, negative: true, rights: Number(rights) } as const;
    metaStore.changeAccess({ ask: 'set', volume, ...row });
    return () => metaStore.changeAccess({ ask: 'end-team', team });
  },
};

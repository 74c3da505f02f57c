/**
 * An administrator gives a volume a quota while people work, below what it holds, or a little above, and lifts it again. What does not fit
 * meanwhile is refused to programs, or waits on its laptop (rule W7); when the quota is lifted everything goes on.
 */
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { FaultFamily } from './fault.ts';

const LONGEST_MS = 90_000;

export const quota: FaultFamily = {
  name: 'quota',
  weight: 1,
  programsMeet: ['over-quota'],
  draw: (random, { laptops }) => ({
    family: 'quota',
    volume: random.pick(laptops.map(({ volume }) => volume)),
    percent: random.pick([0, 50, 100, 100, 110, 200]),
    more: random.below(random.pick([1, 1_000, 20_000])),
    lastsMs: random.below(random.pick([2_000, 30_000, LONGEST_MS])),
  }),
  begin: ({ volume, percent, more }, target) => {
    const { metaStore } = target.cluster.server;
    const id = Number(volume) as VolumeId;
    const used = metaStore.usedBy(id);
    metaStore.limit(id, Math.floor((used * Number(percent)) / 100) + Number(more));
    return () => metaStore.limit(id, null);
  },
};

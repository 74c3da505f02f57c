/**
 * People lock files, unlock them, and break locks of others, while all else goes on. It is in a run only where it is named, beside the other faults and
 * from a random stream of its own: so other seeds keep their meaning.
 */
import { rootOf, type Fid } from '../../../../shared/model/fid.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily } from './fault.ts';
import { told } from './queue.ts';

const ACTS = ['lock', 'lock', 'lock', 'share', 'unlock', 'unlock', 'break'] as const;
export type LockAct = (typeof ACTS)[number];

/** As many of the files of the root: people meet at the same ones. */
const FEW = 3;

export const locks: FaultFamily = {
  name: 'locks',
  weight: 0,
  draw: (random, { laptops }) => ({
    family: 'locks',
    laptop: random.below(laptops.length),
    act: random.pick(ACTS),
    which: random.below(FEW),
    lastsMs: 0,
  }),
  begin: ({ laptop, act, which }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    const asked = carriedOut(client, act as LockAct, Number(which));
    told(client, target.cluster.world, `${String(act)} of a file`, [asked]);
    return null;
  },
};

async function carriedOut(client: ClientNode, act: LockAct, which: number): Promise<unknown> {
  const { daemon, volume } = client;
  const all = await daemon.programs.readdir(rootOf(volume));
  const files = all.filter(({ attributes }) => attributes.kind === 'file').slice(0, FEW);
  const fid = files[which % Math.max(files.length, 1)]?.attributes.fid;
  return fid === undefined ? null : done(daemon, act, fid);
}

function done({ locks: keeper }: DaemonRuntime, act: LockAct, fid: Fid): Promise<unknown> {
  switch (act) {
    case 'lock':
      return keeper.lock(fid, 'exclusive');
    case 'share':
      return keeper.lock(fid, 'shared');
    case 'unlock':
      return keeper.unlock(fid, false);
    case 'break':
      return keeper.unlock(fid, true);
  }
}

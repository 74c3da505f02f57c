/**
 * People show the volumes of others in folders of their own, rename and end such mount points, and work through them, while an administrator gives and
 * takes the right to see those volumes. It does nothing where all laptops have one volume.
 *
 * It is in a run only where it is named, beside the other faults and from a random stream of its own: so other seeds keep their meaning.
 */
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';
import { told } from './queue.ts';

const ACTS = [
  ...(['give', 'give', 'take', 'mount', 'mount', 'mount', 'rename', 'unmount'] as const),
  ...(['work', 'work', 'look', 'remove'] as const),
];
export type MountAct = (typeof ACTS)[number];

const NAMES = ['m0', 'm1', 'm2'] as const;
const FOLDER = { mode: 0o755 };

export const mounts: FaultFamily = {
  name: 'mounts',
  weight: 0,
  draw: (random, { laptops }) => ({
    family: 'mounts',
    laptop: random.below(laptops.length),
    act: random.pick(ACTS),
    which: random.below(NAMES.length),
    lastsMs: 0,
  }),
  begin: ({ laptop, act, which }, target) => {
    const client = target.laptop(Number(laptop));
    const other = otherThan(client.volume, target);
    if (other === null) return null;
    if (act === 'give' || act === 'take') {
      allow(act, client, other, target);
      return null;
    }
    if (!client.running || client.machine.asleep) return null;
    const asked = done(client, act as MountAct, NAMES[Number(which)] ?? 'm0', other);
    told(client, target.cluster.world, `${String(act)} of a mount point`, [asked]);
    return null;
  },
};

function otherThan(volume: VolumeId, { cluster }: FaultTarget): VolumeId | null {
  return cluster.clients.find((each) => each.volume !== volume)?.volume ?? null;
}

/** Nobody loses the volume that a laptop of theirs is for. */
function allow(
  act: 'give' | 'take',
  client: ClientNode,
  volume: VolumeId,
  { cluster }: FaultTarget,
): void {
  const { user } = client;
  if (cluster.clients.some((each) => each.user === user && each.volume === volume)) return;
  if (!cluster.server.running) return;
  cluster.server.metaStore.allow(user, volume, act === 'give' ? 'write' : null);
}

async function done(
  { daemon: { programs }, volume }: ClientNode,
  act: MountAct,
  name: string,
  other: VolumeId,
): Promise<unknown> {
  const dir = rootOf(volume);
  const place = { dir, name };
  switch (act) {
    case 'mount':
      return programs.mkdir(dir, name, { ...FOLDER, mounts: other });
    case 'unmount':
      return programs.rmdir(place, { unmounts: true });
    case 'remove':
      return programs.rmdir(place);
    case 'rename':
      return programs.rename(place, { dir, name: NAMES[0] }, { noReplace: true });
    case 'work':
      return makeIn(programs, place);
    default:
      return programs.readdir((await programs.lookup(dir, name)).fid);
  }
}

/** In the volume that is shown there, or nowhere. */
async function makeIn(
  fs: FileSystem,
  { dir, name }: { dir: ReturnType<typeof rootOf>; name: string },
) {
  const { fid } = await fs.lookup(dir, name);
  return fs.mkdir(fid, `of ${name}`, FOLDER);
}

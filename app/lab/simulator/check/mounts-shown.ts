/**
 * Checker: a mount point shows its volume to whoever may see that, and nothing to others (rule M2). When all is at rest each connected laptop is asked
 * what the mount points in the root of its volume show, and the server who may see what. In a mount point itself there is nothing, on any laptop.
 */
import { rootOf, type VolumeId } from '../../../../shared/model/fid.ts';
import { isMountPoint, mountedVolume } from '../../../../shared/model/mount-point.ts';
import type { NamedAttributes } from '../../../../shared/ports/file-system.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';

export const mountsShown: CheckerKind = {
  name: 'a mount point shows what may be seen',
  make: (report) => new MountsShown(report),
};

class MountsShown implements Checker {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  async atRest(cluster: Cluster): Promise<void> {
    for (const client of cluster.clients) {
      if (!client.running || !client.daemon.inside.session.isUp) continue;
      const seen = seenBy(cluster, client);
      // Without a mount point nobody is asked anything, so that other seeds keep their meaning.
      if (seen !== null && mountsOf(client).size > 0) await this.#look(cluster, client, seen);
    }
  }

  async #look(cluster: Cluster, client: Laptop, seen: ReadonlySet<VolumeId>): Promise<void> {
    const { fileSystem, programs } = client.daemon;
    const root = rootOf(client.volume);
    const shown = await cluster.run(programs.readdir(root), 'a listing across mount points');
    const plain = await cluster.run(fileSystem.readdir(root), 'a listing of one volume');
    for (const { name, attributes } of plain.filter((each) => isMountPoint(each.attributes))) {
      const volume = mountedVolume(attributes);
      const there = shown.find((each) => each.name === name);
      if (volume === null || there === undefined) continue;
      const wrong = wrongAt(there, volume, seen.has(volume));
      if (wrong !== null) this.#report(`${client.name}: ${name} ${wrong}`);
      const within = await cluster.run(fileSystem.readdir(attributes.fid), 'a listing within');
      if (within.length > 0) this.#report(`${client.name}: something lies in ${name} itself`);
    }
  }
}

/** Directories that the laptop knows to be mount points. */
function mountsOf({ daemon: { inside }, volume }: Laptop): Set<string> {
  const entries = inside.names.directories.get(rootOf(volume))?.entries ?? new Map<string, never>();
  const statuses = [...entries.values()].map((fid) => inside.names.attributes.get(fid));
  return new Set(statuses.flatMap((each) => (each && isMountPoint(each) ? [each.fid] : [])));
}

/** The volumes that its device may see, as the server has it now; null: the server does not know it. */
function seenBy({ server }: Cluster, { daemon }: Laptop): Set<VolumeId> | null {
  const device = server.inside.devices.get(daemon.inside.meta.get('device') as number);
  return device === undefined ? null : new Set(device.rights.keys());
}

function wrongAt(
  { attributes: { mounted, fid } }: NamedAttributes,
  volume: VolumeId,
  maySee: boolean,
): string | null {
  if (mounted === undefined) return 'is a mount point, and looks like none';
  if (mounted.volume !== null && !maySee) return `shows volume ${volume}, which it may not see`;
  if (mounted.volume === null && maySee) return `shows nothing, and may show volume ${volume}`;
  return maySee && fid !== rootOf(volume) ? `shows ${fid} instead of volume ${volume}` : null;
}

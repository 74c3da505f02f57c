/**
 * Checker: data that can be evicted takes nothing of the disk's reserve. When all is at rest, a laptop on whose disk less is left free than
 * its settings say has nothing in its cache that could go. What somebody has said is taken from its database, not from its daemon: it counts
 * over restarts.
 *
 * Asked for a while, since a daemon looks at its disk every so many seconds.
 *
 * Allowed to stay: what somebody holds, what is logged, what is pinned, and what was fetched last and not read yet.
 */
import { DISK_LOOK } from '../../../../daemon/limits.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { CheckerKind } from './checker.ts';

/** The default `cache.reserve`: a twentieth of such small disks. */
const RESERVE_SHARE = 1 / 20;

export const reserveKept: CheckerKind = {
  name: 'the reserve of the disk is kept',
  make: (report) => ({
    atRest: async (cluster: Cluster) => {
      if (cluster.clients.every(({ diskBytes }) => diskBytes === undefined)) return;
      await cluster.pass(DISK_LOOK);
      for (const client of cluster.clients) {
        const { diskBytes: total, running } = client;
        const text = running && total !== undefined ? crossed(client, total) : null;
        if (text !== null) report(text);
      }
    },
  }),
};

/** What is there though it could go; null: nothing. */
export function crossed(client: ClientNode, total: number): string | null {
  const free = total - client.disk.usedBytes;
  const said = client.clientStore.meta('cache-reserve');
  const reserve = typeof said === 'number' ? said : Math.floor(total * RESERVE_SHARE);
  if (free >= reserve) return null;
  const {
    cache: { files, pins },
    log,
  } = client.daemon.inside;
  const logged = new Set([...log.all()].map(({ content }) => content));
  // One that was fetched last may stay; a pin may be of a folder above.
  const idle = [...files.names()].filter((name) => !files.isHeld(name) && !logged.has(name));
  if (pins.size > 0 || idle.length <= 1) return null;
  const bytes = idle.reduce((sum, name) => sum + (files.get(name)?.size ?? 0), 0);
  if (bytes === 0) return null;
  const what = `${idle.length} contents (${bytes} bytes) that could be had again`;
  return `${client.name} keeps ${what}, though ${free} bytes are free of its disk and ${reserve} should be`;
}

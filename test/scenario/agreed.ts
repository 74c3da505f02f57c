/**
 * What all laptops of a cluster agree on, after everything is settled: their replicas show the same, and so does the
 * file-system port of each, attributes included.
 */
import { expect } from '@jest/globals';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { VnodeStatus } from '../../shared/model/vnode.ts';

export async function agreed(cluster: Cluster): Promise<Record<string, string | null>> {
  await cluster.settled();
  const [first, ...others] = cluster.clients;
  if (first === undefined) return {};
  for (const other of others) expect(cluster.shown(other)).toEqual(cluster.shown(first));
  const statuses = statusesOf(first);
  for (const client of cluster.clients) {
    expect(statusesOf(client)).toEqual(statuses);
    expect(await viewOf(cluster, client)).toEqual(statuses);
  }
  return cluster.shown(first);
}

type Statuses = Record<string, Omit<VnodeStatus, 'commit'>>;

function statusesOf(client: ClientNode): Statuses {
  const shown = [...client.replica.tree()];
  return Object.fromEntries(shown.map(([path, { status }]) => [path, withoutCommit(status)]));
}

async function viewOf(cluster: Cluster, client: ClientNode): Promise<Statuses> {
  const view = await cluster.at(client, (files) => files.walk());
  return Object.fromEntries([...view].map(([path, status]) => [path, withoutCommit(status)]));
}

export function withoutCommit(status: VnodeStatus): Omit<VnodeStatus, 'commit'> {
  const { fid, kind, mode, mtime, size, version, digest, target, links, xattrs } = status;
  return { fid, kind, mode, mtime, size, version, digest, target, links, xattrs };
}

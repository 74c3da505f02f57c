/**
 * How soon everything must have settled when the faults are over, every process runs, every laptop is connected and no program
 * is at work: all updates answered, all replicas at the head.
 *
 *   a minute      and the longest pause of what was tried in vain before
 *   + two leases  a writer waits for a laptop that was cut off (P1), a restarted server for those of the process before
 *   + the bytes   queued here, and those that the laptop may have to fetch, in packets, at the rate of its link or of its limit
 *   + the steps   for each commit still to come or to be put in place: round trips and answers of disks
 *
 * Bytes and steps count twice: packets are lost and sent again, and laptops share the server.
 */
import type { Duration } from '../../../../shared/model/time.ts';
import { milliseconds, minutes } from '../../../../shared/model/time.ts';
import { RETRY_MOST } from '../../../../daemon/limits.ts';
import { LEASE } from '../../../../server/limits.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { OVERHEAD_BYTES, PACKET_BYTES } from '../net/pipe.ts';
import type { PlanSettings } from '../plan/plan.ts';

/** Answers of disks and databases on the way of one update, from the log of one laptop to the replica of another. */
const DISK_ANSWERS = 10;
const ROUND_TRIPS = 2;
const MARGIN = 2;

/** Everything is answered, and in place where somebody follows. What is blocked waits for a person. */
export function isSettled({ server, clients }: Cluster): boolean {
  return clients.every((client) => {
    const { log } = client.daemon.inside;
    if (log.unanswered > 0 && !hasOnlyBlocked(client)) return false;
    return client.frontEnd === 'none' || client.replica.applied >= headOf(server, client);
  });
}

/** Works out how long a cluster may take to settle, in milliseconds of simulated time. */
export function settleBound({ server, clients }: Cluster, settings: PlanSettings): Duration {
  const { delayMs, bytesPerSecond, packetBytes = PACKET_BYTES } = settings.network;
  const logs = clients.map((client) => [...client.daemon.inside.log.all()]);
  const queued = logs.flat().filter(({ state }) => state !== 'answered');
  const queuedBytes = queued.reduce(
    (all, { update }) => all + (update.op === 'store' ? update.size : 0),
    0,
  );
  const behind = Math.max(
    0,
    ...clients.map((client) =>
      client.frontEnd === 'none' ? 0 : headOf(server, client) - client.replica.applied,
    ),
  );
  const wanted = 2 * queuedBytes + (behind > 0 ? server.disk.usedBytes : 0);
  const bytes = wanted * (1 + OVERHEAD_BYTES / packetBytes);
  const steps = 2 * queued.length + behind;
  const stepMs = ROUND_TRIPS * 2 * delayMs + DISK_ANSWERS * settings.diskMs;
  const rates = clients.map(({ daemon: { inside } }) => {
    const { upload, download } = inside.limits.settings;
    return Math.min(upload ?? Infinity, download ?? Infinity);
  });
  const slowest = Math.min(bytesPerSecond ?? Infinity, ...rates);
  const transferMs = (bytes / slowest) * 1000;
  const fixedMs = minutes(1) + 2 * LEASE + RETRY_MOST;
  return milliseconds(fixedMs + MARGIN * (transferMs + steps * stepMs));
}

function headOf(server: Cluster['server'], client: ClientNode): number {
  return server.inside.volumes.find(client.volume)?.head.committed ?? 0;
}

/** And what waits for those. */
function hasOnlyBlocked(client: ClientNode): boolean {
  for (const { state, waitsFor } of client.daemon.inside.log.all()) {
    const waits = state !== 'sent' && waitsFor.size > 0;
    if (state !== 'answered' && state !== 'blocked' && !waits) return false;
  }
  return true;
}

/**
 * Checker: user locks exclude, and end with their laptops (rules K1 to K5). No two laptops take themselves at once to have a file locked, unless both
 * locks are shared. When all is at rest the server has the locks that laptops have, and none of a laptop that is away.
 *
 * Allowed: a laptop that was revoked takes its lock for its own until its lease ends, and two copies of one data folder are one laptop.
 */
import { holdsLock } from '../../../../daemon/core/lock/keep-locks.ts';
import type { OwnLock } from '../../../../daemon/core/lock/lock-state.ts';
import { seconds } from '../../../../shared/model/time.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';
import { RevokedDevices } from './revoked-devices.ts';

export const locksKept: CheckerKind = {
  name: 'locks of people exclude, and end',
  make: (report) => new LocksKept(report),
};

type Inside = Cluster['server']['inside'];

const NOTICED = seconds(35);

class LocksKept implements Checker {
  readonly #report: Report;
  readonly #revoked = new RevokedDevices();
  readonly #told = new Set<string>();
  readonly #laptops = new Map<string, Laptop>();

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    this.#revoked.hear(observation);
    const client = clientOf(observation);
    if (client === null || !client.running) return;
    this.#laptops.set(client.name, client);
    // Mostly nobody has locked anything.
    if (client.daemon.inside.locks.own.size > 0) this.#compare(client);
  }

  async atRest(cluster: Cluster): Promise<void> {
    if (wrongAtRest(cluster).length === 0) return;
    // Who follows no feed hears of locks with the next answer to GetTime, and the server looks at leases now and then.
    await cluster.pass(NOTICED);
    for (const text of wrongAtRest(cluster)) this.#report(text);
  }

  /** It is so as long as it is so. */
  #once(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#report(text);
  }

  #compare(client: Laptop): void {
    for (const own of heldBy(client)) {
      for (const other of this.#laptops.values()) {
        if (other === client || !other.running || isOneDevice(client, other)) continue;
        if (this.#revoked.has(client) || this.#revoked.has(other)) continue;
        const theirs = heldBy(other).find(({ fid }) => fid === own.fid);
        if (theirs === undefined || (theirs.mode === 'shared' && own.mode === 'shared')) continue;
        this.#once(
          `${client.name} has ${own.fid} locked (${own.mode}), and so has ${other.name} (${theirs.mode})`,
        );
      }
    }
  }
}

function wrongAtRest({ clients, server }: Cluster): string[] {
  const running = clients.filter((client) => client.running);
  return [
    ...running.flatMap((client) => apart(client, server.inside)),
    ...staleLocks(server.inside, server.clock.now()),
  ];
}

/** Each lock that is held here is at the server, and the other way round. */
function apart({ name, daemon }: Laptop, { volumes, connections }: Inside): string[] {
  const { inside } = daemon;
  const device = inside.meta.get('device') as number;
  const isThere = [...connections.values()].some((each) => each.device?.id === device);
  if (!inside.session.isUp || !isThere) return [];
  const wrong: string[] = [];
  for (const { fid } of inside.locks.own.values()) {
    if (!holdsLock(inside, fid) || volumes.find(fid)?.locks.own(fid, device) !== undefined)
      continue;
    wrong.push(`${name} takes ${fid} for locked, and the server knows nothing of it`);
  }
  for (const { locks } of volumes) {
    for (const [fid] of locks.all()) {
      if (locks.own(fid, device) === undefined || inside.locks.own.has(fid)) continue;
      wrong.push(`${name} has ${fid} locked at the server, and nobody there wants it`);
    }
  }
  return wrong;
}

/** Locks of laptops that are away. */
function staleLocks({ devices, volumes }: Inside, now: number): string[] {
  const isAway = (device: number): boolean => {
    const holder = devices.get(device);
    return holder === undefined || (holder.connection === null && holder.lease <= now);
  };
  return [...volumes].flatMap(({ locks }) =>
    [...locks.all()].flatMap(([fid, held]) =>
      held
        .filter(({ device }) => isAway(device))
        .map(({ device }) => `${fid} is locked by device ${device}, whose lease is over`),
    ),
  );
}

function clientOf(observation: Observation): Laptop | null {
  if ('client' in observation) return observation.client;
  if ('running' in observation) return observation.running.client;
  return 'call' in observation ? observation.call.client : null;
}

const isOneDevice = (one: Laptop, other: Laptop): boolean =>
  one.daemon.inside.meta.get('device') === other.daemon.inside.meta.get('device');

/** What it takes for its own now: a daemon that does nothing meanwhile has not noticed yet that its lease is over. */
function heldBy({ daemon: { inside }, clock }: Laptop): OwnLock[] {
  const { leaseEnd } = inside.sharing.promises;
  if (leaseEnd === null || clock.now() >= leaseEnd) return [];
  return [...inside.locks.own.values()].filter(({ fid }) => holdsLock(inside, fid));
}

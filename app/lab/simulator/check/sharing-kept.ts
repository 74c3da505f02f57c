/**
 * Checker: a shared folder is of the people it is shared with, and of nobody else (rules A5 to A7, M3).
 *
 * - What the server decides about access touches what it is about: who leaves takes no right of others, an order for a volume makes one, whose right is its
 *   maker's alone, and what is listed as shared with a person is what that person may see.
 * - Somebody who never had a right to a volume is told nothing of it, also where they know its number, and the digest of a file (fault/spy.ts).
 * - A laptop that lost sight of a volume gets nothing that was committed since.
 * - In the end who may see a volume is shown what the server has of it. What programs wrote there has come to the server.
 *
 * Allowed:
 * - what was committed, and a restored server has forgotten: whether that is lost is for `no acknowledged byte is lost`;
 * - what was not durable when its laptop lost its power; and what is on laptops that are gone for good;
 * - names whose laptop has changed them, and is not answered yet.
 */
import { rootOf, volumeOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import { toldRights } from '../../../../shared/model/access-list.ts';
import type { CommitNumber, Digest } from '../../../../shared/model/vnode.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { GivenRights } from '../store/decided-access.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const sharingKept: CheckerKind = {
  name: 'a shared folder is of its people',
  make: (report, ledgers = new Ledgers()) => new SharingKept(report, ledgers),
};

/** Transactions after the news that may still hold what was decided before it. */
const DECIDED_BEFORE = 2;
const SHORT = 12;

type Of<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>;

interface Work {
  readonly client: Laptop;
  readonly volume: VolumeId;
}

/** A device lost sight of a volume. */
interface Lost {
  readonly judgedFrom: number;
  /** The newest commit that it may know; null: not known yet. */
  upTo: CommitNumber | null;
}

class SharingKept implements Checker {
  readonly #report: Report;
  readonly #ledgers: Ledgers;
  readonly #orders = new Map<string, VolumeId>();
  readonly #work = new Map<Digest, Work>();
  readonly #durable = new Set<Digest>();
  readonly #committed = new Map<Digest, Set<VolumeId>>();
  readonly #heads = new Map<VolumeId, CommitNumber>();
  readonly #seen = new Map<DeviceId, Set<VolumeId>>();
  readonly #lost = new Map<string, Lost>();
  #transactions = 0;

  constructor(report: Report, ledgers: Ledgers) {
    this.#report = report;
    this.#ledgers = ledgers;
  }

  hear(observation: Observation): void {
    this.#ledgers.updates.hear(observation);
    const made = this.#ledgers.history.hear(observation);
    switch (observation.kind) {
      case 'decided':
        return this.#decided(observation);
      case 'spied':
        return this.#report(
          `${observation.who}, who has no right to volume ${observation.volume}, is told something of it by ${observation.by}`,
        );
      case 'shared-work':
        return void this.#work.set(observation.digest, observation);
      case 'access':
        return this.#access(observation);
      case 'committed':
        return this.#commits(made);
      case 'saved':
        return this.#saved(observation);
      case 'ended':
        return this.#ended(observation);
      case 'restored':
        return this.#restored();
      default:
        return;
    }
  }

  async atRest(cluster: Cluster): Promise<void> {
    for (const [digest, { client, volume }] of this.#work) {
      if (!cluster.clients.includes(client as ClientNode)) continue;
      if (this.#committed.get(digest)?.has(volume) === true) continue;
      this.#report(
        `what ${client.name} wrote in volume ${volume} has not come to the server (${digest.slice(0, SHORT)})`,
      );
    }
    for (const volume of new Set(this.#orders.values())) {
      for (const client of cluster.clients) await this.#look(cluster, client, volume);
    }
  }

  #decided({ question, person, answer, before, after }: Of<'decided'>): void {
    if (question.ask === 'leave' && person !== null) {
      for (const lost of missing(before, after)) {
        if (lost.person === person && lost.volume === question.volume) continue;
        this.#report(
          `person ${person} leaves volume ${question.volume}, and person ${lost.person} loses volume ${lost.volume}`,
        );
      }
    }
    if (answer.answer === 'made' && question.ask === 'make-volume') {
      this.#made(`${String(person)} ${question.nonce}`, answer.volume);
      for (const { person: other } of after.filter(({ volume }) => volume === answer.volume)) {
        const hadIt = before.some((row) => row.person === other && row.volume === answer.volume);
        if (other === person || hadIt) continue;
        this.#report(`person ${other} has a right to the new volume ${answer.volume}`);
      }
    }
    if (answer.answer !== 'shares') return;
    for (const { volume } of answer.shares) {
      if (before.some((row) => row.person === person && row.volume === volume && isSeen(row)))
        continue;
      this.#report(
        `person ${String(person)} is told that volume ${volume} is shared with them, and may not see it`,
      );
    }
  }

  #made(order: string, volume: VolumeId): void {
    const first = this.#orders.get(order) ?? volume;
    this.#orders.set(order, first);
    if (first !== volume) this.#report(`one order made the volumes ${first} and ${volume}`);
  }

  #access({ devices }: Of<'access'>): void {
    for (const { device, revoked, access } of devices) {
      const now = new Set(revoked ? [] : access.map(({ volume }) => volume));
      for (const volume of this.#seen.get(device) ?? []) {
        if (now.has(volume)) continue;
        const judgedFrom = this.#transactions + DECIDED_BEFORE;
        this.#lost.set(`${device} ${volume}`, { judgedFrom, upTo: null });
      }
      for (const volume of now) this.#lost.delete(`${device} ${volume}`);
      this.#seen.set(device, now);
    }
  }

  #commits(made: ReturnType<Ledgers['history']['hear']>): void {
    this.#transactions += 1;
    for (const { volume, commit, vnodes } of made) {
      this.#heads.set(volume, commit);
      for (const { digest } of vnodes) {
        if (digest === null) continue;
        const volumes = this.#committed.get(digest) ?? new Set();
        this.#committed.set(digest, volumes.add(volume));
      }
    }
    for (const [key, lost] of this.#lost) {
      if (lost.upTo !== null || this.#transactions < lost.judgedFrom) continue;
      lost.upTo = this.#heads.get(Number(key.split(' ')[1]) as VolumeId) ?? (0 as CommitNumber);
    }
  }

  #saved({ client, changes }: Of<'saved'>): void {
    const device = this.#ledgers.updates.device(client);
    for (const change of changes) {
      if (change.value === undefined) continue;
      if (change.table === 'update' && change.value.update.op === 'store') {
        this.#durable.add(change.value.update.digest);
      }
      if (change.table !== 'status' || device === null) continue;
      const { fid, commit } = change.value;
      const lost = this.#lost.get(`${device} ${volumeOf(fid)}`);
      if (lost === undefined || lost.upTo === null || commit <= lost.upTo) continue;
      this.#report(
        `${client.name} lost sight of volume ${volumeOf(fid)} at commit ${lost.upTo}, and has ${fid} of commit ${commit}`,
      );
    }
  }

  #ended({ who, how }: Of<'ended'>): void {
    if (how !== 'power') return;
    for (const [digest, { client }] of this.#work) {
      if (client.name === who && !this.#durable.has(digest)) this.#work.delete(digest);
    }
  }

  #restored(): void {
    for (const digest of this.#committed.keys()) this.#work.delete(digest);
    this.#lost.clear();
    this.#seen.clear();
    this.#heads.clear();
  }

  /** A laptop that sees the volume shows what the server has in its root. */
  async #look(cluster: Cluster, client: ClientNode, volume: VolumeId): Promise<void> {
    if (!client.running || !client.daemon.inside.session.isUp) return;
    const device = client.daemon.inside.meta.get('device') as DeviceId;
    const { rights } = cluster.server.inside.devices.get(device) ?? { rights: null };
    if (rights?.has(volume) !== true) return;
    const expected = this.#namesOf(volume);
    const listing = client.daemon.programs.readdir(rootOf(volume));
    for (const { name, attributes } of await cluster.run(listing, 'a listing of what is shared')) {
      const there = `${attributes.fid} ${String(attributes.digest)}`;
      const wanted = expected.get(name);
      expected.delete(name);
      const isNobodys = attributes.kind === 'file' && attributes.digest === null;
      if (there === wanted || isNobodys || attributes.sync !== 'committed') continue;
      this.#report(
        `${client.name} shows ${name} of volume ${volume} as ${there}, and the server has ${String(wanted)}`,
      );
    }
    for (const [name, wanted] of expected) {
      this.#report(`${client.name} does not show ${name} of volume ${volume}: ${wanted}`);
    }
  }

  #namesOf(volume: VolumeId): Map<string, string> {
    const { history } = this.#ledgers;
    const found = new Map<string, string>();
    for (const [name, states] of history.names(rootOf(volume))) {
      const fid = states.at(-1)?.fid ?? null;
      const status = fid === null ? undefined : history.statuses(fid).at(-1);
      // A file without contents is nobody's yet (W2).
      if (status === undefined || (status.kind === 'file' && status.digest === null)) continue;
      found.set(name, `${status.fid} ${String(status.digest)}`);
    }
    return found;
  }
}

const isSeen = ({ rights }: GivenRights): boolean => toldRights(rights) !== null;

/** Who could see a volume, and can't any more. */
function missing(before: readonly GivenRights[], after: readonly GivenRights[]): GivenRights[] {
  return before.filter(
    (row) =>
      isSeen(row) &&
      !after.some(
        (each) => each.person === row.person && each.volume === row.volume && isSeen(each),
      ),
  );
}

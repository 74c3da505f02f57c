/**
 * Checker: every losing version is kept, and an update beats a removal (rules C1 to C3).
 *
 * - A store that the server refused because somebody else's was there first: its contents are, when all is at rest, in a version that was committed
 *   (of the copy, or of another file with the same bytes), or under `lost+found` of its laptop.
 * - A laptop's report of a conflict names its copy as documented: `name (conflict, DEVICE, YYYY-MM-DD HH.MM.SS).ext`, or as before where it went to
 *   another folder (C3).
 * - A removal, or a rename over something, is committed only against the version that its laptop had in view: what somebody else wrote meanwhile is
 *   not removed by it.
 *
 * Allowed: a losing store after which the same laptop wrote the same file again, or took its name away, before it heard of its loss, or wrote over it
 * in the copy, or took that away, before the copy was committed or had room: who did that knew the contents ("no acknowledged byte is lost" looks at
 * who had what in view), and somebody else may remove the copy in the moment before it has them. What a laptop still holds that was taken away for
 * good, or that may not write.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { UpdateNonce, UpdateResult, UpdateSeq } from '../../../../shared/model/update.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { ConflictRow, UpdateRow } from '../../../../shared/ports/client-store.ts';
import type { Laptop } from './laptop.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import type { LoggedAt } from './client-updates.ts';
import type { CommitHistory } from './commit-history.ts';
import type { PastCommit } from './commit-history.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const losersKept: CheckerKind = {
  name: 'every losing version is kept',
  make: (report, ledgers = new Ledgers()) => new LosersKept(report, ledgers),
};

interface Loser {
  readonly client: Laptop;
  readonly seq: UpdateSeq;
  readonly fid: Fid;
  readonly digest: Digest;
  /** It is in the log still: its laptop has not heard of the loss. */
  isOpen: boolean;
}

const COPY_NAME = / \(conflict, [^/]+, \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d( \d+)?\)(\.[^./]+)?$/;
/** Kinds of conflicts that are about a name alone, or about a copy of another laptop under the name that it had first. */
const WITHOUT_COPY = new Set(['elsewhere', 'rename-undone', 'removal-undone', 'renamed-removed']);
const ONE_OF_MANY = /, one of many\)/;

class LosersKept implements Checker {
  readonly #report: Report;
  readonly #updates: ClientUpdates;
  readonly #history: CommitHistory;
  readonly #losers = new Map<Digest, Loser>();
  readonly #committed = new Set<Digest>();
  readonly #judged = new Set<string>();

  constructor(report: Report, { history, updates }: Ledgers) {
    this.#report = report;
    this.#history = history;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    const changed = this.#updates.hear(observation);
    for (const change of changed) this.#changed(change);
    for (const change of changed) this.#heldBack(change, changed);
    for (const past of this.#history.hear(observation)) this.#commit(past, observation);
    if (observation.kind === 'copied') {
      // The other copy has the same list.
      const { from, to } = observation;
      for (const row of [...this.#judged]) {
        if (row.startsWith(`${from.name} `))
          this.#judged.add(`${to.name}${row.slice(from.name.length)}`);
      }
    }
    if (observation.kind === 'restored') {
      this.#losers.clear();
      this.#committed.clear();
    }
    if (observation.kind === 'committed') {
      for (const write of observation.writes) {
        if (write.kind !== 'applied' || write.result.ok) continue;
        const { device, name = null, result } = write;
        for (const client of this.#updates.having(device, result.seq, name)) {
          this.#refused(client, result);
        }
      }
    }
    if (observation.kind === 'saved') {
      for (const { table, key, value } of observation.changes) {
        if (table !== 'conflict' || value === undefined) continue;
        // The list follows later renames; the name is judged when it is given.
        const row = `${observation.client.name} ${key}`;
        if (!this.#judged.has(row)) this.#told(observation.client, value);
        this.#judged.add(row);
      }
    }
  }

  atRest(cluster: Cluster): void {
    for (const { client, fid, digest } of this.#losers.values()) {
      if (this.#committed.has(digest) || !isThere(cluster, client)) continue;
      if (client.lost().some((path) => client.disk.digest(path) === digest)) continue;
      this.#report(
        `what ${client.name} stored to ${fid} lost to another version, and is nowhere (${digest.slice(0, 12)})`,
      );
    }
  }

  #refused(client: Laptop, result: Extract<UpdateResult, { ok: false }>): void {
    const log = this.#updates.of(client);
    const row = log.get(result.seq);
    if (row?.update.op !== 'store' || result.refusal !== 'stale-base') return;
    const { fid, digest } = row.update;
    if (result.existing?.digest === digest) return;
    for (const later of log.values()) if (later.seq > row.seq && givesUp(later, fid)) return;
    this.#losers.set(digest, { client, seq: row.seq, fid, digest, isOpen: true });
  }

  #changed({ client, seq, row, before }: LoggedAt): void {
    // Who had it open to write when it lost goes on in the copy, and writes over it there.
    const was = before?.update.op === 'store' ? this.#losers.get(before.update.digest) : undefined;
    if (was?.client === client && row?.update.op === 'store') {
      if (row.update.digest !== was.digest) this.#losers.delete(was.digest);
    }
    if (row !== null) this.#copyGivenUp(client, seq, row);
    for (const loser of this.#losers.values()) {
      if (!loser.isOpen || loser.client !== client) continue;
      if (row === null) loser.isOpen = loser.seq !== seq;
      else if (seq > loser.seq && givesUp(row, loser.fid)) this.#losers.delete(loser.digest);
    }
  }

  /** The copy is taken away again, or written over, where it was made. */
  #copyGivenUp(client: Laptop, seq: UpdateSeq, row: UpdateRow): void {
    if (this.#losers.size === 0) return;
    for (const { seq: stored, update } of this.#updates.of(client).values()) {
      if (update.op !== 'store' || stored >= seq || !givesUp(row, update.fid)) continue;
      const isSame = row.update.op === 'store' && row.update.digest === update.digest;
      if (!isSame && this.#losers.get(update.digest)?.client === client) {
        this.#losers.delete(update.digest);
      }
    }
  }

  /** The copy had no room yet (W7), and what is written over it, or takes it away, is logged in its place. */
  #heldBack({ client, row, before }: LoggedAt, changed: readonly LoggedAt[]): void {
    if (row !== null || before?.update.op !== 'store') return;
    const { fid, digest } = before.update;
    if (this.#losers.get(digest)?.client !== client) return;
    const isGivenUp = changed.some(
      ({ row: later }) =>
        later !== null &&
        later.seq > before.seq &&
        givesUp(later, fid) &&
        !(later.update.op === 'store' && later.update.digest === digest),
    );
    if (isGivenUp) this.#losers.delete(digest);
  }

  #commit({ commit, device, seq, vnodes }: PastCommit, observation: Observation): void {
    for (const { digest } of vnodes) if (digest !== null) this.#committed.add(digest);
    const name = nameOfUpdate(observation, device, seq);
    const [client] = this.#updates.having(device, seq, name);
    const update = client && this.#updates.of(client).get(seq)?.update;
    const ended =
      update?.op === 'remove' ? update : update?.op === 'rename' ? update.over : undefined;
    if (ended === null || ended === undefined) return;
    const before = this.#history.statuses(ended.fid).findLast((status) => status.commit < commit);
    if (before === undefined || before.kind !== 'file' || before.version === ended.base) return;
    this.#report(
      `commit ${commit} takes away ${ended.fid} at version ${before.version}, and ${client?.name} had version ${ended.base} in view`,
    );
  }

  #told(client: Laptop, { path, copy, kind }: ConflictRow): void {
    if (WITHOUT_COPY.has(kind)) return;
    if (COPY_NAME.test(copy) || ONE_OF_MANY.test(copy) || nameOf(copy) === nameOf(path)) return;
    this.#report(`${client.name} tells of a conflict about ${path}, and calls the copy ${copy}`);
  }
}

/** As its result is kept in the same transaction. */
function nameOfUpdate(
  observation: Observation,
  device: DeviceId,
  seq: UpdateSeq,
): UpdateNonce | null {
  if (observation.kind !== 'committed') return null;
  for (const write of observation.writes) {
    if (write.kind !== 'applied' || write.device !== device) continue;
    if (write.result.seq === seq) return write.name ?? null;
  }
  return null;
}

/** It was not taken away for good. */
function isThere({ clients }: Cluster, client: Laptop): boolean {
  return clients.some((other) => other === client);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The same laptop wrote it again, or took a name of it away. */
function givesUp({ update }: UpdateRow, fid: Fid): boolean {
  if (update.op === 'rename') return update.over?.fid === fid;
  return (update.op === 'store' || update.op === 'remove') && update.fid === fid;
}

/**
 * Checker: no acknowledged byte is lost (promises 1 and 5).
 *
 * Every content that a program wrote and closed must be somewhere at the end, in the volume or under `lost+found`,
 * unless a program that had it in view wrote over it or removed it. What lost a conflict was in nobody's view, so it must be
 * there as a copy. Contents of a run are all different, so a digest names one write.
 *
 * What was given up and then brought back counts from then on: that an old version in a backup has the same bytes does not put them into a file again.
 *
 * The same contents of the past that two laptops bring back are one: whoever has them in view on one of the two gives them up.
 *
 * Who ends a file while a store of the same laptop is still in its log had that in view: the update names its version. What is logged so may
 * then lose against another's version, and what it was made over is given up all the same (rule C3).
 *
 * A loss of power may take what was closed in the last moments before it, which was not durable yet.
 *
 * A server that is put back from a backup loses for good what was committed since and is on no laptop at that moment: it may have left a
 * small cache long ago (rule I1). Nor can a laptop know that it has the last of something, before it has heard that the server was put
 * back: what was committed may then leave its cache, as usual, if the disk is full. What any laptop has in its cache, its log or its folder
 * when it hears of it must be there in the end.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { volumeOf } from '../../../../shared/model/fid.ts';
import type { Update } from '../../../../shared/model/update.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { DataVersion, Digest, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { UpdateRow } from '../../../../shared/ports/client-store.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { onlyLooks } from '../plan/operation.ts';
import type { CheckerKind } from './checker.ts';
import { isMaking } from './client-updates.ts';
import type { ClientUpdates, LoggedAt } from './client-updates.ts';
import type { CommitHistory } from './commit-history.ts';
import { HeldContents, inFolder } from './held-contents.ts';
import type { Laptop } from './laptop.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

interface Write {
  readonly by: string;
  readonly path: string;
}

export const nothingLost: CheckerKind = {
  name: 'no acknowledged byte is lost',
  make: (report, { history, updates } = new Ledgers()) => {
    const written = new Map<Digest, Write>();
    const durable = new Set<Digest>();
    /** What was not durable when its laptop lost power. */
    const doubtful = new Map<Digest, Write>();
    /** Laptops that lost power: their programs may still report earlier answers. */
    const powerless = new Set<string>();
    const consumed = new Set<Digest>();
    const broughtBackBy = new Map<Digest, Set<string>>();
    const ended = new Ended();
    const gone = new LostByRestore(history);
    return {
      hear: (observation) => {
        for (const digest of gone.hear(observation)) consumed.add(digest);
        for (const digest of storedIn(observation)) {
          durable.add(digest);
          const found = doubtful.get(digest);
          if (found !== undefined) written.set(digest, found);
        }
        if (observation.kind === 'started') powerless.delete(observation.who);
        if (observation.kind === 'ended' && observation.how === 'power') {
          powerless.add(observation.who);
          for (const [digest, write] of written) {
            if (write.by !== observation.who || durable.has(digest)) continue;
            doubtful.set(digest, write);
            written.delete(digest);
          }
        }
        const changed = updates.hear(observation);
        if (changed.length > 0) {
          for (const digest of givenUp(changed, updates)) consumed.add(digest);
        }
        if (observation.kind === 'saw' && !onlyLooks(observation.running.operation)) {
          const { digest } = observation.attributes;
          if (digest !== null) consumed.add(digest);
        }
        if (observation.kind === 'overwrote' && observation.digest !== null) {
          consumed.add(observation.digest);
        }
        if (observation.kind === 'brought-back' && observation.digest !== null) {
          const { client: by, digest } = observation;
          const { name } = by;
          const laptops = broughtBackBy.get(digest) ?? new Set<string>();
          broughtBackBy.set(digest, laptops.add(name));
          written.set(digest, { by: name, path: 'a file, out of the past,' });
          if (consumed.has(digest)) gone.forget(digest);
          if (laptops.size > 1) consumed.add(digest);
          else consumed.delete(digest);
        }
        if (observation.kind === 'committed') {
          for (const digest of ended.of(observation.writes)) consumed.add(digest);
        }
        if (observation.kind === 'wrote') {
          const { running, path, attributes } = observation;
          const { digest } = attributes;
          const by = running.client.name;
          const isDoubtful = powerless.has(by) && digest !== null && !durable.has(digest);
          if (digest !== null) (isDoubtful ? doubtful : written).set(digest, { by, path });
        }
      },
      atRest: async (cluster) => {
        const present = await presentContents(cluster);
        for (const [digest, { by, path }] of written) {
          if (present.has(digest) || consumed.has(digest)) continue;
          report(`what ${by} wrote to ${path} is nowhere (${digest.slice(0, 12)})`);
        }
      },
    };
  },
};

/** The contents of stores that are durable from now on. */
function storedIn(observation: Observation): Digest[] {
  if (observation.kind !== 'saved') return [];
  return observation.changes.flatMap(({ table, value }) =>
    table === 'update' && value?.update.op === 'store' ? [value.update.digest] : [],
  );
}

/** What a laptop ended that was in its log when it changed so. */
function givenUp(changed: readonly LoggedAt[], updates: ClientUpdates): Digest[] {
  const ended = vanished(changed);
  for (const [at, { client, row }] of changed.entries()) {
    if (row === null || endOf(row.update) === null) continue;
    const log = [...updates.of(client).values(), ...leftSince(changed.slice(at))];
    const digest = endedHere(row.update, log) ?? endedWith(row, changed);
    if (digest !== null) ended.push(digest);
  }
  return ended;
}

/** What left with the same save: it was in the log before. */
function leftSince(changed: readonly LoggedAt[]): UpdateRow[] {
  return changed.flatMap(({ row, before }) => (row === null && before !== null ? [before] : []));
}

/** A vnode that was made and removed before it was sent leaves no trace (W5); "nothing is dropped" looks at whether it was taken away. */
function vanished(changed: readonly LoggedAt[]): Digest[] {
  const gone = changed.flatMap(({ row, before }) =>
    row === null && before?.answer === null ? [before.update] : [],
  );
  if (gone.length === 0) return [];
  const made = new Set(gone.filter(isMaking).map(({ fid }) => fid));
  return gone.flatMap((update) =>
    update.op === 'store' && made.has(update.fid) ? [update.digest] : [],
  );
}

/** What this update ends, and which version of it. */
function endOf(update: Update): { readonly fid: Fid; readonly base: DataVersion } | null {
  return update.op === 'rename' ? update.over : update.op === 'remove' ? update : null;
}

/** The contents of a store in the log that this update ends. */
function endedHere(update: Update, log: Iterable<UpdateRow>): Digest | null {
  const over = endOf(update);
  if (over === null) return null;
  for (const { update: logged } of log) {
    if (logged.op !== 'store' || logged.fid !== over.fid) continue;
    if (logged.base + 1 === over.base) return logged.digest;
  }
  return null;
}

/** The contents of a store that was held back, and left when this was logged: a second time, over what the store had been made over. */
function endedWith({ seq, rank, update }: UpdateRow, changed: readonly LoggedAt[]): Digest | null {
  const over = endOf(update);
  if (over === null || rank === seq) return null;
  for (const { row, before } of changed) {
    if (row !== null || before?.answer !== null || before.update.op !== 'store') continue;
    const { fid, base, digest } = before.update;
    if (fid === over.fid && base === over.base) return digest;
  }
  return null;
}

async function presentContents(cluster: Cluster): Promise<Set<Digest>> {
  const present = new Set<Digest>();
  for (const client of cluster.clients) {
    for (const { digest } of (await cluster.at(client, (files) => files.walk())).values()) {
      if (digest !== null) present.add(digest);
    }
    for (const path of client.lost()) present.add(client.disk.digest(path));
  }
  // What only a laptop had that went for good is on its disk and in its folder still; what it told may be shown to nobody any more.
  for (const { disk, replica } of cluster.gone) {
    for (const path of disk.list('/')) present.add(disk.digest(path));
    for (const digest of inFolder(replica)) present.add(digest);
  }
  for (const volume of new Set(cluster.gone.map((client) => client.volume))) {
    const history = await cluster.run(cluster.server.history(volume));
    const last = new Map(
      history.flatMap(({ vnodes }) => vnodes.map((status) => [status.fid, status])),
    );
    for (const { digest } of last.values()) if (digest !== null) present.add(digest);
  }
  return present;
}

/**
 * What the vnodes held that ended: the server removes a file, or renames another over it, only where the update names the
 * version that is there (rule C3). So somebody's laptop had it in view. That a restored server has forgotten it (rule I1) changes nothing.
 */
class Ended {
  readonly #held = new Map<Fid, Digest | null>();

  of(writes: readonly RowWrite[]): Digest[] {
    const ended: Digest[] = [];
    for (const write of writes) {
      if (write.kind !== 'vnode') continue;
      const { fid, links, digest } = write.row.status;
      const last = digest ?? this.#held.get(fid) ?? null;
      if (links === 0 && last !== null) ended.push(last);
      this.#held.set(fid, digest);
    }
    return ended;
  }
}

/** What a restored server has lost, and no laptop has. */
class LostByRestore {
  readonly #history: CommitHistory;
  readonly #held = new HeldContents();
  readonly #committed = new Map<Digest, VnodeStatus[]>();
  /** Of the server, since it was put back; and of the laptops that have heard of one. */
  #epoch: string | null = null;
  readonly #epochs = new Map<Laptop, string>();

  constructor(history: CommitHistory) {
    this.#history = history;
  }

  hear(observation: Observation): Digest[] {
    const left = this.#held.hear(observation);
    for (const { vnodes } of this.#history.hear(observation)) {
      for (const status of vnodes) {
        if (status.digest === null) continue;
        const known = this.#committed.get(status.digest) ?? [];
        this.#committed.set(status.digest, [...known, status]);
      }
    }
    if (observation.kind === 'restored') {
      this.#epoch = observation.epoch;
      return this.#lost([...this.#committed.keys()]);
    }
    if (observation.kind !== 'saved') return [];
    const { client, changes } = observation;
    for (const { table, key, value } of changes) {
      if (table === 'meta' && key === 'epoch') this.#epochs.set(client, String(value));
    }
    const hasNotHeard = this.#epoch !== null && this.#epochs.get(client) !== this.#epoch;
    return hasNotHeard ? this.#lost(left) : [];
  }

  /** These contents were given up, and are brought back now: an earlier version that has them, too, is the past, and no file. */
  forget(digest: Digest): void {
    this.#committed.delete(digest);
  }

  #lost(digests: readonly Digest[]): Digest[] {
    const held = this.#held.now();
    const isKept = ({ fid, commit }: VnodeStatus): boolean =>
      this.#history.commit(volumeOf(fid), commit) !== undefined;
    return digests.filter((digest) => {
      const statuses = this.#committed.get(digest);
      return statuses !== undefined && !held.has(digest) && !statuses.some(isKept);
    });
  }
}

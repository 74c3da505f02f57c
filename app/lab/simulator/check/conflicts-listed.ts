/**
 * Checker: a laptop lists a conflict of another one where that one says that it made a copy, and nowhere else (rule C4).
 *
 * - What it lists as kept elsewhere is no name that a program gave: programs call files like conflict copies of a laptop that nobody has.
 * - A commit that names a copy, beside what has the name that was lost, is listed by each other laptop whose replica puts it in place.
 *
 * Allowed: what is offered again to a restored server has no mark, so from then on nothing is judged. Copies whose winner has another name, or none, at
 * any time after; laptops of which the rights are changed, that are copied, or that may not write.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import type { ConflictRow } from '../../../../shared/ports/client-store.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { isCalledByPrograms } from '../workload/called-like-copies.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import type { CommitHistory } from './commit-history.ts';
import type { Laptop } from './laptop.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const conflictsListed: CheckerKind = {
  name: 'conflicts are listed as they are',
  make: (report, ledgers = new Ledgers()) => new ConflictsListed(report, ledgers),
};

interface Copy {
  readonly volume: VolumeId;
  readonly commit: CommitNumber;
  readonly device: DeviceId;
  readonly dir: Fid;
  readonly name: string;
  readonly lost: string;
}

type LogWrite = Extract<RowWrite, { kind: 'log' }>;

class ConflictsListed implements Checker {
  readonly #report: Report;
  readonly #history: CommitHistory;
  readonly #updates: ClientUpdates;
  /** By volume and commit. */
  readonly #copies = new Map<string, Copy>();
  readonly #applied = new Map<Laptop, Set<string>>();
  /** Names of the copies that it has listed at some time, its own among them. */
  readonly #listed = new Map<Laptop, Set<string>>();
  readonly #rows = new Map<Laptop, Set<string>>();
  /** Of vnodes that were named as copies at some time. */
  readonly #fids = new Set<Fid>();
  /** Names that those have had, by volume. */
  readonly #namesOfCopies = new Map<VolumeId, Set<string>>();
  #isRestored = false;
  /** Devices that may not write everywhere, or might not at some time. */
  readonly #limited = new Set<DeviceId>();

  constructor(report: Report, { history, updates }: Ledgers) {
    this.#report = report;
    this.#history = history;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    this.#history.hear(observation);
    this.#updates.hear(observation);
    switch (observation.kind) {
      case 'committed':
        return this.#committed(observation.writes);
      case 'saved':
        for (const { table, key, value } of observation.changes) {
          if (table === 'conflict' && value !== undefined)
            this.#told(observation.client, key, value);
        }
        return;
      case 'applied':
        setOf(this.#applied, observation.client).add(
          keyOf(observation.client.volume, observation.change.commit),
        );
        return;
      case 'copied':
      case 'restored':
        this.#isRestored = true;
        return;
      case 'access':
        for (const { device, revoked, access } of observation.devices) {
          const isWhole = !revoked && access.every(({ rights }) => rights === 'write');
          if (!isWhole) this.#limited.add(device);
        }
        return;
      default:
    }
  }

  atRest({ clients }: Cluster): void {
    if (this.#isRestored) return;
    for (const [key, copy] of this.#copies) {
      if (!this.#isBesideWinner(copy)) continue;
      for (const client of clients) {
        const device = this.#updates.device(client);
        if (device === null || device === copy.device || this.#limited.has(device)) continue;
        if (!mayWrite(client) || !setOf(this.#applied, client).has(key)) continue;
        if (setOf(this.#listed, client).has(copy.name)) continue;
        this.#report(
          `${client.name} has commit ${copy.commit}, which puts the copy “${copy.name}” beside “${copy.lost}”, and lists no conflict`,
        );
      }
    }
  }

  #committed(writes: readonly RowWrite[]): void {
    for (const write of writes) {
      if (write.kind === 'log' && typeof write.copyOf === 'string') this.#made(write, writes);
    }
    for (const write of writes) {
      if (write.kind !== 'entry' || write.fid === null || !this.#fids.has(write.fid)) continue;
      setOf(this.#namesOfCopies, volumeOf(write.dir)).add(write.name);
    }
  }

  #made({ volume, commit, device, copyOf }: LogWrite, writes: readonly RowWrite[]): void {
    for (const write of writes) {
      if (write.kind !== 'entry' || write.fid === null || write.commit !== commit) continue;
      if (volumeOf(write.dir) !== volume || typeof copyOf !== 'string') continue;
      const { dir, name } = write;
      this.#fids.add(write.fid);
      this.#copies.set(keyOf(volume, commit), { volume, commit, device, dir, name, lost: copyOf });
    }
  }

  #told(client: Laptop, key: string, row: ConflictRow): void {
    const { kind, copy, path } = row;
    const rows = setOf(this.#rows, client);
    setOf(this.#listed, client).add(nameOf(copy));
    // The list follows later renames: a name is judged when it is listed.
    if (rows.has(key)) return;
    rows.add(key);
    if (kind !== 'elsewhere' || this.#isRestored || !isCalledByPrograms(nameOf(copy))) return;
    if (this.#isOfCopy(row)) return;
    this.#report(
      `${client.name} lists a conflict about ${path}, and ${copy} is a file that a program called so`,
    );
  }

  /** A program may have renamed a copy in the same step. Where the sides were given up in that step, too, the name alone is left to tell. */
  #isOfCopy({ volume, copy, sides, unseen }: ConflictRow): boolean {
    const fid = sides?.mine.fid ?? unseen?.copy;
    if (fid !== undefined) return this.#fids.has(fid);
    return volume !== null && setOf(this.#namesOfCopies, volume).has(nameOf(copy));
  }

  /** From then on, and still. */
  #isBesideWinner({ dir, name, lost, commit }: Copy): boolean {
    // A copy that went on at once may be listed and followed in one step.
    if (this.#history.name(dir, name).at(-1)?.commit !== commit) return false;
    const last = this.#history.name(dir, lost).at(-1);
    return last !== undefined && last.commit < commit && last.fid !== null;
  }
}

const keyOf = (volume: VolumeId, commit: CommitNumber): string => `${volume} ${commit}`;

function mayWrite({ running, status }: Laptop): boolean {
  return running && status.volumes.every(({ rights }) => rights === 'write');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function setOf<K>(map: Map<K, Set<string>>, key: K): Set<string> {
  const known = map.get(key) ?? new Set<string>();
  map.set(key, known);
  return known;
}

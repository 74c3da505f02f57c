/**
 * Checker: what depends on something is committed after it (promise 4, rules W1 and W4).
 *
 * When the server commits an update of a laptop, nothing of these may be in that laptop's log under a lower number without an answer of the server:
 * - the making of a vnode that it names;
 * - for a store or a change of attributes: an earlier one of the same vnode;
 * - for a removal, or a rename over something: all updates that are queued on the vnode that loses a name;
 * - for a rename or link: the stores of what it brings in (the editors' safe save);
 * - a change of the same entry; for a removed directory: changes inside it; for a moved directory: an earlier such move.
 * As the feed gives commits in order, and replicas put each in place whole, others see that order (never-backwards.ts).
 *
 * That holds for a second making too, of what the server has already from a copy of the data folder or from another laptop's offer: it is refused,
 * and may be made anew under another fid, into which all that is queued after it has to go along.
 *
 * Allowed: what the server has refused is answered; what was logged again under a new number is later by that.
 */
import { volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { Update, UpdateSeq } from '../../../../shared/model/update.ts';
import type { UpdateRow } from '../../../../shared/ports/client-store.ts';
import type { Laptop } from './laptop.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const dependencyOrder: CheckerKind = {
  name: 'what depends on something comes after it',
  make: (report, ledgers = new Ledgers()) => new DependencyOrder(report, ledgers),
};

class DependencyOrder implements Checker {
  readonly #report: Report;
  readonly #updates: ClientUpdates;
  /** What the server has not answered, of each laptop. */
  readonly #open = new Map<Laptop, Map<UpdateSeq, UpdateRow>>();
  /** What the server has taken, and may not have been heard to: its laptop may give it another turn in the queue meanwhile. */
  readonly #taken = new Set<string>();

  constructor(report: Report, { updates }: Ledgers) {
    this.#report = report;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    for (const { client, seq, row } of this.#updates.hear(observation)) {
      if (row === null || row.answer !== null) this.#of(client).delete(seq);
      else if (!this.#taken.has(takenKey(row))) this.#of(client).set(seq, row);
    }
    if (observation.kind === 'copied') {
      this.#open.set(observation.to, new Map(this.#of(observation.from)));
    }
    if (observation.kind === 'restored') this.#taken.clear();
    if (observation.kind !== 'committed') return;
    for (const write of observation.writes) {
      if (write.kind !== 'applied') continue;
      const { device, name = null, result } = write;
      // A copied data folder has the same updates in its log, one before the other (rule I2).
      for (const client of this.#updates.having(device, result.seq, name)) {
        const open = this.#of(client);
        const row = open.get(result.seq);
        open.delete(result.seq);
        if (row !== undefined && result.ok) this.#taken.add(takenKey(row));
        if (row !== undefined && result.ok) this.#judge(client, row, open);
      }
    }
  }

  #judge(client: Laptop, row: UpdateRow, open: ReadonlyMap<UpdateSeq, UpdateRow>): void {
    for (const earlier of open.values()) {
      if (earlier.seq >= row.seq || !mustPrecede(earlier, row)) continue;
      this.#report(
        `update ${row.seq} of ${client.name} (${row.update.op}) is committed before ${earlier.seq} (${earlier.update.op}), on which it depends`,
      );
    }
  }

  #of(client: Laptop): Map<UpdateSeq, UpdateRow> {
    const known = this.#open.get(client);
    if (known !== undefined) return known;
    const made = new Map<UpdateSeq, UpdateRow>();
    this.#open.set(client, made);
    return made;
  }
}

function takenKey({ seq, name }: UpdateRow): string {
  return `${name} ${seq}`;
}

function mustPrecede(earlier: UpdateRow, later: UpdateRow): boolean {
  const [one, other] = [earlier.update, later.update];
  if (makes(one) && named(other).includes(one.fid)) return true;
  if (touched(one).some((key) => touched(other).includes(key))) return true;
  const isOnVnode = one.fid;
  switch (other.op) {
    case 'store':
    case 'setattr':
      return isContents(one) && one.fid === other.fid;
    case 'remove':
      return isOnVnode === other.fid;
    case 'rmdir':
      return isOnVnode === other.fid || named(one).includes(other.fid);
    case 'link':
      return one.op === 'store' && one.fid === other.fid;
    case 'rename': {
      if (one.op === 'store' && one.fid === other.fid) return true;
      if (other.over !== null) {
        if (isOnVnode === other.over.fid) return true;
        if (isContents(one) && one.fid === other.fid) return true;
      }
      return earlier.movesDirectory && later.movesDirectory && areOfOneVolume(one, other);
    }
    default:
      return false;
  }
}

function areOfOneVolume(one: Update, other: Update): boolean {
  return volumeOf(one.fid) === volumeOf(other.fid);
}

function makes({ op }: Update): boolean {
  return op === 'create' || op === 'mkdir' || op === 'symlink';
}

function isContents({ op }: Update): boolean {
  return op === 'store' || op === 'setattr';
}

/** The directories it changes, and the vnode. */
function named(update: Update): Fid[] {
  switch (update.op) {
    case 'store':
    case 'setattr':
      return [update.fid];
    case 'rename':
      return [update.fid, update.fromDir, update.toDir];
    default:
      return [update.fid, update.dir];
  }
}

function touched(update: Update): string[] {
  switch (update.op) {
    case 'store':
    case 'setattr':
      return [];
    case 'rename':
      return [`${update.fromDir}/${update.fromName}`, `${update.toDir}/${update.toName}`];
    default:
      return [`${update.dir}/${update.name}`];
  }
}

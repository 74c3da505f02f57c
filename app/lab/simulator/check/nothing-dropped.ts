/**
 * Checker: no acknowledged change is dropped in silence (promise 1, rule W7, invariant 1 of conflicts).
 *
 * - When a call that changes something returns, its update is recorded in the laptop's log: the next process finds it there, where the
 *   machine has not lost power meanwhile.
 * - An update leaves the log only when the server has given it a result. Where that was a refusal, or another's refusal changed
 *   it, the transaction in which it leaves holds what became of it: the same rank under another number, a conflict, an
 *   adjustment or an alias that is reported.
 *
 * Allowed: a refused change of attributes, removal or rename whose vnode or name is gone or is another's at the server: nothing
 * of a person's work is in it, and the view is the server's again. A refused store or making whose vnode the same laptop took
 * away afterwards: it goes with that. A refusal that names what is there, and that is the very same, or what the same laptop has
 * stored over it since; or a refusal for a right, where somebody who has it has made the same vnode or stored the same bytes in it by
 * now: several offer what a restored server has lost (rule I1). A store that gets no result since its contents can't be read from a
 * failing disk, or have no room in the quota, where the restored server has just these in that vnode, or got them after what it was made
 * over and has newer ones by now: another had them as well. A making that gets no result, where the
 * restored server has made just that vnode under that name: it would be made twice; a removal that gets none, where it has that name no
 * more, for that vnode. What waited for something refused, and is about the
 * same vnode, goes with it. A rename of one name of a vnode over another one of it, at any moment while it is asked for, does nothing. A store that the
 * server has no room for gets no result (W7): it leaves in the
 * transaction in which the same laptop takes its vnode away. What was made and is taken away, by a call under way or before, while the server
 * has never heard of it leaves whole, and the removal with it (W5). What a person takes out of the queue since the server refuses it leaves with what
 * waits for it. So does what was in the log when its data folder was copied, though the
 * server may have heard of it since: from the other copy, which has the same updates (rule I2).
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import { fidsOf } from '../../../../shared/model/update.ts';
import type {
  Update,
  UpdateNonce,
  UpdateResult,
  UpdateSeq,
} from '../../../../shared/model/update.ts';
import type { RowChange, UpdateRow } from '../../../../shared/ports/client-store.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { viewEntry } from '../../../../daemon/core/log/view.ts';
import type { Laptop } from './laptop.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import { isMaking } from './client-updates.ts';
import type { ClientUpdates } from './client-updates.ts';
import type { CommitHistory } from './commit-history.ts';
import { Ledgers } from './ledgers.ts';
import type { FileCall, Observation } from './observation.ts';

export const nothingDropped: CheckerKind = {
  name: 'no acknowledged change is dropped in silence',
  make: (report, ledgers = new Ledgers()) => new NothingDropped(report, ledgers),
};

/** Updates that hold nothing of a person's work but the wish. */
const WISHES: ReadonlySet<string> = new Set(['setattr', 'remove', 'rmdir', 'rename', 'link']);
const TELLS: ReadonlySet<string> = new Set(['conflict', 'adjustment', 'alias']);

/** A call under way. */
interface PendingCall {
  /** What was logged since it began. */
  readonly logged: Set<string>;
  wasOfOneVnode: boolean;
  wasOfAlias: boolean;
}

class NothingDropped implements Checker {
  readonly #report: Report;
  readonly #updates: ClientUpdates;
  /** By device, number and name of the update: copies of one data folder use the same numbers (rule I2). */
  readonly #results = new Map<string, UpdateResult>();
  /** As the server knows it: a backup may bring back what a restore before it took away. */
  readonly #history: CommitHistory;
  readonly #asked = new Map<FileCall, PendingCall>();
  /** What was recorded and is not saved, by number; undefined: it is gone. */
  readonly #recorded = new Map<Laptop, Map<string, UpdateRow | undefined>>();
  /** Updates that both copies of a data folder have in their logs, by key: a result may be the other one's. */
  readonly #ofBoth = new Set<string>();
  readonly #givenUp = new Map<Laptop, Set<UpdateSeq>>();
  #wasRestored = false;

  constructor(report: Report, { history, updates }: Ledgers) {
    this.#report = report;
    this.#history = history;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    this.#history.hear(observation);
    switch (observation.kind) {
      case 'restored':
        this.#wasRestored = true;
        return;
      case 'gives-up': {
        const known = this.#givenUp.get(observation.client) ?? [];
        this.#givenUp.set(observation.client, new Set([...known, ...observation.updates]));
        return;
      }
      case 'recorded':
        return this.#heardOf(observation.client, observation.changes);
      case 'saved':
        this.#caughtUp(observation.client, observation.changes);
        return this.#saved(observation);
      case 'copied':
        this.#updates.hear(observation);
        return this.#copied(observation.to);
      case 'committed':
        for (const write of observation.writes) {
          if (write.kind === 'applied') this.#results.set(keyOfWrite(write), write.result);
        }
        return;
      case 'asked':
        if (keyOfCall(observation.call) === null) return;
        this.#asked.set(observation.call, {
          logged: new Set(),
          wasOfOneVnode: isOfOneVnode(observation.call),
          wasOfAlias: isOfAlias(observation.call),
        });
        return;
      case 'answered':
        return this.#answered(observation.call);
      case 'denied':
        this.#asked.delete(observation.call);
        return;
      case 'ended':
        for (const call of this.#asked.keys()) {
          if (call.client.name === observation.who) this.#asked.delete(call);
        }
        for (const client of this.#recorded.keys()) {
          if (client.name === observation.who) this.#recorded.delete(client);
        }
        return;
      default:
        return;
    }
  }

  #copied(copy: Laptop): void {
    const device = this.#updates.device(copy);
    if (device === null) return;
    for (const { seq, name } of this.#updates.of(copy).values()) {
      const key = resultKey(device, seq, name);
      if (!this.#results.has(key)) this.#ofBoth.add(key);
    }
  }

  #heardOf(client: Laptop, changes: readonly RowChange[]): void {
    this.#lookAtCalls(client);
    const recorded = this.#recordedOf(client);
    for (const { table, key, value } of changes) {
      if (table !== 'update') continue;
      const saved = this.#updates.of(client).get(Number(key) as UpdateSeq);
      const before = recorded.has(key) ? recorded.get(key) : saved;
      recorded.set(key, value);
      if (value !== undefined) this.#logged(client, value);
      else if (before !== undefined) this.#endedBy(client, nameOf(before));
    }
  }

  #caughtUp(client: Laptop, changes: readonly RowChange[]): void {
    const recorded = this.#recordedOf(client);
    for (const { table, key, value } of changes) {
      if (table === 'update' && recorded.get(key) === value) recorded.delete(key);
    }
  }

  #recordedOf(client: Laptop): Map<string, UpdateRow | undefined> {
    const known = this.#recorded.get(client) ?? new Map<string, UpdateRow | undefined>();
    this.#recorded.set(client, known);
    return known;
  }

  /** What was made and nobody else has heard of is taken away by a call under way, and leaves whole. */
  #endedBy(client: Laptop, names: readonly string[]): void {
    for (const [{ client: by, method, given }, { logged }] of this.#asked) {
      if (by !== client || (method !== 'remove' && method !== 'rmdir')) continue;
      const place = placed(given[0] as Place);
      if (names.includes(place)) logged.add(`${method} ${place}`);
    }
  }

  #lookAtCalls(client: Laptop): void {
    for (const [call, asked] of this.#asked) {
      if (call.client !== client) continue;
      asked.wasOfOneVnode ||= isOfOneVnode(call);
      asked.wasOfAlias ||= isOfAlias(call);
    }
  }

  #saved(observation: Extract<Observation, { kind: 'saved' }>): void {
    const { client, changes } = observation;
    const changed = this.#updates.hear(observation);
    this.#lookAtCalls(client);
    if (changed.length === 0) return;
    const ranks = new Set(changed.flatMap(({ row, before }) => (row && !before ? [row.rank] : [])));
    const told = changes.some(({ table, value }) => TELLS.has(table) && value !== undefined);
    const gone: UpdateRow[] = [];
    for (const { row, before } of changed) {
      if (row !== null) this.#logged(client, row);
      else if (before?.answer === null) gone.push(before);
    }
    // What was logged and is gone in one transaction: a removal of a program that nobody listens to.
    const hasPassed = changed.some(({ row, before }) => row === null && before === null);
    const vanished = this.#vanished(client, gone, hasPassed);
    if (told) return;
    const logged = changed.flatMap(({ row }) => (row === null ? [] : [row]));
    for (const row of gone) {
      if (ranks.has(row.rank) || isHeldBackAndEnded(row, logged)) continue;
      if (vanished.has(row.update.fid)) continue;
      this.#left(client, row, gone);
    }
  }

  /** Vnodes that nobody else has heard of: all that was logged of each is gone; its removal too, or that has passed. */
  #vanished(client: Laptop, gone: readonly UpdateRow[], hasPassed: boolean): ReadonlySet<Fid> {
    const vanished = new Set<Fid>();
    for (const making of gone) {
      const { fid } = making.update;
      if (!isMaking(making.update)) continue;
      // Where its number is another's, of the other copy of a data folder, the server knows the number.
      const isKnown = this.#history.statuses(fid).length > 0;
      if (isKnown && this.#isHeardOf(client, making)) continue;
      const isLeft = [...this.#updates.of(client).values()].some((row) => row.update.fid === fid);
      const isRemoved = gone.some((row) => row.endsVnode && takesAway(row.update, fid));
      if ((isRemoved || hasPassed) && !isLeft) vanished.add(fid);
      const names = new Set(gone.flatMap((row) => (row.update.fid === fid ? nameOf(row) : [])));
      for (const [{ client: by, method, given }, { logged }] of this.#asked) {
        if (by !== client || (method !== 'remove' && method !== 'rmdir') || isLeft) continue;
        const place = placed(given[0] as Place);
        if (!names.has(place)) continue;
        logged.add(`${method} ${place}`);
        vanished.add(fid);
      }
    }
    return vanished;
  }

  #logged(client: Laptop, row: UpdateRow): void {
    if (this.#asked.size === 0 || row.answer !== null) return;
    const key = keyOfUpdate(row);
    for (const [call, { logged }] of this.#asked) if (call.client === client) logged.add(key);
  }

  #answered(call: FileCall): void {
    const asked = this.#asked.get(call);
    if (asked === undefined) return;
    this.#asked.delete(call);
    const key = keyOfCall(call);
    if (key === null || asked.logged.has(key)) return;
    if (asked.wasOfAlias || isOfAlias(call) || asked.wasOfOneVnode || isOfOneVnode(call)) return;
    this.#report(`${call.client.name} acknowledges ${key}, and its log has nothing of it`);
  }

  /** `gone`: what left with it. */
  #left(client: Laptop, row: UpdateRow, gone: readonly UpdateRow[]): void {
    const { seq, update } = row;
    if (this.#givenUp.get(client)?.has(seq) === true) return;
    const answer = this.#resultOf(client, row);
    const result = answer?.ok;
    if (result === true || (answer !== undefined && isThereAlready(answer, update))) return;
    if (result === false && this.#hasByNow(update)) return;
    if (result === undefined && this.#isOfferedByOthers(update)) return;
    const later = gone.filter((other) => other.seq > seq).map((other) => other.update);
    if (answer !== undefined && later.some((over) => isStoredOver(answer, update, over))) return;
    const isGivenUp = later.some((other) => takesAway(other, update.fid));
    if (result === false && (WISHES.has(update.op) || isGivenUp)) return;
    const isWithRefused = gone.some(
      (other) =>
        other.seq < seq &&
        this.#resultOf(client, other)?.ok === false &&
        fidsOf(update).includes(other.update.fid),
    );
    if (result === undefined && isWithRefused) return;
    const why = result === false ? 'was refused, and nobody is told' : 'has no result';
    this.#report(
      `update ${seq} of ${client.name} (${update.op} ${update.fid}) left its log: it ${why}`,
    );
  }

  /** The server has been given the same by somebody else. */
  #hasByNow(update: Update): boolean {
    const had = this.#history.statuses(update.fid);
    return update.op === 'store'
      ? had.some(({ digest }) => digest === update.digest)
      : had.length > 0;
  }

  /** The server was put back, and has these contents, or what it makes, or no more what it takes away: it is another that had them. */
  #isOfferedByOthers(update: Update): boolean {
    if (!this.#wasRestored) return false;
    if (update.op === 'create' || update.op === 'mkdir' || update.op === 'symlink') {
      return this.#history.name(update.dir, update.name).some(({ fid }) => fid === update.fid);
    }
    if (update.op === 'remove' || update.op === 'rmdir') {
      return this.#history.name(update.dir, update.name).at(-1)?.fid !== update.fid;
    }
    if (update.op !== 'store') return false;
    const had = this.#history.statuses(update.fid);
    const isSince = had.some((one) => one.digest === update.digest && one.version > update.base);
    return isSince || had.at(-1)?.digest === update.digest;
  }

  /** Whether the update is from this laptop, as far as the row shows. */
  #isHeardOf(client: Laptop, row: UpdateRow): boolean {
    const device = this.#updates.device(client);
    const key = device === null ? null : resultKey(device, row.seq, row.name);
    return key !== null && this.#results.has(key) && !this.#ofBoth.has(key);
  }

  #resultOf(client: Laptop, { seq, name }: UpdateRow): UpdateResult | undefined {
    const device = this.#updates.device(client);
    return device === null ? undefined : this.#results.get(resultKey(device, seq, name));
  }
}

function keyOfWrite({ device, name, result }: Extract<RowWrite, { kind: 'applied' }>): string {
  return resultKey(device, result.seq, name ?? null);
}

function resultKey(device: DeviceId, seq: UpdateSeq, name: UpdateNonce | null): string {
  return `${device} ${seq} ${name ?? ''}`;
}

/** The server has just that: the same vnode made, or the same bytes stored. */
function isThereAlready(answer: UpdateResult, update: Update): boolean {
  if (answer.ok || answer.existing === null) return false;
  const { fid, digest } = answer.existing;
  return update.op === 'store' ? digest === update.digest : fid === update.fid;
}

/** The same laptop stored over it what the server has: another that knew it has offered it (rule I1). */
function isStoredOver(answer: UpdateResult, update: Update, later: Update): boolean {
  return later.op === 'store' && later.fid === update.fid && isThereAlready(answer, later);
}

/** The same laptop took the name of it away, or put something else there: what it held was given up. */
function takesAway(update: Update, fid: Fid): boolean {
  if (update.op === 'rename') return update.over?.fid === fid;
  return (update.op === 'remove' || update.op === 'rmdir') && update.fid === fid;
}

/** The name that it gives its vnode. */
function nameOf({ update }: UpdateRow): string[] {
  if (update.op === 'rename') return [`${update.toDir}/${update.toName}`];
  const isName = isMaking(update) || update.op === 'link';
  return isName && 'name' in update ? [`${update.dir}/${update.name}`] : [];
}

/** Its quota kept it back, and what it was of is gone. */
function isHeldBackAndEnded({ seq, update }: UpdateRow, logged: readonly UpdateRow[]): boolean {
  if (update.op !== 'store') return false;
  return logged.some((other) => other.seq > seq && takesAway(other.update, update.fid));
}

function keyOfUpdate({ update }: UpdateRow): string {
  switch (update.op) {
    case 'store':
    case 'setattr':
      return `${update.op} ${update.fid}`;
    case 'rename':
      return `rename ${update.fromDir}/${update.fromName} ${update.toDir}/${update.toName}`;
    default:
      return `${update.op} ${update.dir}/${update.name}`;
  }
}

/** What the call must leave in the log; null: nothing, or something that its arguments do not show. */
function keyOfCall({ method, given }: FileCall): string | null {
  switch (method) {
    case 'createOpen':
      return `create ${String(given[0])}/${String(given[1])}`;
    case 'create':
    case 'mkdir':
    case 'symlink':
      return `${method} ${String(given[0])}/${String(given[1])}`;
    case 'link':
      return `link ${placed(given[1] as Place)}`;
    case 'remove':
    case 'rmdir':
      return `${method} ${placed(given[0] as Place)}`;
    case 'rename': {
      const [from, to] = [placed(given[0] as Place), placed(given[1] as Place)];
      return from === to ? null : `rename ${from} ${to}`;
    }
    case 'setattr':
      return `setattr ${String(given[0])}`;
    default:
      return null;
  }
}

function placed({ dir, name }: Place): string {
  return `${dir}/${name}`;
}

/** A rename of one name of a vnode over another one does nothing (POSIX). */
function isOfOneVnode({ client, method, given }: FileCall): boolean {
  if (method !== 'rename') return false;
  const [from, to] = given as [Place, Place];
  const { inside } = client.daemon;
  const fid = viewEntry(inside, from.dir, from.name) ?? null;
  return fid !== null && fid === viewEntry(inside, to.dir, to.name);
}

/** A fid of ours became another one meanwhile, or its copy till the front end has put that there: the update names that. */
function isOfAlias({ client, given }: FileCall): boolean {
  const {
    names: { aliases },
  } = client.daemon.inside;
  const named = given.flatMap((one) =>
    typeof one === 'string' ? [one] : [(one as Partial<Place> | undefined)?.dir ?? ''],
  );
  return named.some((fid) => aliases.has(fid as Fid));
}

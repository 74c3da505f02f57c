/**
 * Checker: "synced" means committed (promise 7, rule F4).
 *
 * - Whenever a laptop's status says `idle`, nothing that its log had unanswered a revision before is unanswered still. (A status may be as old as one
 *   revision: there are four a second.) Looked at where the laptop has made something durable and something is unanswered for that long, once for
 *   each revision. What the server has answered, or a program took back, is not unanswered, nor what was given up with that, though the database of
 *   the laptop may have it a moment longer: it has it still at the next look, then.
 * - When a flush resolves, all that the log had unanswered at its call is answered, also what a conflict has logged again (by rank); and a front end
 *   that follows has put in place what the server had committed then.
 *
 * That an update which has left the log was really answered by the server is another checker's (nothing-dropped.ts).
 */
import type { Instant } from '../../../../shared/model/time.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../../shared/model/update.ts';
import { REVISION_INTERVAL } from '../../../../daemon/limits.ts';
import type { Laptop } from './laptop.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const synced: CheckerKind = {
  name: 'synced means committed',
  make: (report, ledgers = new Ledgers()) => new Synced(report, ledgers),
};

interface Flush {
  readonly number: number;
  readonly ranks: ReadonlySet<UpdateSeq>;
  readonly head: number;
}

class Ledger {
  /** Unanswered updates, and when they became durable. */
  readonly open = new Map<UpdateSeq, Instant>();
  readonly flushes: Flush[] = [];
  lookedAt = Number.NEGATIVE_INFINITY;
  /** What waits though the last look found the status to say otherwise. */
  doubted: UpdateSeq | null = null;
}

class Synced implements Checker {
  readonly #report: Report;
  readonly #updates: ClientUpdates;
  readonly #laptops = new Map<Laptop, Ledger>();
  readonly #heads = new Map<VolumeId, number>();
  /** By device, number and name of the update: the server has a result. */
  readonly #answered = new Set<string>();

  constructor(report: Report, { updates }: Ledgers) {
    this.#report = report;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    for (const { client, seq, row } of this.#updates.hear(observation)) {
      const { open } = this.#of(client);
      if (row === null || row.answer !== null) open.delete(seq);
      else if (!open.has(seq)) open.set(seq, client.clock.now());
    }
    switch (observation.kind) {
      case 'saved':
        return this.#look(observation.client);
      case 'flushing':
        return this.#flushing(observation.client, observation.number);
      case 'flushed':
        return this.#flushed(observation.client, observation.number);
      case 'committed':
        for (const write of observation.writes) {
          if (write.kind === 'log') this.#heads.set(write.volume, write.commit);
          if (write.kind !== 'applied') continue;
          this.#answered.add(`${write.device} ${write.result.seq} ${write.name ?? null}`);
        }
        return;
      case 'recorded':
        for (const { table, key, value } of observation.changes) {
          if (table !== 'update' || value !== undefined) continue;
          this.#of(observation.client).open.delete(Number(key) as UpdateSeq);
        }
        return;
      case 'restored':
        for (const { volume, first } of observation.volumes) this.#heads.set(volume, first);
        for (const { flushes } of this.#laptops.values()) flushes.length = 0;
        return;
      case 'copied': {
        const { open } = this.#of(observation.to);
        for (const [seq, at] of this.#of(observation.from).open) open.set(seq, at);
        return;
      }
      case 'ended':
        for (const [client, { flushes }] of this.#laptops) {
          if (client.name === observation.who) flushes.length = 0;
        }
        return;
      default:
        return;
    }
  }

  #look(client: Laptop): void {
    const laptop = this.#of(client);
    const now = client.clock.now();
    if (!client.running || now < laptop.lookedAt + REVISION_INTERVAL) return;
    const waiting = [...laptop.open].find(
      ([seq, since]) => since < now - REVISION_INTERVAL && !this.#isAnswered(client, seq),
    );
    const doubted = laptop.doubted;
    laptop.doubted = null;
    if (waiting === undefined) return;
    laptop.lookedAt = now;
    if (client.status.state !== 'idle') return;
    const [seq, since] = waiting;
    // What was given up with another that was refused leaves the database in a moment.
    laptop.doubted = seq;
    if (doubted !== seq) return;
    this.#report(
      `${client.name} says it is synced, and update ${seq}, durable ${Math.round(now - since)} ms ago, is not answered`,
    );
  }

  #isAnswered(client: Laptop, seq: UpdateSeq): boolean {
    const name = this.#updates.of(client).get(seq)?.name ?? null;
    return this.#answered.has(`${this.#updates.device(client)} ${seq} ${name}`);
  }

  #flushing(client: Laptop, number: number): void {
    const ranks = new Set<UpdateSeq>();
    for (const row of this.#updates.of(client).values()) {
      if (row.answer === null) ranks.add(row.rank);
    }
    const head = this.#heads.get(client.volume) ?? 0;
    this.#of(client).flushes.push({ number, ranks, head });
  }

  #flushed(client: Laptop, number: number): void {
    const { flushes } = this.#of(client);
    const at = flushes.findIndex((flush) => flush.number === number);
    const [flush] = at < 0 ? [] : flushes.splice(at, 1);
    if (flush === undefined) return;
    for (const { seq, rank, answer } of this.#updates.of(client).values()) {
      if (answer !== null || !flush.ranks.has(rank)) continue;
      this.#report(`${client.name}'s flush is done, and update ${seq} is not answered`);
    }
    if (client.frontEnd === 'folder' && client.replica.applied < flush.head) {
      this.#report(
        `${client.name}'s flush is done, and its replica is at ${client.replica.applied}; the server was at ${flush.head} when it began`,
      );
    }
  }

  #of(client: Laptop): Ledger {
    const known = this.#laptops.get(client);
    if (known !== undefined) return known;
    const made = new Ledger();
    this.#laptops.set(client, made);
    return made;
  }
}

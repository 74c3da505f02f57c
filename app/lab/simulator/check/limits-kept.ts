/**
 * Checker: the limits that a person has set are kept. In any time no more contents leave a laptop than its limit and a burst; nor the server for it, as
 * soon as the laptop says that the server holds its limit. When all is at rest, it says so of every laptop with one.
 *
 * Each connection counts for itself, from its begin and from each change on. A limit holds over restarts of the daemon.
 *
 * Allowed: anything while a change is under way, and after one of which nobody knows whether it is durable.
 */
import { limitBurst } from '../../../../shared/ports/transport.ts';
import type { TransferLimits } from '../../../../shared/model/transfer-limits.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

export const limitsKept: CheckerKind = {
  name: 'the limits of a person are kept',
  make: (report) => new LimitsKept(report),
};

/** What may leave at once on one direction of a connection, as of `at`. */
interface Bucket {
  readonly from: string;
  readonly to: string;
  readonly rate: number;
  credit: number;
  at: number;
}

/** What is known of a laptop's limits. */
interface Known {
  readonly client: Laptop;
  limits: TransferLimits | null;
  /** Changes under way. */
  changing: number;
}

class LimitsKept implements Checker {
  readonly #report: Report;
  readonly #known = new Map<string, Known>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    switch (observation.kind) {
      case 'limiting':
        this.#of(observation.client).changing += 1;
        return;
      case 'limited': {
        const known = this.#of(observation.client);
        known.changing = Math.max(0, known.changing - 1);
        known.limits = observation.limits;
        return;
      }
      case 'ended': {
        this.#forgetConnections(observation.who);
        const known = this.#known.get(observation.who);
        if (known === undefined || known.changing === 0) return;
        known.changing = 0;
        known.limits = null;
        return;
      }
      case 'left':
        return this.#left(observation);
      default:
        return;
    }
  }

  atRest({ clients }: Cluster): void {
    for (const { name, running, daemon } of clients) {
      const limits = this.#known.get(name)?.limits ?? null;
      if (!running || limits === null || limits.download === null) continue;
      const { inside } = daemon;
      if (inside.session.isUp && !inside.limits.isTold()) {
        this.#report(`${name} has a limit for what it receives, and the server was not told`);
      }
    }
  }

  #of(client: Laptop): Known {
    const known = this.#known.get(client.name) ?? { client, limits: null, changing: 0 };
    this.#known.set(client.name, known);
    return known;
  }

  /** The connections of a process end with it. The next process may give its own the same names. */
  #forgetConnections(who: string): void {
    for (const [lane, { from, to }] of this.#buckets) {
      if (from === who || to === who) this.#buckets.delete(lane);
    }
  }

  #left({ from, to, lane, bytes, at }: Extract<Observation, { kind: 'left' }>): void {
    const rate = this.#rateFor(from, to);
    if (rate === null) return void this.#buckets.delete(lane);
    const burst = limitBurst(rate);
    let bucket = this.#buckets.get(lane);
    if (bucket?.rate !== rate) bucket = { from, to, rate, credit: burst, at };
    this.#buckets.set(lane, bucket);
    bucket.credit = Math.min(burst, bucket.credit + (rate * (at - bucket.at)) / 1000) - bytes;
    bucket.at = at;
    // A byte is not cut in two.
    if (bucket.credit > -2) return;
    const over = Math.round(-bucket.credit);
    this.#report(`${from} sends ${to} ${over} bytes more than ${rate} a second let`);
    bucket.credit = 0;
  }

  /** The limit that holds between them now; null: none is known to. */
  #rateFor(from: string, to: string): number | null {
    const sender = this.#known.get(from);
    if (sender !== undefined) return sender.changing > 0 ? null : (sender.limits?.upload ?? null);
    const receiver = this.#known.get(to);
    if (receiver === undefined || receiver.changing > 0) return null;
    const { client, limits } = receiver;
    return client.running && client.daemon.inside.limits.isTold()
      ? (limits?.download ?? null)
      : null;
  }
}

/**
 * Which devices may hold a lease by the rows of the store, and the grace after a start (rule P1).
 *
 * A lease is of a device with the server as a whole: one reply renews it for the promises of all volumes. So the grace is of the whole server too.
 *
 * Invariants
 * 1. The rows mirror the store: who stages a change of one changes it here in the same step, and takes that back if the group fails.
 * 2. In the grace a device may still use a promise of the process before. It ends after one lease, or when each run with a row has come back or is
 *    known to have ended. It never begins again.
 */
import { compareNames } from '../../../shared/model/names.ts';
import type { LeaseRow } from '../../../shared/model/stored.ts';
import { after, type Instant } from '../../../shared/model/time.ts';
import { LEASE } from '../../limits.ts';

/** Mirrors the lease rows of the store, and tracks the grace after a start. */
export class Leases {
  readonly #rows: Map<string, LeaseRow>;
  /** Whose leases of the process before may not have ended; null: the grace is over. */
  #awaited: Set<string> | null;
  /** When the grace ends at the latest; null: there is none at the start. */
  readonly graceUntil: Instant | null;

  constructor(stored: readonly LeaseRow[], now: Instant) {
    this.#rows = new Map(stored.map((row) => [keyOf(row), row]));
    const isGrace = this.#rows.size > 0;
    this.#awaited = isGrace ? new Set(this.#rows.keys()) : null;
    this.graceUntil = isGrace ? after(now, LEASE) : null;
  }

  get isGrace(): boolean {
    return this.#awaited !== null;
  }

  /** Runs that the grace waits for, as `device run`. */
  get awaited(): string[] {
    return [...(this.#awaited ?? [])];
  }

  /** This run has come back, or has ended. True: the grace waits for no other run. */
  isBack(row: LeaseRow): boolean {
    this.#awaited?.delete(keyOf(row));
    return this.#awaited?.size === 0;
  }

  endGrace(): void {
    this.#awaited = null;
  }

  has(row: LeaseRow): boolean {
    return this.#rows.has(keyOf(row));
  }

  put(row: LeaseRow): void {
    this.#rows.set(keyOf(row), row);
  }

  /** False: there was none. */
  remove(row: LeaseRow): boolean {
    return this.#rows.delete(keyOf(row));
  }

  /** By device and run. */
  inOrder(): LeaseRow[] {
    return [...this.#rows.values()].sort(
      (a, b) => a.device - b.device || compareNames(a.run, b.run),
    );
  }
}

function keyOf({ device, run }: LeaseRow): string {
  return `${device} ${run}`;
}

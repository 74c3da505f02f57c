/**
 * The bytes that the daemon has moved on each network today: every datagram, both ways, as the link counts them.
 *
 * Invariants
 * 1. A day is one of the calendar of this place. What was counted on another day, also a later one of a clock that was wrong, is nothing today.
 * 2. What is counted is durable but for USED_STEP bytes and USED_STEP_TIME at most, and bytes that the transport had not reported yet.
 * 3. Only networks of today are kept.
 */
import { elapsed, wallTime, type Instant, type WallTime } from '../../../shared/model/time.ts';
import { USED_STEP, USED_STEP_TIME } from '../../limits.ts';
import type { MetaValue } from '../../../shared/ports/client-store.ts';
import type { Now } from '../events.ts';

const DAY_MS = 86_400_000;
const KEY = 'network-used:';
const VALUE = /^(-?\d{1,9}) (\d{1,16})$/;

export interface MetaRows {
  put(key: string, value: MetaValue): void;
  drop(key: string): void;
}

/** Counts the bytes of today by network, and stages the counts now and then. */
export class DataUsed {
  readonly #rows: MetaRows;
  readonly #used = new Map<string, { day: number; bytes: number; saved: number }>();
  #savedAt: Instant | null = null;
  utcOffsetMs = 0;

  constructor(rows: MetaRows) {
    this.#rows = rows;
  }

  load(meta: ReadonlyMap<string, MetaValue>): void {
    for (const [key, value] of meta) {
      const match = key.startsWith(KEY) ? VALUE.exec(String(value)) : null;
      if (match === null) continue;
      const bytes = Number(match[2]);
      this.#used.set(key.slice(KEY.length), { day: Number(match[1]), bytes, saved: bytes });
    }
  }

  on(network: string, now: Now): number {
    const used = this.#used.get(network);
    return used?.day === this.#day(now) ? used.bytes : 0;
  }

  /** The networks of today with their bytes, by name. */
  today(now: Now): Array<readonly [string, number]> {
    const names = [...this.#used.keys()].sort();
    return names
      .map((name) => [name, this.on(name, now)] as const)
      .filter(([, bytes]) => bytes > 0);
  }

  add(network: string, bytes: number, now: Now): void {
    if (bytes <= 0) return;
    const day = this.#day(now);
    let used = this.#used.get(network);
    if (used?.day !== day) {
      this.#forgetOtherDays(day);
      used = { day, bytes: 0, saved: 0 };
      this.#used.set(network, used);
    }
    used.bytes += bytes;
    const isLate = this.#savedAt === null || elapsed(this.#savedAt, now.at) >= USED_STEP_TIME;
    if (isLate || used.bytes - used.saved >= USED_STEP) this.save(network, now.at);
  }

  /** Makes what is counted of a network durable. */
  save(network: string, at: Instant): void {
    const used = this.#used.get(network);
    if (used === undefined || used.saved === used.bytes) return;
    used.saved = used.bytes;
    this.#savedAt = at;
    this.#rows.put(`${KEY}${network}`, `${used.day} ${used.bytes}`);
  }

  /** When another day begins, on the wall clock as it is now. */
  dayEnds(now: Now): WallTime {
    return wallTime((this.#day(now) + 1) * DAY_MS - this.utcOffsetMs);
  }

  #day({ wall }: Now): number {
    return Math.floor((wall + this.utcOffsetMs) / DAY_MS);
  }

  #forgetOtherDays(day: number): void {
    for (const [name, used] of [...this.#used]) {
      if (used.day === day) continue;
      this.#used.delete(name);
      this.#rows.drop(`${KEY}${name}`);
    }
  }
}

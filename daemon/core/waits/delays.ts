/** What failed for now and is tried again later: each key with its time, delays doubling from failure to failure. */
import { after, milliseconds, type Instant } from '../../../shared/model/time.ts';
import { RETRY_FIRST, RETRY_MOST } from '../../limits.ts';
import { textOf, type WaitKey } from './wait-key.ts';

interface Delay {
  readonly key: WaitKey;
  until: Instant | null;
  failures: number;
}

/** Delays retries by key: from RETRY_FIRST, doubled with each failure, up to RETRY_MOST. */
export class Delays {
  readonly #delays = new Map<string, Delay>();

  /** It failed once more; `jitter` in [0, 1) spreads those that failed together. */
  failed(key: WaitKey, now: Instant, jitter: number): void {
    const delay = this.#delays.get(textOf(key)) ?? { key, until: null, failures: 0 };
    const base = Math.min(RETRY_FIRST * 2 ** Math.min(delay.failures, 20), RETRY_MOST);
    delay.failures += 1;
    delay.until = after(now, milliseconds(base / 2 + (base / 2) * jitter));
    this.#delays.set(textOf(key), delay);
  }

  holdUntil(key: WaitKey, until: Instant): void {
    const failures = this.#delays.get(textOf(key))?.failures ?? 0;
    this.#delays.set(textOf(key), { key, until, failures });
  }

  until(key: WaitKey): Instant | null {
    return this.#delays.get(textOf(key))?.until ?? null;
  }

  isHeld(key: WaitKey, now: Instant): boolean {
    const until = this.#delays.get(textOf(key))?.until ?? null;
    return until !== null && now < until;
  }

  succeeded(key: WaitKey): void {
    this.#delays.delete(textOf(key));
  }

  /** Keys whose time has come, once each. */
  due(now: Instant): WaitKey[] {
    const keys: WaitKey[] = [];
    for (const delay of this.#delays.values()) {
      if (delay.until === null || now < delay.until) continue;
      delay.until = null;
      keys.push(delay.key);
    }
    return keys;
  }

  next(): Instant | null {
    let least: Instant | null = null;
    for (const { until } of this.#delays.values()) {
      if (until !== null && (least === null || until < least)) least = until;
    }
    return least;
  }

  clear(): void {
    this.#delays.clear();
  }
}

/** Null: never. */
export function earlier(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** What failed for now and is tried again later: each key with its time, delays doubling from failure to failure. */
import { after, milliseconds, type Instant } from '../../../shared/model/time.ts';
import { RETRY_FIRST, RETRY_MOST } from '../../limits.ts';

interface Delay {
  until: Instant | null;
  failures: number;
}

export class Delays {
  readonly #delays = new Map<string, Delay>();

  /** It failed once more; `fraction` in [0, 1) spreads those that failed together. */
  failed(key: string, now: Instant, fraction: number): void {
    const delay = this.#delays.get(key) ?? { until: null, failures: 0 };
    const base = Math.min(RETRY_FIRST * 2 ** Math.min(delay.failures, 20), RETRY_MOST);
    delay.failures += 1;
    delay.until = after(now, milliseconds(base / 2 + (base / 2) * fraction));
    this.#delays.set(key, delay);
  }

  holdUntil(key: string, until: Instant): void {
    const failures = this.#delays.get(key)?.failures ?? 0;
    this.#delays.set(key, { until, failures });
  }

  until(key: string): Instant | null {
    return this.#delays.get(key)?.until ?? null;
  }

  isHeld(key: string, now: Instant): boolean {
    const until = this.#delays.get(key)?.until ?? null;
    return until !== null && now < until;
  }

  succeeded(key: string): void {
    this.#delays.delete(key);
  }

  /** Keys whose time has come, once each. */
  due(now: Instant): string[] {
    const keys: string[] = [];
    for (const [key, delay] of this.#delays) {
      if (delay.until === null || now < delay.until) continue;
      delay.until = null;
      keys.push(key);
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

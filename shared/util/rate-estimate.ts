/**
 * How fast something moves while it is busy: an exponentially weighted mean of bytes over busy time. Idle time counts for nothing;
 * busy time in which nothing moves does, so an estimate falls while a line stands still.
 */
export class RateEstimate {
  readonly #timeConstantMs: number;
  readonly #leastBusyMs: number;
  #bytes = 0;
  #busyMs = 0;
  #evidenceMs = 0;
  /** Up to when the sums count, while it is busy; null: it is idle. */
  #at: number | null = null;

  /** What was `timeConstantMs` of busy time ago counts half. Before it was busy for `leastBusyMs` nothing is known. */
  constructor(timeConstantMs: number, leastBusyMs: number) {
    this.#timeConstantMs = timeConstantMs;
    this.#leastBusyMs = leastBusyMs;
  }

  /** Whether it is busy from now on. */
  tell(isBusy: boolean, now: number): void {
    this.#advance(now);
    this.#at = isBusy ? now : null;
  }

  moved(bytes: number, now: number): void {
    if (this.#at !== null) this.#advance(now);
    this.#bytes += bytes;
  }

  /** Bytes a second; null: not known yet. */
  at(now: number): number | null {
    const open = this.#at === null ? 0 : Math.max(now - this.#at, 0);
    if (this.#evidenceMs + open < this.#leastBusyMs) return null;
    const kept = this.#keptAfter(open);
    return (1000 * this.#bytes * kept) / (this.#busyMs * kept + open);
  }

  /** Another line: what was known is of no use. */
  forget(): void {
    this.#bytes = 0;
    this.#busyMs = 0;
    this.#evidenceMs = 0;
    this.#at = null;
  }

  #advance(now: number): void {
    if (this.#at === null || now <= this.#at) return;
    const passed = now - this.#at;
    const kept = this.#keptAfter(passed);
    this.#bytes *= kept;
    this.#busyMs = this.#busyMs * kept + passed;
    this.#evidenceMs += passed;
    this.#at = now;
  }

  #keptAfter(passed: number): number {
    return this.#timeConstantMs / (this.#timeConstantMs + passed);
  }
}

/**
 * What is under way at a core under test: work of its ports, each of which ends in an event. It is delivered by itself unless it is
 * held; then it waits for `release`.
 */
export type Held = 'loads' | 'commits' | 'breaks';

export abstract class HeldWork<Event> {
  readonly hold: Record<Held, boolean> = { loads: false, commits: false, breaks: false };
  readonly #waiting: Record<Held, Array<() => void>> = { loads: [], commits: [], breaks: [] };
  readonly #faults: unknown[] = [];
  #pending = 0;

  protected abstract deliver(event: Event): void;

  /** Runs work of a port; `held` is the kind under which it can be held back, or null. */
  protected run(work: Promise<Event>, held: Held | null): void {
    this.#pending++;
    const delivered = work.then((event) => {
      if (held !== null && this.hold[held]) this.#waiting[held].push(() => this.deliver(event));
      else this.deliver(event);
    });
    delivered
      .catch((error: unknown) => this.#faults.push(error))
      .finally(() => this.#pending--)
      .catch(() => undefined);
  }

  /** Lets everything happen that is not held back. */
  async settle(): Promise<void> {
    while (this.#pending > 0) await Promise.resolve();
    if (this.#faults.length > 0) throw this.#faults.shift();
  }

  async release(what: Held): Promise<void> {
    this.hold[what] = false;
    for (const run of this.#waiting[what].splice(0)) run();
    await this.settle();
  }

  /** Releases the first held event of a kind. */
  async releaseOne(what: Held): Promise<void> {
    await this.settle();
    this.#waiting[what].shift()?.();
    await this.settle();
  }

  heldCount(what: Held): number {
    return this.#waiting[what].length;
  }

  /** Releases the held event at an index. */
  async releaseAt(what: Held, index: number): Promise<void> {
    const [run] = this.#waiting[what].splice(index, 1);
    run?.();
    await this.settle();
  }
}

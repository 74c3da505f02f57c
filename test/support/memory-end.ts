import type { KeptEnd } from '../../daemon/adapters/pause/pause-ends.ts';

/** What ends a pause, in memory; it stays over the ends of the daemon that a test begins anew. */
export class MemoryEnd<T> implements KeptEnd<T> {
  kept: T | null = null;
  /** Thrown by what would change it. */
  refused: Error | null = null;

  load(): T | null {
    return this.kept;
  }

  save(end: T): void {
    this.#change(end);
  }

  remove(): void {
    this.#change(null);
  }

  #change(to: T | null): void {
    if (this.refused !== null) throw this.refused;
    this.kept = to;
  }
}

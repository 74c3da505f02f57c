/**
 * The front end that shows the volume, as the runtime knows it: there may be none yet, and one may go for another, at another place.
 *
 * Invariants
 * 1. What is asked of a front end is answered by one that stayed from beginning to end: where it left meanwhile, the next one is asked.
 * 2. From the moment that it leaves until the next one is here, something is unsettled: no front end sees what happens meanwhile.
 */
import type { StatusSnapshot, WaitingStatus } from '../../shared/control/snapshot.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { LocalCopies } from '../../shared/ports/file-store.ts';
import { MOST_SHOWN } from '../limits.ts';
import type { FrontEnd } from './runtime-options.ts';

/**
 * Holds the front end that shows the volume. It may be absent, and may be replaced while calls wait
 * for it.
 */
export class AttachedFrontEnd {
  #current: FrontEnd | null = null;
  #localCopies: LocalCopies | null = null;
  #opening: Promise<void> = Promise.resolve();
  #isLeaving = false;
  /** Resolves when the present one leaves, for calls that wait for it. */
  #left = Promise.withResolvers<void>();

  get current(): FrontEnd | null {
    return this.#current;
  }

  get localCopies(): LocalCopies | null {
    return this.#localCopies;
  }

  /** A front end is attached when `opening` resolves: until then, scans and flushes wait. */
  expect(opening: Promise<void>): void {
    this.#opening = opening;
    // The caller gets the failure.
    opening.catch(() => undefined);
  }

  /** The present one is about to be closed; another one is attached when this resolves. */
  leaves(next: Promise<void>): void {
    this.#isLeaving = true;
    this.expect(next);
    this.#left.resolve();
    this.#left = Promise.withResolvers();
  }

  attach(frontEnd: FrontEnd, localCopies: LocalCopies | null): void {
    this.#current = frontEnd;
    this.#localCopies = localCopies;
    this.#isLeaving = false;
  }

  unsettled(): { paths: number; commits: number } {
    const { paths, commits } = this.#current?.unsettled() ?? { paths: 0, commits: 0 };
    return { paths: this.#isLeaving ? Math.max(paths, 1) : paths, commits };
  }

  waiting(): readonly WaitingStatus[] {
    const waiting = this.#current?.waiting() ?? [];
    if (!this.#isLeaving) return waiting;
    return [{ path: null, reason: 'the folder is being moved' }, ...waiting];
  }

  /** What the status tells of files that are not here. */
  notHere(): Pick<StatusSnapshot, 'unstored' | 'excluded'> {
    const unstored = this.#current?.unstored?.() ?? null;
    const excluded = (this.#current?.excluded?.() ?? [])
      .flatMap(({ path, left }) => (path === null ? [] : [{ path: path.join('/'), left }]))
      .slice(0, MOST_SHOWN);
    return {
      ...(unstored === null ? {} : { unstored }),
      ...(excluded.length === 0 ? {} : { excluded }),
    };
  }

  /** Why what is at a path of a volume is not synced; null: it is, or nothing is known. */
  leftOut(volume: VolumeId, path: readonly string[]): Promise<string | null> {
    return this.ask((frontEnd) => {
      const keeps = frontEnd?.volume === volume ? frontEnd : frontEnd?.of?.(volume);
      return Promise.resolve(keeps?.leftOut?.(path) ?? null);
    });
  }

  /** Rejects as `work` does, and where none could be opened. */
  async ask<T>(work: (frontEnd: FrontEnd | null) => Promise<T>): Promise<T> {
    for (;;) {
      const opening = this.#opening;
      await opening;
      const left = this.#left;
      if (opening !== this.#opening) continue;
      const answer = work(this.#current).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const outcome = await Promise.race([answer, left.promise]);
      if (outcome === undefined || left !== this.#left) continue;
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
  }
}

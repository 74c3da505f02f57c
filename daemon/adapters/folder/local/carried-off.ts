/**
 * A placeholder that a program has moved or copied into another volume of the folder: there it stands for nothing, and its file would be lost with
 * it, for there are no bytes to take along. So its name here is forgotten and comes back, and its removal is told to nobody.
 *
 * Invariant: before the removal of a placeholder is told, the other volumes have heard what happened before it, and have looked there.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Removal } from './held-removals.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';

export type CarriedOffParts = Pick<
  LocalChangesParts,
  'records' | 'mountPoints' | 'forgotten' | 'dirty' | 'clock' | 'log'
>;

type StandsFor = ReturnType<CarriedOffParts['mountPoints']['standsElsewhere']>;

/** Has placeholders come back that were carried into another volume. */
export class CarriedOff {
  readonly #parts: CarriedOffParts;
  #awaitsOthers = false;

  constructor(parts: CarriedOffParts) {
    this.#parts = parts;
  }

  /** Some are missing that may be in a volume that was not open then: all is to be looked at when it is. */
  get awaitsOthers(): boolean {
    return this.#awaitsOthers;
  }

  /** The removals without those of placeholders that are in another volume now. What is not known yet is looked at again, and noted as `waiting`. */
  async meant(
    removals: readonly Removal[],
    { waiting, isWhole }: { waiting: Set<string>; isWhole: boolean },
  ): Promise<readonly Removal[]> {
    const { mountPoints, forgotten, log } = this.#parts;
    if (isWhole) this.#awaitsOthers = false;
    if (!removals.some((removal) => this.#isPlaceholder(removal))) return removals;
    await mountPoints.heardElsewhere();
    const meant: Removal[] = [];
    const carried: Removal[] = [];
    for (const removal of removals) {
      const stands = this.#isPlaceholder(removal) ? this.#stands(removal) : 'nowhere';
      if (stands === 'nowhere') meant.push(removal);
      else if (stands === 'there') carried.push(removal);
      else if (stands === 'unseen') this.#lookAgain(removal, waiting);
      else this.#awaitsOthers = true;
    }
    if (carried.length > 0) {
      forgotten.forget(carried.map(({ dir, name }) => ({ dir: dir as Fid, name })));
      log.warn('placeholders were moved into another volume; they come back', {
        count: carried.length,
      });
    }
    return meant;
  }

  #isPlaceholder({ fid }: Removal): boolean {
    return this.#parts.records.get(fid)?.placeholder === true;
  }

  #stands({ fid }: Removal): StandsFor {
    const { records, mountPoints } = this.#parts;
    return mountPoints.standsElsewhere(fid, records.get(fid)?.disk?.inode ?? '');
  }

  #lookAgain({ dir, name }: Removal, waiting: Set<string>): void {
    const { records, dirty, clock } = this.#parts;
    const path = records.pathOfPlace({ dir: dir as Fid, name })?.join('/');
    if (path === undefined) return;
    waiting.add(path);
    dirty.hint(path, clock.now(), { live: dirty.isLive(path) });
  }
}

/**
 * What has become of names and attributes since the last commit, in order, each with how to undo it. As in ext4 a commit takes all that came before
 * it, and a loss of power leaves a beginning of the rest: nothing that came later is there without what came earlier. What one call did is a step, and
 * is there as a whole or not at all.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

/** More steps are committed at the latest: a kernel does so every few seconds. */
const MOST_STEPS = 10_000;

type Undo = () => void;

/** Keeps how to undo what is not durable. */
export class Journal {
  #steps: Undo[][] = [];
  #isNew = true;

  /** Steps that are not durable. */
  get open(): number {
    return this.#steps.length;
  }

  /** What is added from now on is another step. */
  step(): void {
    this.#isNew = true;
  }

  add(undo: Undo): void {
    if (this.#isNew) {
      if (this.#steps.length >= 2 * MOST_STEPS) this.#steps.splice(0, MOST_STEPS);
      this.#steps.push([undo]);
      this.#isNew = false;
    } else this.#steps.at(-1)?.push(undo);
  }

  /** All that has happened is durable. */
  commit(): void {
    this.#steps = [];
    this.#isNew = true;
  }

  /** The power went: so many of the open steps stay. null: any number, drawn. */
  lose(kept: number | null, random: SeededRandom): void {
    const steps = this.#steps;
    const stays = kept ?? random.between(0, steps.length);
    for (let at = steps.length - 1; at >= stays; at--) steps[at]?.toReversed().forEach((u) => u());
    this.commit();
  }
}

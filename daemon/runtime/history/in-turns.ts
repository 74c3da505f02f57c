/**
 * Carries out steps of a list, several at a time: each waits for the earlier ones that it builds on. One after the other, a folder of
 * thousands of files would cost as many waits for the disk and the server.
 */
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { MOST_TAKEN_BACK_AT_ONCE } from '../../limits.ts';

/** What a step is about, by any keys. */
export interface Ties {
  /** Earlier steps that have these must be done. */
  readonly needs: readonly string[];
  /** The same, and later steps that name one of these wait for this one. */
  readonly has: readonly string[];
  /** All earlier steps must be done, and later ones wait. */
  readonly alone: boolean;
}

/** Resolves when all steps are done. Rejects, when none runs any more, with what the first of them rejected with. */
export async function inTurns<T>(
  steps: readonly T[],
  tiesOf: (step: T) => Ties,
  perform: (step: T, index: number) => Promise<void>,
): Promise<void> {
  const slots = new Semaphore(MOST_TAKEN_BACK_AT_ONCE);
  const holders = new Map<string, Promise<void>>();
  let since: Array<Promise<void>> = [Promise.resolve()];
  for (const [index, step] of steps.entries()) {
    const { needs, has, alone } = tiesOf(step);
    const earlier = [...needs, ...has].flatMap((key) => holders.get(key) ?? []);
    const before = alone ? since : [...since.slice(0, 1), ...earlier];
    const turn = Promise.all(before).then(() => slots.run(() => perform(step, index)));
    // Whoever waits for it hears of it.
    turn.catch(() => undefined);
    for (const key of has) holders.set(key, turn);
    if (alone) since = [turn];
    else since.push(turn);
  }
  await Promise.allSettled(since);
  await Promise.all(since);
}

/** A laptop that is alone, with trees of hard links: its folder stays as it was left. */
import { describe, expect, it } from '@jest/globals';
import { makeLinkedPlan } from '../../app/lab/simulator/folder/draw-linked-trees.ts';
import type { FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';

const STEPS = 8;
const SEEDS = Array.from({ length: 8 }, (_, at) => 1 + at);

function planOf(seed: number): FolderPlan {
  const random = new SeededRandom(seed).fork('linked trees alone');
  return makeLinkedPlan(random, { seed, steps: STEPS, hasFaults: true });
}

describe('a laptop that is alone with trees of hard links', () => {
  it.each(SEEDS)('keeps its folder as it was left: seed %d', async (seed) => {
    const { findings } = await runFolderPlan(planOf(seed));
    expect(findings).toEqual([]);
  });

  it('is in the plans that are drawn', () => {
    const drawn = Array.from({ length: 60 }, (_, seed) => makeFolderPlan({ seed, steps: 4 }));
    const linked = drawn.filter(({ entries }) =>
      entries.some((entry) => entry.kind === 'program' && entry.program === 'swaps-trees'),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.every(({ settings }) => settings.laptops === 1)).toBe(true);
  });
});

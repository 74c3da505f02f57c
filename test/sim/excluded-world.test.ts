/** The folder's world where people exclude folders and include them again: fixed seeds without a finding. */
import { describe, expect, it } from '@jest/globals';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';

const STEPS = 15;

describe('a random history with exclusions', () => {
  it.each([2, 8, 9, 14])('produces no finding: seed %d', async (seed) => {
    const plan = makeFolderPlan({ seed, steps: STEPS, hasExclusions: true });
    const asked = plan.entries.filter(
      (entry) => entry.kind === 'command' && entry.do === 'exclude',
    );
    const { findings } = await runFolderPlan(plan);
    expect([seed, findings]).toEqual([seed, []]);
    expect(asked.length).toBeGreaterThan(0);
  });

  it('leaves the plan of its seed as it is without them', () => {
    const usual = makeFolderPlan({ seed: 7, steps: 20 });
    expect(makeFolderPlan({ seed: 7, steps: 20, hasExclusions: false })).toEqual(usual);
    const { settings } = makeFolderPlan({ seed: 7, steps: 20, hasExclusions: true });
    expect(settings).toEqual(usual.settings);
  });
});

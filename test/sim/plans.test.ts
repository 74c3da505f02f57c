/** Plans that failed once, shortened: `test/sim/plans`, one file for each. None fails again. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runFolderHere } from '../../app/lab/simulator/hunt/folder-world.ts';
import { loadFolderPlan, loadRun } from '../../app/lab/simulator/hunt/save-failure.ts';
import { runPlan } from '../../app/lab/simulator/run/run-plan.ts';
import { expectNothing } from './expect-nothing.ts';

const FOLDER = join(import.meta.dirname, 'plans');
const FILES = readdirSync(FOLDER).sort();

describe('a plan that failed once', () => {
  it('is kept as a JSON file', () => {
    expect(FILES.filter((name) => !name.endsWith('.json'))).toEqual([]);
  });

  it.each(FILES)('does not fail again: %s', async (name) => {
    const file = join(FOLDER, name);
    const plan = loadFolderPlan(file);
    const report = plan === null ? await runPlan(loadRun(file).plan) : await runFolderHere(plan);
    expectNothing(report, `godwit sim --replay test/sim/plans/${name}`);
  });
});

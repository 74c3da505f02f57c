/** Histories in which the server works in turns, as the real one does, and whoever adds some rows rests beside others. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { planOf } from '../../app/lab/simulator/simulation.ts';
import { runPlan } from '../../app/lab/simulator/run/run-plan.ts';
import { GroupTurns } from '../../server/runtime/group-turns.ts';
import { expectNothing } from './expect-nothing.ts';

const SEEDS = Array.from({ length: 4 }, (_, i) => 2_001 + i);
const STEPS = 150;
/** Less than two updates have: whoever saves twice in a row rests. */
const HEAVY_ROWS = 4;

afterEach(() => {
  jest.restoreAllMocks();
});

describe(`a random history of ${STEPS} operations with rests and all faults`, () => {
  it.each(SEEDS)('produces no finding, and devices rest in it: seed %d', async (seed) => {
    const mayAdd = jest.spyOn(GroupTurns.prototype, 'mayAdd');
    const plan = planOf({ seed, steps: STEPS });
    const its = { ...plan, settings: { ...plan.settings, heavyRows: HEAVY_ROWS } };
    expectNothing(await runPlan(its), `seed ${seed} with heavyRows ${HEAVY_ROWS}`);
    const answers = new Set(mayAdd.mock.results.map(({ value }) => value));
    expect(answers).toEqual(new Set([true, false]));
  });
});

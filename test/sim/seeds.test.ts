/** Random histories with every fault, the same ones in each run: every change of the code must leave them without a finding. */
import { describe, it } from '@jest/globals';
import { simulate } from '../../app/lab/simulator/simulation.ts';
import { expectNothing } from './expect-nothing.ts';

const SEEDS = Array.from({ length: 60 }, (_, i) => 1_000 + i);
const STEPS = 300;

describe(`a random history of ${STEPS} operations with all faults`, () => {
  it.each(SEEDS)('produces no finding: seed %d', async (seed) => {
    const report = await simulate({ seed, steps: STEPS });
    expectNothing(report, `godwit sim --seed ${seed} --steps ${STEPS}`);
  });
});

/** Random programs on the simulated kernel and on the disks of this machine. */
import { describe, it } from '@jest/globals';
import { realFolders, realHarness, simulatedHarness } from './program-calls-harness.ts';
import { runInBoth } from './program-calls-random.suite.ts';

/** By hand: so many seeds, from one on. */
const COUNT = Number(process.env['GODWIT_SEEDS'] ?? 4);
const FIRST = Number(process.env['GODWIT_FIRST_SEED'] ?? 0);
const SEEDS = Array.from({ length: COUNT }, (_, index) => FIRST + index);

describe.each(realFolders())('the simulated kernel beside $name', ({ folder, switches }) => {
  it.each(SEEDS)('does what this machine does in the random program of seed %d', (seed) => {
    const real = realHarness(folder);
    const simulated = simulatedHarness(switches);
    try {
      runInBoth(real, simulated, { seed, calls: 150 });
    } finally {
      real.end();
      simulated.end();
    }
  });
});

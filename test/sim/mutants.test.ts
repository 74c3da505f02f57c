/**
 * Can the checkers see anything at all? Builds, each of which breaks a rule of the protocol, are caught; the same plans on a
 * sound build show nothing.
 */
import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from '../../app/lab/simulator/mutant/mutants.ts';
import { pinnedPlan } from '../../app/lab/simulator/mutant/evict-pinned.ts';
import { fullDiskPlan } from '../../app/lab/simulator/mutant/keep-over-reserve.ts';
import { lockedPlan } from '../../app/lab/simulator/mutant/lock-mutants.ts';
import { sharedPlan } from '../../app/lab/simulator/mutant/sharing-mutants.ts';
import { mountedPlan } from '../../app/lab/simulator/mutant/show-withdrawn.ts';
import type { Mutant } from '../../app/lab/simulator/mutant/mutant.ts';
import { mutantPlan } from '../../app/lab/simulator/mutant/mutant-plan.ts';
import { copiesPlan } from '../../app/lab/simulator/mutant/judge-by-name.ts';
import { hiddenPlan } from '../../app/lab/simulator/mutant/hidden-plan.ts';
import { snapshotPlan } from '../../app/lab/simulator/mutant/snapshot-plan.ts';
import { limitedPlan } from '../../app/lab/simulator/mutant/send-over-limit.ts';
import type { Plan } from '../../app/lab/simulator/plan/plan.ts';
import type { Report } from '../../app/lab/simulator/run/run-plan.ts';
import { runPlan } from '../../app/lab/simulator/run/run-plan.ts';
import { expectNothing } from './expect-nothing.ts';

const MOST_SEEDS = 200;
/** The number of seeds for a sound build, whether a canary needed them or not. */
const SOUND_SEEDS = 20;

const planOf = ({ plan = mutantPlan }: Mutant, seed: number): Plan => plan(seed);

/** The report of the first seed with a finding. */
async function caught(canary: Mutant): Promise<Report> {
  const mend = canary.begin();
  try {
    for (let seed = 1; seed <= MOST_SEEDS; seed++) {
      const report = await runPlan(planOf(canary, seed));
      const { caughtBy } = canary;
      const isIt = ({ checker }: Report['findings'][number]): boolean =>
        caughtBy === undefined || caughtBy === checker;
      if (report.findings.some(isIt)) return report;
    }
  } finally {
    mend();
  }
  throw new Error(`${canary.name} is not caught by ${MOST_SEEDS} seeds`);
}

describe('a canary', () => {
  it.each(MUTANTS)('is caught when it breaks $rule: $name', async (canary) => {
    const { seed, findings } = await caught(canary);
    const [first] = findings;
    process.stderr.write(`${canary.name}: seed ${seed}: ${first?.checker ?? ''}\n`);
    // This shows that the checkers caught the canary and not the plan.
    expectNothing(
      await runPlan(planOf(canary, seed)),
      `the canary plan of seed ${seed}, without canary`,
    );
  });

  it.each([
    mutantPlan,
    hiddenPlan,
    pinnedPlan,
    fullDiskPlan,
    limitedPlan,
    snapshotPlan,
    copiesPlan,
    lockedPlan,
    mountedPlan,
    sharedPlan,
  ])('is not reported in a sound build: %p', async (made) => {
    for (let seed = 1; seed <= SOUND_SEEDS; seed++) {
      expectNothing(await runPlan(made(seed)), `the plan of seed ${seed} by ${made.name}`);
    }
  });

  it('leaves nothing broken behind', async () => {
    const before = await runPlan(mutantPlan(1));
    for (const canary of MUTANTS) canary.begin()();
    expect(await runPlan(mutantPlan(1))).toEqual(before);
  });
});

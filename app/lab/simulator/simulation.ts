/** One random history: the plan of a seed, carried out. */
import type { FaultFamily } from './fault/fault.ts';
import { FAULTS } from './fault/faults.ts';
import { makePlan } from './plan/make-plan.ts';
import type { Plan } from './plan/plan.ts';
import { runPlan } from './run/run-plan.ts';
import type { Report } from './run/run-plan.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly steps?: number;
  /** Left out: as many as the seed has it. */
  readonly laptops?: number;
  readonly faults?: readonly FaultFamily[];
}

export const USUAL_STEPS = 1000;

/**
 * Makes the plan of a seed, with the usual number of steps and all faults unless told otherwise.
 */
export function planOf(options: SimulationOptions): Plan {
  const { seed, steps = USUAL_STEPS, laptops, faults = FAULTS } = options;
  return makePlan({ seed, steps, faults, ...(laptops === undefined ? {} : { laptops }) });
}

export function simulate(options: SimulationOptions): Promise<Report> {
  return runPlan(planOf(options));
}

/** One random history: the plan of a seed, carried out. */
import type { FaultFamily } from './fault/fault.ts';
import { FAULTS } from './fault/faults.ts';
import { makePlan } from './plan/make-plan.ts';
import { runPlan } from './run/run-plan.ts';
import type { Report } from './run/run-plan.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly steps?: number;
  readonly laptops?: number;
  readonly faults?: readonly FaultFamily[];
}

export function simulate(options: SimulationOptions): Promise<Report> {
  const { seed, steps = 1000, laptops = 3, faults = FAULTS } = options;
  return runPlan(makePlan({ seed, steps, laptops, faults }), { faults });
}

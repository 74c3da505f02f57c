/**
 * A canary: a build that breaks one rule of the protocol. If the checkers do not notice it, they would not notice a bug of
 * that kind either.
 */
import type { Plan } from '../plan/plan.ts';

export interface Mutant {
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  /** The checker that is there for this rule; left out: whichever finds something first. */
  readonly caughtBy?: string;
  /** Breaks every program of this process that is simulated from now on; gives how to mend it. */
  readonly begin: () => () => void;
  /** Plans in which that shows; left out: those of `mutant-plan.ts`. */
  readonly plan?: (seed: number) => Plan;
}

/**
 * How what an endpoint sends is ordered. `priorities`: contract 3 of the Link port. `uniform`: no class goes before another, and all that is
 * under way takes turns; for experiments that ask what the classes are worth. Classes are carried all the same, and the bulk window stays.
 */
export const SCHEDULINGS = ['priorities', 'uniform'] as const;
export type Scheduling = (typeof SCHEDULINGS)[number];

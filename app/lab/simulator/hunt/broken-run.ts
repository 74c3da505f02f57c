/** The report of a run that did not come to its end: that itself is the finding. */
import type { Report } from '../run/run-plan.ts';

/** Makes the report of a run that broke off, with that as its one finding. */
export function brokenRun(seed: number, text: string): Report {
  const findings = [{ checker: 'the run comes to its end', text }];
  return { seed, digest: '', findings, steps: 0, operations: 0, events: 0, virtualMs: 0 };
}

/** A failure as it is saved and told: what was found, and the shortest plan that shows it. */
import type { Finding } from '../check/finding.ts';
import type { Plan } from '../plan/plan.ts';
import type { Report } from '../run/run-plan.ts';
import { kindOf, shortenPlan } from './shorten-plan.ts';
import type { ShortenOptions, Shortened } from './shorten-plan.ts';

export interface Failure {
  /** Findings of the whole plan. */
  readonly findings: readonly Finding[];
  readonly shortened: Shortened;
  /** Of the shortened plan. */
  readonly report: Report;
  /** How many entries the whole plan has. */
  readonly entries: number;
}

export type RunPlan = (plan: Plan) => Promise<Report>;

/** Looks for the shortest plan that shows the first of the findings. */
export async function examine(
  plan: Plan,
  report: Report,
  run: RunPlan,
  options: ShortenOptions,
): Promise<Failure> {
  const [first] = report.findings;
  if (first === undefined)
    throw new RangeError('nothing was found, so there is nothing to shorten');
  const tried = async (shorter: Plan): Promise<readonly Finding[]> => (await run(shorter)).findings;
  const shortened = await shortenPlan(plan, kindOf(first), tried, options);
  return {
    findings: report.findings,
    shortened,
    report: shortened.plan === plan ? report : await run(shortened.plan),
    entries: plan.entries.length,
  };
}

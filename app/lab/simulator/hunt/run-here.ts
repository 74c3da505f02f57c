/** Runs plans in this process. What nobody in a simulated world catches is a finding of its run, not the end of the hunt. */
import type { Finding } from '../check/finding.ts';
import type { Plan } from '../plan/plan.ts';
import { runPlan } from '../run/run-plan.ts';
import type { Report } from '../run/run-plan.ts';
import { brokenRun } from './broken-run.ts';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Runs a plan in this process. An error that nobody catches becomes a finding; it never rejects.
 */
export async function runHere(plan: Plan): Promise<Report> {
  try {
    const { result, findings } = await caughtWhile(() => runPlan(plan));
    return { ...result, findings: [...result.findings, ...findings] };
  } catch (error) {
    return brokenRun(plan.seed, said(error));
  }
}

/** What nobody catches while something runs, as findings. Rejects as `run` does. */
export async function caughtWhile<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly findings: readonly Finding[] }> {
  const broken: unknown[] = [];
  const caught = (error: unknown): void => void broken.push(error);
  for (const event of EVENTS) process.on(event, caught);
  try {
    const result = await run();
    const checker = 'every error is caught';
    return { result, findings: broken.map((error) => ({ checker, text: said(error) })) };
  } finally {
    for (const event of EVENTS) process.off(event, caught);
  }
}

export function said(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

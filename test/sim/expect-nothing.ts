/** Helpers of the tests in this folder to run plans and to print how a failure can be reproduced. */
import type { Finding } from '../../app/lab/simulator/check/finding.ts';
import { programCommit } from '../../app/lab/simulator/hunt/version.ts';
import type { Report } from '../../app/lab/simulator/run/run-plan.ts';

/** Throws for a report with findings. The message has the seed, the commit, the findings and the command that reproduces them. */
export function expectNothing(report: Pick<Report, 'seed' | 'findings'>, command: string): void {
  if (report.findings.length === 0) return;
  const told = report.findings.map(({ checker, text }: Finding) => `FOUND ${checker}: ${text}`);
  throw new Error(
    [`seed ${report.seed}, commit ${programCommit()}`, ...told, `again: ${command}`].join('\n'),
  );
}

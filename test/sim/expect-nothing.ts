/** What the tests of this folder need to run plans, and to say how a failure can be seen again. */
import type { Finding } from '../../app/lab/simulator/check/finding.ts';
import { programCommit } from '../../app/lab/simulator/hunt/version.ts';
import type { Report } from '../../app/lab/simulator/run/run-plan.ts';

/** Throws where something was found: the seed, the commit, what was found, and the command that shows it. */
export function expectNothing(report: Report, command: string): void {
  if (report.findings.length === 0) return;
  const told = report.findings.map(({ checker, text }: Finding) => `FOUND ${checker}: ${text}`);
  throw new Error(
    [`seed ${report.seed}, commit ${programCommit()}`, ...told, `again: ${command}`].join('\n'),
  );
}

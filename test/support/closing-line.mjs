/**
 * Jest reporter: the plain closing line, "N passed, N failed", for people and for CI.
 *
 * A test file that could not be loaded counts as one failure. Checks that ran before the tests and
 * failed (build/test.mjs names them in GODWIT_FAILED_CHECKS) count too, so that the line never says
 * "0 failed" about a run that failed. Jest's own summary comes after every reporter, so the line is left
 * in a file for build/jest.mjs, which prints it last.
 */
import { writeFileSync } from 'node:fs';

export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const path = process.env['GODWIT_CLOSING_LINE'];
    if (path === undefined) return;
    const checks = (process.env['GODWIT_FAILED_CHECKS'] ?? '').split(' ').filter(Boolean);
    const names = checks.length === 0 ? '' : `failed checks: ${checks.join(', ')}\n`;
    writeFileSync(path, `${names}${closingLine(results, checks.length)}\n`);
  }
}

export function closingLine(results, failedChecks) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + failedChecks;
  const line = `${results.numPassedTests} passed, ${failed} failed`;
  return results.numPendingTests === 0 ? line : `${line}, ${results.numPendingTests} skipped`;
}

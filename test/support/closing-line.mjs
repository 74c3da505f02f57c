/**
 * Jest reporter: one plain last line, "N passed, N failed", for people and for CI.
 *
 * A test file that could not be loaded counts as one failure. Checks that ran before the tests and
 * failed (build/test.mjs names them in GODWIT_FAILED_CHECKS) count too, so that the line never says
 * "0 failed" about a run that failed.
 */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const checks = (process.env['GODWIT_FAILED_CHECKS'] ?? '').split(' ').filter(Boolean);
    if (checks.length > 0) process.stdout.write(`failed checks: ${checks.join(', ')}\n`);
    process.stdout.write(`${closingLine(results, checks.length)}\n`);
  }
}

export function closingLine(results, failedChecks) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + failedChecks;
  const line = `${results.numPassedTests} passed, ${failed} failed`;
  return results.numPendingTests === 0 ? line : `${line}, ${results.numPendingTests} skipped`;
}

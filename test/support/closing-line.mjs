/**
 * Jest reporter: one plain last line, "N passed, N failed", for people and for CI.
 *
 * A test file that could not be loaded counts as one failure. Checks that ran before the tests and
 * failed (build/test.mjs names them in GODWIT_FAILED_CHECKS) count too, so that the line never says
 * "0 failed" about a run that failed.
 */
export default class ClosingLine {
  #aborted = false;

  onRunComplete(_contexts, results) {
    const checks = (process.env['GODWIT_FAILED_CHECKS'] ?? '').split(' ').filter(Boolean);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + checks.length;
    const parts = [`${results.numPassedTests} passed`, `${failed} failed`];
    if (results.numPendingTests > 0) parts.push(`${results.numPendingTests} skipped`);
    if (checks.length > 0) parts.push(`of the failed: ${checks.join(', ')}`);
    this.#aborted = results.wasInterrupted;
    process.stdout.write(`${parts.join(', ')}${this.#aborted ? ' (interrupted)' : ''}\n`);
  }

  getLastError() {
    return this.#aborted ? new Error('interrupted') : undefined;
  }
}

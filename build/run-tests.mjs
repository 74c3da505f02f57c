/**
 * Runs tests: `node build/run-tests.mjs [--suite NAME]... [pattern or Jest option]...`.
 * Suites are `unit` (tests beside the code) and the folders of test/.
 */
import { fail } from './node-path.mjs';
import './end-with-parent.mjs';
import { runJest } from './jest.mjs';

try {
  process.exit(await runJest(process.argv.slice(2)));
} catch (error) {
  fail(error.message);
}

/**
 * `npm test`: types, lint, format, then all tests. Everything runs even when something failed, so that
 * one run tells all; the last line is "N passed, N failed", in which a failed check counts as one.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fail, findNode, OLDEST_NODE, ROOT } from './node-path.mjs';
import './end-with-parent.mjs';
import { runJest } from './jest.mjs';

const CHECKS = [
  ['types', '@typescript/native/bin/tsc', ['-p', '.']],
  ['types of the page', '@typescript/native/bin/tsc', ['-p', 'app/tray/window']],
  ['lint', 'eslint/bin/eslint.js', ['--max-warnings', '0']],
  ['format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
];

try {
  const failed = failedChecks();
  const code = await runJest(process.argv.slice(2), { GODWIT_FAILED_CHECKS: failed.join(' ') });
  process.exit(failed.length > 0 ? 1 : code);
} catch (error) {
  fail(error.message);
}

function failedChecks() {
  const node = findNode();
  if (node === null) throw new Error(`no Node ${OLDEST_NODE} here. Run \`npm run setup\`.`);
  const failed = [];
  for (const [name, script, args] of CHECKS) {
    const path = join(ROOT, 'node_modules', script);
    const { status } = spawnSync(node, [path, ...args], { cwd: ROOT, stdio: 'inherit' });
    process.stdout.write(`${name}: ${status === 0 ? 'fine' : 'FAILED'}\n`);
    if (status !== 0) failed.push(name);
  }
  return failed;
}

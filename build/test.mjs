/**
 * `npm test`: types, lint, format, spelling and grammar while the rest of the set-up builds, then all tests. Everything runs even when something failed,
 * so that one run shows all failures; the last line is "N passed, N failed", in which a failed check counts as one.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fail, findNode, OLDEST_NODE, ROOT } from './node-path.mjs';
import './end-with-parent.mjs';
import { endAllWithUs } from './end-of-run.mjs';
import { runJest } from './jest.mjs';

const CHECKS = [
  ['types', '@typescript/native/bin/tsc', ['-p', '.']],
  ['types of the page', '@typescript/native/bin/tsc', ['-p', 'app/tray/window']],
  ['lint', 'eslint/bin/eslint.js', ['--max-warnings', '0']],
  ['format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
  ['spelling', 'cspell/bin.mjs', ['lint', '--no-progress', '--no-summary']],
  ['grammar', '../build/grammar.mjs', []],
];

try {
  endAllWithUs();
  const node = findNode();
  if (node === null) throw new Error(`no Node ${OLDEST_NODE} here. Run \`npm run setup\`.`);
  const built = setUp();
  const failed = await failedChecks(node);
  if (!(await built)) throw new Error('the set-up failed; see above');
  const code = await runJest(process.argv.slice(2), { GODWIT_FAILED_CHECKS: failed.join(' ') });
  process.exit(failed.length > 0 ? 1 : code);
} catch (error) {
  fail(error.message);
}

/** The packages are there already. Resolves to whether it went well. */
function setUp() {
  const script = join(ROOT, 'build', 'setup.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

/** All at once: each of them keeps one core busy. What they say comes in their order, each in one piece. */
async function failedChecks(node) {
  const running = CHECKS.map(([name, ...command]) => ({ name, ended: ran(node, command) }));
  const failed = [];
  for (const { name, ended } of running) {
    const { code, output } = await ended;
    process.stdout.write(`${output}${name}: ${code === 0 ? 'fine' : 'FAILED'}\n`);
    if (code !== 0) failed.push(name);
  }
  return failed;
}

/** Resolves to its exit code, null if a signal ended it, and to all that it output. */
function ran(node, [script, args]) {
  const path = join(ROOT, 'node_modules', script);
  const child = spawn(node, [path, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`can't run ${script}: ${error.message}`)));
    child.on('close', (code) => resolve({ code, output: Buffer.concat(output).toString() }));
  });
}

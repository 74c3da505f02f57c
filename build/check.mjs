/**
 * `npm run check -- FILE... | --changed | --since REF`: what can be known of a change within a minute: types, lint, format, spelling, grammar, the house rules
 * and the nearest unit tests. Tells at the end what it ran, and what it left out.
 *
 * All together they would want four cores: what is no test runs one after the other on one, the tests on the other.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { allFiles, changedFiles, namedFiles, requestOf } from './check/changed-files.mjs';
import { planOf } from './check/plan.mjs';
import { reader } from './check/reach.mjs';
import { fail, findNode, OLDEST_NODE, ROOT } from './node-path.mjs';
import './end-with-parent.mjs';
import { endAllWithUs } from './end-of-run.mjs';

try {
  endAllWithUs();
  process.exit(await check(process.argv.slice(2)));
} catch (error) {
  fail(error.message);
}

async function check(words) {
  const began = performance.now();
  const node = findNode();
  if (node === null) throw new Error(`no Node ${OLDEST_NODE} here. Run \`npm run setup\`.`);
  const { files = [], since } = requestOf(words);
  const folder = process.env['INIT_CWD'] ?? process.cwd();
  const changed =
    since === undefined
      ? { files: namedFiles(ROOT, folder, files), removed: [] }
      : changedFiles(ROOT, since);
  if (changed.files.length + changed.removed.length === 0) {
    process.stdout.write(`nothing has changed since ${since}, so there is nothing to check\n`);
    return 0;
  }
  const plan = planOf(allFiles(ROOT), changed, reader(ROOT));
  const lanes = plan.lanes.map((steps) => runAll(node, steps));
  const failed = (await Promise.all(lanes)).flat();
  process.stdout.write(`${plan.left.map((line) => `not run: ${line}\n`).join('')}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const result = failed.length === 0 ? 'fine' : `FAILED: ${failed.join(', ')}`;
  process.stdout.write(`${plan.about} in ${seconds} s: ${result}\n`);
  return failed.length === 0 ? 0 : 1;
}

/** Resolves to the names of those that failed. */
async function runAll(node, steps) {
  const failed = [];
  for (const step of steps) {
    const began = performance.now();
    const { code, said } = await run(node, step.command);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const result = code === 0 ? 'fine' : 'FAILED';
    process.stdout.write(`${code === 0 ? '' : said}${step.name}: ${result}, ${seconds} s\n`);
    if (code !== 0) failed.push(step.name);
  }
  return failed;
}

function run(node, [script, ...args]) {
  const child = spawn(node, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`can't run ${script}: ${error.message}`)));
    child.on('close', (code) => resolve({ code, said: Buffer.concat(said).toString() }));
  });
}

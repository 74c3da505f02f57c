/**
 * Runs Jest: `node build/run-tests.mjs [--suite NAME]... [pattern or Jest option]...`.
 *
 * Jest's ES modules need Node flags. They are given on the command line and not in NODE_OPTIONS:
 * Jest passes them on to its workers, while the daemons that tests start never see them.
 * The tests get a process group of their own, so that a hung run, and whatever a test left running,
 * ends with them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { compileCacheFolder, fail, findNode, ROOT } from './node-path.mjs';

const TIME_LIMIT_MINUTES = 12; // CI has 15 for everything
const GRACE_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const OWN_GROUP = process.platform !== 'win32';

const node = findNode();
if (node === null) fail('no Node 24 here. Run `npm ci`, or install Node 24 or newer.');

const child = spawn(
  node,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--maxWorkers=2',
    ...jestArguments(process.argv.slice(2)),
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    detached: OWN_GROUP,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCacheFolder() },
  },
);

let outcome = null;
const limit = setTimeout(() => stop(`tests ran over ${TIME_LIMIT_MINUTES} minutes`, 1), minutes());
for (const signal of SIGNALS) process.on(signal, () => stop(`stopped by ${signal}`, 130));

child.on('error', (error) => fail(`can't start the tests: ${error.message}`));
child.on('exit', (code) => {
  clearTimeout(limit);
  if (signalGroup('SIGKILL'))
    process.stderr.write('Tests left processes running; they were ended.\n');
  if (outcome !== null) process.stdout.write(`0 passed, 1 failed (${outcome.reason})\n`);
  process.exit(outcome?.code ?? code ?? 1);
});

function stop(reason, code) {
  outcome ??= { reason, code };
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), GRACE_MS).unref();
}

/** True when there was anybody to signal. */
function signalGroup(signal) {
  try {
    return OWN_GROUP ? process.kill(-child.pid, signal) : child.kill(signal);
  } catch {
    return false;
  }
}

function minutes() {
  return Number(process.env['GODWIT_TEST_MINUTES'] ?? TIME_LIMIT_MINUTES) * 60_000;
}

/** Jest's --selectProjects swallows what follows it, so suites go last. */
function jestArguments(given) {
  const suites = [];
  const rest = [];
  for (let i = 0; i < given.length; i++) {
    if (given[i] === '--suite') suites.push(given[++i]);
    else rest.push(given[i]);
  }
  return suites.length === 0 ? rest : [...rest, '--selectProjects', ...suites];
}

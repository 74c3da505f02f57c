/**
 * Runs Jest to its end and gives its exit code.
 *
 * The tests get a process group of their own, so that a hung run can be asked to end; whatever they started ends with them,
 * and with this process (build/end-of-run.mjs).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginRun } from './end-of-run.mjs';
import { leftInGroup } from './left-in-group.mjs';
import { compileCache, findNode, OLDEST_NODE, ROOT } from './node-path.mjs';
import { limitTime } from './time-limit.mjs';

const TIME_LIMIT_MINUTES = 55; // for what hangs, not for what is slow; with the set-up it stays below the limit of .ci/run
const GRACE_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Suites that start programs. */
const OF_PROCESSES = ['process', 'e2e'];
const OWN_GROUP = process.platform !== 'win32';

/** Resolves to the exit code. `extra` is added to the environment of the tests. */
export function runJest(args, extra = {}) {
  const node = findNode();
  if (node === null) throw new Error(`no Node ${OLDEST_NODE} here. Run \`npm run setup\`.`);
  const folder = mkdtempSync(join(tmpdir(), 'godwit-tests-'));
  const closing = join(folder, 'closing-line');
  const run = beginRun();
  const env = {
    ...compileCache(),
    GODWIT_CLOSING_LINE: closing,
    ...run.env,
    ...bundle(node, args),
    ...extra,
  };
  const child = spawn(node, nodeArguments(args), {
    cwd: ROOT,
    stdio: 'inherit',
    detached: OWN_GROUP,
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`can't start the tests: ${error.message}`)));
    watchOver(child, run, (code) => {
      if (existsSync(closing)) process.stdout.write(readFileSync(closing, 'utf8'));
      else if (code !== 0) process.stdout.write('0 passed, 1 failed\n');
      rmSync(folder, { recursive: true, force: true });
      resolve(code);
    });
  });
}

/**
 * The bundle (build/bundle.mjs) that all programs of the run are started from, as a variable of the environment: of the sources as they are now. Looking for
 * changes at each start costs a tenth of it. None where no suite starts programs, or none can be made: then they run from the sources.
 */
function bundle(node, args) {
  const given = process.env['GODWIT_BUNDLE'];
  const hasAny = !args.includes('--suite') || OF_PROCESSES.some((suite) => args.includes(suite));
  if (given !== undefined || !hasAny) return {};
  const script = join(ROOT, 'build', 'bundle.mjs');
  const { status, stdout } = spawnSync(node, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0 ? { GODWIT_BUNDLE: String(stdout).trim() } : {};
}

/** Calls `ended` once, with the exit code, when the tests and all that they started are gone. */
function watchOver(child, run, ended) {
  let stopped = null;
  const stop = (reason, code) => {
    stopped ??= { reason, code };
    signalGroup(child, 'SIGTERM');
    setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
  };
  const minutes = Number(process.env['GODWIT_TEST_MINUTES'] ?? TIME_LIMIT_MINUTES);
  const over = () => stop(`tests ran over ${minutes} minutes`, 1);
  const endLimit = limitTime(minutes * 60_000, over);
  for (const signal of SIGNALS) process.on(signal, () => stop(`stopped by ${signal}`, 130));

  child.on('exit', (code) => {
    endLimit();
    endLeft(child, run);
    if (stopped !== null) process.stderr.write(`${stopped.reason}\n`);
    else if (code === null) process.stderr.write('the test runner was killed\n');
    ended(stopped?.code ?? code ?? 1);
  });
}

function endLeft(child, run) {
  const inGroup = OWN_GROUP ? leftInGroup(child.pid) : null;
  const wasThere = signalGroup(child, 'SIGKILL');
  const left = [...new Set([...(inGroup ?? []), ...run.end()])];
  if (inGroup === null ? !wasThere : left.length === 0) return;
  const names = left.map((line) => `  ${line}\n`).join('');
  process.stderr.write(`Tests left processes; ended them.\n${names}`);
}

/** True when there was anybody to signal. */
function signalGroup(child, signal) {
  try {
    return OWN_GROUP ? process.kill(-child.pid, signal) : child.kill(signal);
  } catch {
    return false;
  }
}

function nodeArguments(args) {
  return [join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'), ...jestArguments(args)];
}

/** Turns `--suite NAME` into Jest's --selectProjects, which swallows what follows it, so it goes last. */
export function jestArguments(given) {
  const suites = [];
  const rest = [];
  for (let i = 0; i < given.length; i++) {
    if (given[i] === '--suite') suites.push(given[++i]);
    else rest.push(given[i]);
  }
  return suites.length === 0 ? rest : [...rest, '--selectProjects', ...suites];
}

/**
 * Ends whatever a run of the tests has started, however the run ends: daemons and browsers too, which go into sessions of their own.
 *
 * Each process of a run has the run's name in its environment, or a parent that is one. A watchman outside of the run waits for the end of a pipe that
 * the runner holds: no signal, SIGKILL included, keeps that end from it. Where there is no /proc, a group of processes is all that is known of a run.
 *
 *   node build/end-of-run.mjs NAME   the watchman: ends the run of that name when its input ends
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandOf, hasEnded, statOf } from './left-in-group.mjs';

/** Not one of the product's: tests start programs without those. */
const VARIABLE = 'RUN_OF_TESTS';
/** Set to 1 for a program that has to put something away, such as a mount, and does so when whoever started it has gone. */
export const PUTS_AWAY = 'PUTS_AWAY_AFTER_TESTS';
const SELF = fileURLToPath(import.meta.url);
/** A process may start another while it is being ended; no program of ours does so this often. */
const MOST_ROUNDS = 100;
/** So long those that put something away are left to it. */
const PATIENT_ROUNDS = 60;
const ROUND_MS = 50;
/** The parent of those that are no programs. */
const KERNEL_THREADS = 2;

/** A new run: what its processes get into their environment, and how to end those that are left. */
export function beginRun() {
  const name = randomUUID();
  const watchman = spawn(process.execPath, [SELF, name], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] },
  });
  watchman.on('error', () => undefined);
  watchman.stdin.on('error', () => undefined);
  watchman.stdin.unref?.();
  watchman.unref();
  return {
    env: { [VARIABLE]: name },
    /** "PID COMMAND" of each that was ended. */
    end: () => endRun(name),
  };
}

let isBegun = false;

/**
 * All that this process starts from now on ends with it, however it ends. For what starts compilers and checks: these do not look whether anybody waits for
 * them. A second call does nothing.
 */
export function endAllWithUs() {
  if (!isBegun) Object.assign(process.env, beginRun().env);
  isBegun = true;
}

/** Ends all processes of the run but this one, and those that they start meanwhile. */
function endRun(name) {
  const ended = new Map();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { found: left, isSure } = processesOf(name);
    if (left.length === 0 && isSure) break;
    if (round > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ROUND_MS);
    for (const pid of left) {
      if (round < PATIENT_ROUNDS && hasSet(pid, PUTS_AWAY, '1')) continue;
      ended.set(pid, ended.get(pid) ?? commandOf(pid));
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
  }
  return [...ended].map(([pid, command]) => `${pid} ${command}`);
}

/**
 * Those with the name in their environment, and all below them. Not sure: one is just becoming another program, and shows neither its environment
 * nor its arguments.
 */
function processesOf(name) {
  if (process.platform !== 'linux') return { found: [], isSure: true };
  const pids = readdirSync('/proc').filter((each) => /^\d+$/.test(each));
  const alive = new Map(
    pids.map((pid) => [Number(pid), statOf(pid)]).filter(([, stat]) => !hasEnded(stat)),
  );
  const found = new Set([...alive.keys()].filter((pid) => hasSet(pid, VARIABLE, name)));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [pid, { parent }] of alive) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  const isSure = ![...alive].some(([pid, { parent }]) => {
    const isOfKernel = pid === KERNEL_THREADS || parent === KERNEL_THREADS;
    return !isOfKernel && environment(pid) === '' && commandOf(pid) === '';
  });
  return { found: [...found], isSure };
}

function hasSet(pid, variable, value) {
  return environment(pid)?.split('\0').includes(`${variable}=${value}`) === true;
}

/** Null: it is gone, or another user's. */
function environment(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === SELF) {
  const name = process.argv[2];
  process.stdin.resume();
  process.stdin.on('end', () => {
    endRun(name);
    process.exit(0);
  });
}

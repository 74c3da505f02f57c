/** Other processes of ours, by their number. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 20;

/** Tells whether a process runs. A zombie does not; a process of another user does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/** Ended and not reaped, as in a container whose first process reaps nothing. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // "PID (COMMAND) STATE ...", and a command may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** Waits for the end of a process that is no child, by polling. False: it still runs after the limit. */
export async function waitForEnd(pid: number, limitMs: number): Promise<boolean> {
  for (let waited = 0; waited < limitMs; waited += POLL_MS) {
    if (!isAlive(pid)) return true;
    await wait(POLL_MS);
  }
  return !isAlive(pid);
}

/**
 * `kill -9` of a process and of those that it started, at whatever instant: it is stopped first, so that it starts no other
 * meanwhile.
 */
export function killTree(pid: number): void {
  send(pid, 'SIGSTOP');
  for (const child of childrenOf(pid)) send(child, 'SIGKILL');
  send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Empty where the system does not tell. */
function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Loaded into a process that must not outlive what started it; it is then asked to end (SIGTERM).
 *
 * Two ways to learn of it. A channel from build/entry.mjs closes when that process is gone. Under
 * `npm start` there is npm and a shell above, and the shell dies without a word when npm is stopped: so
 * the two processes above are looked at twice a second, and the one that ENDS_WITH names. None keeps the process alive.
 */
import { readFileSync } from 'node:fs';

const POLL_MS = 500;

process.once('disconnect', end);
process.channel?.unref();
if (process.env['npm_lifecycle_event'] !== undefined) watchAncestors();

function watchAncestors() {
  const before = ancestors();
  const poll = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(poll);
    end();
  }, POLL_MS);
  poll.unref();
}

/** The parent and, if the system reports it, its parent. */
function ancestors() {
  const parent = process.ppid;
  try {
    const afterName = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ').at(-1);
    return `${parent} ${afterName.split(' ')[1]} ${isThere(process.env['ENDS_WITH'])}`;
  } catch {
    return `${parent}`;
  }
}

/** Whether the process lives; undefined counts as alive. */
function isThere(pid) {
  if (pid === undefined) return true;
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

function end() {
  process.kill(process.pid, 'SIGTERM');
}

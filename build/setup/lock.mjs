/**
 * A lock file that names its holder: one set-up at a time. A lock whose holder is gone is taken over.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 200;
/** A first native build takes minutes on a slow machine. */
const LIMIT_MS = 20 * 60_000;

/** Resolves to the function that gives the lock back. */
export async function holdLock(path, { limitMs = LIMIT_MS, pollMs = POLL_MS } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  let isAnnounced = false;
  for (let waited = 0; !take(path); waited += pollMs) {
    const holder = holderOf(path);
    if (holder !== null && !isAlive(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (waited >= limitMs) {
      throw new Error(`another set-up (process ${holder}) does not end. End it, or remove ${path}`);
    }
    if (!isAnnounced && waited > 0)
      process.stderr.write(`Waiting for another set-up (${holder}) ...\n`);
    isAnnounced ||= waited > 0;
    await wait(pollMs);
  }
  return () => rmSync(path, { force: true });
}

function take(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new Error(`can't write ${path} (${error.code}). Is the clone yours to write to?`, {
      cause: error,
    });
  }
}

/** Null while the holder is still writing its name. */
function holderOf(path) {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return Number.isInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * A limit of time for what hangs, not for what is slow: time counts as far as the machine is the tests' own. With a load of thirty on two cores
 * they get a tenth of it, and a minute counts as six seconds.
 */
import { availableParallelism, loadavg } from 'node:os';

const LOOK_MS = 5_000;

/** How much of `ms` counts at this load; Jest has one worker more than there are cores. */
export function counted(ms, load, cores) {
  const own = cores + 1;
  return ms * (own / Math.max(own, load));
}

/** Calls `over` once when so many milliseconds have counted. Gives how to stop it. */
export function limitTime(most, over) {
  let used = 0;
  let before = performance.now();
  const look = setInterval(
    () => {
      const now = performance.now();
      used += counted(now - before, loadavg()[0] ?? 0, availableParallelism());
      before = now;
      if (used < most) return;
      clearInterval(look);
      over();
    },
    Math.min(LOOK_MS, most),
  );
  return () => clearInterval(look);
}

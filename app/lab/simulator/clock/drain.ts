/**
 * Waits until no microtask is left: until every promise of the simulated programs has run as far as it can without
 * another virtual event.
 *
 * Why this is deterministic: simulated programs have promises only, no real I/O and no real timer. Promise jobs
 * run in the order in which they were queued, and the engine runs all of them, those queued on the way included, before
 * it starts a tick that one of them asked for, or any callback of the event loop. So when what is asked for below runs the
 * queue is empty, however many turns it took; and nothing else touches the world, so it does not matter when it runs.
 *
 * Of ticks that were asked for before it the engine runs one right after the other, with no promise job between. So where several wait, as tests do
 * that let a world go on for two calls at the same time, one tick lets one of them go on, and the next one is asked for by a promise job.
 *
 * A tick costs a tenth of a turn of the event loop. Now and then it is a turn all the same: the process has signals, messages
 * and timers of its own to hear.
 */
const TICKS_FOR_A_TURN = 512;

let ticks = 0;

/** Resolves when no promise of the simulated programs can run any further. */
export function drained(): Promise<void> {
  // Asked for by a promise job: one asked for by another tick would come before the jobs.
  return Promise.resolve().then(drainedAfterJobs);
}

function drainedAfterJobs(): Promise<void> {
  return new Promise(ask);
}

const NOW = Promise.resolve();

/** As `drained`, for who waits once for each event: no promise is made to be waited for. */
export function whenDrained(goOn: () => void): () => void {
  const afterJobs = (): void => ask(goOn);
  return () => void NOW.then(afterJobs);
}

const waiting: Array<() => void> = [];

function ask(resolve: () => void): void {
  waiting.push(resolve);
  if (waiting.length === 1) planTurn();
}

function planTurn(): void {
  ticks += 1;
  if (ticks % TICKS_FOR_A_TURN === 0) setImmediate(letOneGoOn);
  else process.nextTick(letOneGoOn);
}

function letOneGoOn(): void {
  const goOn = waiting.shift();
  if (waiting.length > 0) void NOW.then(planTurn);
  goOn?.();
}

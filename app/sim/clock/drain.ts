/**
 * Waits until no microtask is left: until every promise of the simulated programs has run as far as it can without
 * another virtual event.
 *
 * Why this is deterministic: simulated programs have promises only, no real I/O and no real timer. Promise jobs
 * run in the order in which they were queued, and the engine runs all of them, those queued on the way included, before
 * it starts any callback of the event loop. So when the callback below runs the queue is empty, however many turns it
 * took; and nothing else in the event loop touches the world, so it does not matter when it runs.
 */
export function drained(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

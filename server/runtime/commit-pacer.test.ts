import { expect, it } from '@jest/globals';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { COMMIT_SPACING, MOST_COMMIT_REST } from '../limits.ts';
import { CommitPacer } from './commit-pacer.ts';

/** A disk on which each commit takes so long, in milliseconds, and a clock that stands still otherwise. */
function world(took: number): { pacer: CommitPacer; begun: number[]; wake: () => boolean } {
  let now = 1000;
  const begun: number[] = [];
  const waiting: Array<{ at: number; run: () => void }> = [];
  const metaStore = {
    commit: () => {
      begun.push(now);
      now += took;
      return Promise.resolve();
    },
  } as unknown as MetaStore;
  const clock = { now: () => now, wall: () => 0 } as never;
  const timers = {
    start: (delay: number, run: () => void) => {
      const timer = { at: now + delay, run };
      waiting.push(timer);
      return { cancel: () => waiting.splice(waiting.indexOf(timer), 1) };
    },
  } as never;
  const wake = (): boolean => {
    const next = waiting.shift();
    if (next === undefined) return false;
    now = Math.max(now, next.at);
    next.run();
    return true;
  };
  return { pacer: new CommitPacer({ clock, timers, metaStore }), begun, wake };
}

it.each([
  ['spaces quick commits', 0, COMMIT_SPACING],
  ['rests as long as a commit took', 4, 8],
  ['rests no longer than that', 500, 500 + MOST_COMMIT_REST],
])('%s; the first one goes at once', async (_, took, apart) => {
  const { pacer, begun, wake } = world(took);
  await pacer.commit([]);
  expect(wake()).toBe(false);
  const second = pacer.commit([]);
  expect(begun).toEqual([1000]);
  expect(wake()).toBe(true);
  await second;
  expect(begun).toEqual([1000, 1000 + apart]);
});

it('begins no commit any more that waits when it is stopped', async () => {
  const { pacer, begun, wake } = world(5);
  await pacer.commit([]);
  void pacer.commit([]);
  pacer.stop();
  expect(wake()).toBe(false);
  expect(begun).toHaveLength(1);
});

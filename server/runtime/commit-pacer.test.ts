import { expect, it } from '@jest/globals';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import {
  COMMIT_SPACING,
  GROUP_TIME,
  LEAST_GROUP_WRITES,
  MAX_GROUP_WRITES,
  MOST_COMMIT_REST,
} from '../limits.ts';
import { CommitPacer } from './commit-pacer.ts';

/** A disk on which each commit takes so long, in milliseconds, and a clock that stands still otherwise. */
function world(
  took: number,
  rowTime = 0,
): { pacer: CommitPacer; begun: number[]; wake: () => boolean } {
  let now = 1000;
  const begun: number[] = [];
  const waiting: Array<{ at: number; run: () => void }> = [];
  const metaStore = {
    commit: (writes: readonly unknown[]) => {
      begun.push(now);
      now += rowTime * writes.length;
      return Promise.resolve().then(() => void (now += took));
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
])('the pacer %s, and the first commit starts at once', async (_, took, apart) => {
  const { pacer, begun, wake } = world(took);
  await pacer.commit([]);
  expect(wake()).toBe(false);
  const second = pacer.commit([]);
  expect(begun).toEqual([1000]);
  expect(wake()).toBe(true);
  await second;
  expect(begun).toEqual([1000, 1000 + apart]);
});

it('the pacer starts no waiting commit after it is stopped', async () => {
  const { pacer, begun, wake } = world(5);
  await pacer.commit([]);
  void pacer.commit([]);
  pacer.stop();
  expect(wake()).toBe(false);
  expect(begun).toHaveLength(1);
});

it.each([
  ['a fast disk', 0.0001, MAX_GROUP_WRITES],
  ['one that takes 20 us for a row', 0.02, GROUP_TIME / 0.02],
  ['a slow one', 1, LEAST_GROUP_WRITES],
])('the size of a group follows the time of its rows: %s', async (_, rowTime, most) => {
  const { pacer, wake } = world(0, rowTime);
  for (let n = 0; n < 60; n++) {
    const committed = pacer.commit(Array(LEAST_GROUP_WRITES).fill(null));
    wake();
    await committed;
  }
  expect(Math.abs(pacer.most - most)).toBeLessThanOrEqual(most / 50);
});

it('the pause after a full group is as long as its rows took, not its sync', async () => {
  const { pacer, begun, wake } = world(4, 0.01);
  await pacer.commit(Array(300).fill(null));
  const second = pacer.commit([]);
  expect(wake()).toBe(true);
  await second;
  expect(begun).toEqual([1000, 1000 + 3 + 4 + 3]);
});

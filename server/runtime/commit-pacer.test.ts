import { describe, expect, it } from '@jest/globals';
import type { DeviceId } from '../../shared/model/change.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { MetaStore, WritingTurns } from '../../shared/ports/meta-store.ts';
import {
  COMMIT_SPACING,
  GROUP_TIME,
  HEAVY_PAUSE,
  HEAVY_ROWS,
  LEAST_GROUP_WRITES,
  MAX_GROUP_WRITES,
  MOST_COMMIT_REST,
  PART_TIME,
  SHARED_GROUP_TIME,
} from '../limits.ts';
import { CommitPacer } from './commit-pacer.ts';

/** A disk on which each commit takes so long, in milliseconds, and a clock that stands still otherwise. */
function world(
  took: number,
  rowTime = 0,
  goOn?: (then: () => void) => void,
): {
  pacer: CommitPacer;
  begun: number[];
  wake: () => boolean;
  pass: (ms: number) => void;
  clock: { now: () => number };
} {
  let now = 1000;
  const begun: number[] = [];
  const waiting: Array<{ at: number; run: () => void }> = [];
  const metaStore = {
    commit: (writes: readonly unknown[], given?: WritingTurns) => {
      begun.push(now);
      const written = Promise.withResolvers<void>();
      if (given === undefined) {
        now += rowTime * writes.length;
        return Promise.resolve().then(() => void (now += took));
      }
      let left = writes.length;
      const writeOn = (): void => {
        for (; left > 0; left--) {
          now += rowTime;
          if (given.isOver() && left-- > 1) return given.goOn(writeOn);
        }
        written.resolve();
      };
      writeOn();
      return written.promise.then(() => void (now += took));
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
  const pass = (ms: number): void => void (now += ms);
  return {
    pacer: new CommitPacer({ clock, timers, metaStore, ...(goOn === undefined ? {} : { goOn }) }),
    begun,
    wake,
    pass,
    clock: { now: () => now },
  };
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
    const committed = pacer.commit(Array(LEAST_GROUP_WRITES).fill({}));
    wake();
    await committed;
  }
  expect(Math.abs(pacer.most - most)).toBeLessThanOrEqual(most / 50);
});

it('the pause after a full group is as long as its rows took, not its sync', async () => {
  const { pacer, begun, wake } = world(4, 0.01);
  await pacer.commit(Array(300).fill({}));
  const second = pacer.commit([]);
  expect(wake()).toBe(true);
  await second;
  expect(begun).toEqual([1000, 1000 + 3 + 4 + 3]);
});

it('writes rows of several devices in a turn of their own, and none after a stop', () => {
  const turns: Array<() => void> = [];
  const { pacer, begun } = world(4, 0, (then) => void turns.push(then));
  for (const device of [1, 2] as DeviceId[]) pacer.comes(device, 10);
  void pacer.commit([]);
  expect(begun).toEqual([]);
  turns.shift()?.();
  expect(begun).toEqual([1000]);
  void pacer.commit([], true);
  pacer.stop();
  turns.shift()?.();
  expect(begun).toEqual([1000]);
});

it('rows of several devices are written in short turns, of which each waits for the one before', async () => {
  const waiting: Array<() => void> = [];
  const row = 1 / 16;
  const { pacer, clock, pass } = world(4, row, (then) => void waiting.push(then));
  for (const device of [1, 2] as DeviceId[]) pacer.comes(device, 10);
  const committed = pacer.commit(Array(40).fill({}));
  const lengths: number[] = [];
  expect(pacer.writing).toBeNull();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const begun = clock.now();
    next();
    lengths.push(clock.now() - begun);
    expect(pacer.writing === null).toBe(waiting.length === 0);
    // What others do in between counts as nothing of it.
    pass(50);
  }
  await committed;
  expect(lengths).toHaveLength(10);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(PART_TIME + row);
  const learnt = 0.01 + 0.25 * (row - 0.01);
  expect(pacer.most).toBe(Math.max(Math.floor(SHARED_GROUP_TIME / learnt), LEAST_GROUP_WRITES));
});

it('rows of a device that is alone are written at one go', () => {
  const waiting: Array<() => void> = [];
  const { pacer, clock } = world(4, 0.05, (then) => void waiting.push(then));
  pacer.comes(1, 10);
  const begun = clock.now();
  void pacer.commit(Array(40).fill({}));
  expect(clock.now() - begun).toBeCloseTo(2);
  expect(waiting).toEqual([]);
});

describe('where one device fills groups', () => {
  const [BAD, GOOD] = [1, 2] as DeviceId[] as [DeviceId, DeviceId];

  it('another one waits for no rest, and it for its own', async () => {
    const { pacer, begun, wake } = world(4);
    pacer.comes(BAD, 1000);
    await pacer.commit([]);
    const second = pacer.commit([]);
    pacer.comes(BAD, 1000);
    expect(begun).toHaveLength(1);
    pacer.comes(GOOD, 4);
    expect(begun).toEqual([1000, 1004]);
    await second;
    const third = pacer.commit([], true);
    expect(begun).toEqual([1000, 1004, 1008]);
    await third;
    const fourth = pacer.commit([]);
    expect(begun).toHaveLength(3);
    wake();
    await fourth;
    expect(begun).toEqual([1000, 1004, 1008, 1016]);
  });

  it('a group of a flood is written after a pause, which ends when another one is about to add', async () => {
    const { pacer, begun, wake, pass } = world(0);
    const its = [{ kind: 'applied', device: BAD } as unknown as RowWrite];
    pacer.comes(GOOD, 4);
    pacer.comes(BAD, 4 * HEAVY_ROWS);
    const first = pacer.commit(its);
    expect(begun).toEqual([]);
    wake();
    await first;
    expect(begun).toEqual([1000 + HEAVY_PAUSE]);
    pass(100);
    const second = pacer.commit(its);
    expect(begun).toHaveLength(1);
    pacer.comes(GOOD, 4);
    await second;
    expect(begun).toHaveLength(2);
  });

  it('groups are shorter while it does so, and not after', async () => {
    const { pacer, wake, pass } = world(0, 0.01);
    for (let n = 0; n < 60; n++) {
      const committed = pacer.commit(Array(LEAST_GROUP_WRITES).fill({}));
      wake();
      await committed;
    }
    pacer.comes(BAD, 1000);
    expect(Math.round(pacer.most)).toBe(Math.round(GROUP_TIME / 0.01));
    pacer.comes(GOOD, 4);
    expect(pacer.most).toBeLessThanOrEqual(SHARED_GROUP_TIME / 0.01);
    pass(60_000);
    expect(Math.round(pacer.most)).toBe(Math.round(GROUP_TIME / 0.01));
  });

  it('a device that adds as much as others is not small', () => {
    const { pacer } = world(0);
    pacer.comes(BAD, 1000);
    expect([pacer.isSmall(BAD), pacer.isSmall(GOOD)]).toEqual([false, true]);
    pacer.comes(GOOD, 1000);
    expect([pacer.isSmall(BAD), pacer.isSmall(GOOD)]).toEqual([false, false]);
  });
});

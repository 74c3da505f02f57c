import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceId } from '../../shared/model/change.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import { after, instant, milliseconds, type Instant } from '../../shared/model/time.ts';
import {
  ADDED_LATELY,
  COMMIT_SPACING,
  HEAVY_PAUSE,
  HEAVY_REST,
  HEAVY_ROWS,
  MOST_HEAVY_REST,
} from '../limits.ts';
import { AddedLately } from './added-lately.ts';
import { GroupTurns } from './group-turns.ts';

const [MUCH, LITTLE] = [1, 2] as DeviceId[] as [DeviceId, DeviceId];
const TOOK = milliseconds(2);

const rowsOf = (device: DeviceId) => [{ kind: 'applied', device } as unknown as RowWrite];

let now: Instant;
let added: AddedLately;
let waiting: Array<{ at: number; run: () => void }>;
/** When a turn came. */
let came: number[];
/** What is answered to a turn: somebody waits still. */
let moreWait: boolean;
let turns: GroupTurns;

beforeEach(() => {
  now = instant(1000);
  [added, waiting, came, moreWait] = [new AddedLately(), [], [], false];
  const clock = { now: () => now, wall: () => 0 } as never;
  const start = (delay: number, run: () => void) => {
    const timer = { at: now + delay, run };
    waiting.push(timer);
    return { cancel: () => waiting.splice(waiting.indexOf(timer), 1) };
  };
  turns = new GroupTurns({ clock, timers: { start } }, added, () => {
    came.push(now);
    return moreWait;
  });
});

function group(device: DeviceId, took = TOOK): void {
  turns.begins();
  now = after(now, took);
  turns.ended(rowsOf(device), took);
}

function wake(): void {
  const next = waiting.shift();
  if (next === undefined) return;
  now = instant(Math.max(now, next.at));
  next.run();
}

describe('a device that adds much beside one that adds little', () => {
  beforeEach(() => {
    added.add(MUCH, 4 * HEAVY_ROWS, now);
    added.add(LITTLE, 4, now);
  });

  it('waits for the end of the group under way and for a rest after its own', () => {
    expect(turns.mayAdd(MUCH)).toBe(true);
    turns.begins();
    expect(turns.mayAdd(MUCH)).toBe(false);
    expect(waiting).toEqual([]);
    now = after(now, TOOK);
    turns.ended(rowsOf(MUCH), TOOK);
    expect(turns.mayAdd(MUCH)).toBe(false);
    wake();
    expect(came).toEqual([1000 + TOOK + HEAVY_REST * TOOK]);
    expect(turns.mayAdd(MUCH)).toBe(true);
  });

  it('waits for no rest after a group of others alone', () => {
    turns.begins();
    expect(turns.mayAdd(MUCH)).toBe(false);
    now = after(now, TOOK);
    turns.ended(rowsOf(LITTLE), TOOK);
    wake();
    expect(came).toEqual([1000 + TOOK]);
    expect(turns.mayAdd(MUCH)).toBe(true);
  });

  it('rests for a bounded time where the disk is slow', () => {
    group(MUCH, milliseconds(300));
    expect(turns.mayAdd(MUCH)).toBe(false);
    wake();
    expect(came).toEqual([1300 + MOST_HEAVY_REST]);
  });

  it('never lets the other one wait', () => {
    turns.begins();
    expect(turns.mayAdd(LITTLE)).toBe(true);
    turns.ended(rowsOf(MUCH), TOOK);
    expect(turns.mayAdd(LITTLE)).toBe(true);
  });

  it('has a turn again although the one before has added nothing', () => {
    group(MUCH);
    moreWait = true;
    expect(turns.mayAdd(MUCH)).toBe(false);
    wake();
    moreWait = false;
    wake();
    const first = 1000 + TOOK + HEAVY_REST * TOOK;
    expect(came).toEqual([first, first + COMMIT_SPACING]);
    expect(waiting).toEqual([]);
  });

  it('adds one load to a group and has another turn when that has staged nothing', () => {
    expect([turns.mayAdd(MUCH), turns.mayAdd(MUCH)]).toEqual([true, false]);
    expect(waiting.map(({ at }) => at - now)).toEqual([COMMIT_SPACING]);
    wake();
    expect([turns.mayAdd(MUCH), turns.mayAdd(MUCH)]).toEqual([true, false]);
    group(MUCH);
    wake();
    expect(turns.mayAdd(MUCH)).toBe(true);
  });

  it('has its group written after a pause, and the other one has none', () => {
    expect(turns.pauseBefore(rowsOf(MUCH))).toBe(HEAVY_PAUSE);
    expect(turns.pauseBefore(rowsOf(LITTLE))).toBe(0);
    expect(turns.pauseBefore([...rowsOf(LITTLE), ...rowsOf(MUCH)])).toBe(HEAVY_PAUSE);
  });

  it('has no turn while another group is under way, and has it when that has ended', () => {
    group(MUCH);
    expect(turns.mayAdd(MUCH)).toBe(false);
    turns.begins();
    expect(waiting).toEqual([]);
    now = after(now, milliseconds(100));
    turns.ended(rowsOf(LITTLE), milliseconds(100));
    wake();
    expect(came).toEqual([1000 + TOOK + 100]);
  });

  it('has no turn after a stop', () => {
    group(MUCH);
    expect(turns.mayAdd(MUCH)).toBe(false);
    turns.stop();
    expect(waiting).toEqual([]);
  });

  it('waits no more when the other one has added nothing for some time', () => {
    now = after(now, milliseconds(4 * ADDED_LATELY));
    added.add(MUCH, 4 * HEAVY_ROWS, now);
    group(MUCH);
    turns.begins();
    expect(turns.mayAdd(MUCH)).toBe(true);
  });
});

it.each([
  ['it is alone', [4 * HEAVY_ROWS, 0]],
  ['others add as much', [4 * HEAVY_ROWS, 4 * HEAVY_ROWS]],
  ['all add little', [HEAVY_ROWS / 2, 4]],
])('a device waits for no turn where %s', (_, [much = 0, little = 0]) => {
  added.add(MUCH, much, now);
  added.add(LITTLE, little, now);
  group(MUCH);
  turns.begins();
  expect([turns.mayAdd(MUCH), turns.mayAdd(LITTLE)]).toEqual([true, true]);
  expect(turns.pauseBefore(rowsOf(MUCH))).toBe(0);
});

import { beforeEach, expect, it } from '@jest/globals';
import { VirtualClock, VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../app/lab/simulator/clock/virtual-time.ts';
import { instant } from '../model/time.ts';
import { MOST_SAMPLES, Samples } from './samples.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let time: VirtualTime;
let timers: VirtualTimers;
let counters: Float64Array;
let samples: Samples;

beforeEach(() => {
  time = new VirtualTime(instant(5000));
  timers = new VirtualTimers(time, 'test');
  counters = new Float64Array(4);
  samples = new Samples(() => counters, { clock: new VirtualClock(time), timers });
});

/** Lets time pass; the second counter counts minutes, the third counts once at the beginning. */
function pass(ms: number): void {
  const end = time.now() + ms;
  for (let next = time.next(); next !== null && next <= end; next = time.next()) {
    counters[1] = Math.floor((next - 5000) / MINUTE);
    time.step();
  }
  time.skipTo(instant(end));
}

it('counters say what came since the start', () => {
  counters[2] = 7;
  pass(3 * MINUTE);
  const { since, until, isSinceStart, values } = samples.since(null);
  expect([until - since, isSinceStart, [...values]]).toEqual([3 * MINUTE, true, [0, 3, 7, 0]]);
});

it('the sum of the last minutes is the difference to a sample of then', () => {
  counters[2] = 7;
  pass(30 * MINUTE + 20_000);
  const { since, until, isSinceStart, values } = samples.since(10 * MINUTE);
  expect([until - since, isSinceStart]).toEqual([10 * MINUTE + 20_000, false]);
  expect([...values]).toEqual([0, 10, 0, 0]);
});

it('a time before the start gives all since the start', () => {
  pass(5 * MINUTE);
  const { isSinceStart, values } = samples.since(HOUR);
  expect([isSinceStart, values[1]]).toEqual([true, 5]);
});

it('each quarter of an hour of the last day is kept, and not more than a bound', () => {
  pass(72 * HOUR);
  expect(samples.count).toBeLessThanOrEqual(MOST_SAMPLES);
  for (const hours of [0.5, 2, 23.9, 24]) {
    const { since, until, isSinceStart, values } = samples.since(hours * HOUR);
    expect(isSinceStart).toBe(false);
    expect(until - since).toBeGreaterThanOrEqual(hours * HOUR);
    expect(until - since).toBeLessThan(hours * HOUR + 15 * MINUTE);
    expect(values[1]).toBe((until - since) / MINUTE);
  }
});

it('an answer can be changed and the next one stays as it was', () => {
  pass(2 * MINUTE);
  samples.since(MINUTE).values.fill(99);
  expect([...samples.since(MINUTE).values]).toEqual([0, 1, 0, 0]);
});

it('closed samples wake nobody any more', () => {
  samples.close();
  expect(timers.waiting).toBe(0);
});

import { beforeEach, expect, it } from '@jest/globals';
import { instant } from '../model/time.ts';
import { IdleMemory } from './idle-memory.ts';

let now = 0;
let collected: number[] = [];
let waiting: Array<{ at: number; run: () => void }> = [];
let memory: IdleMemory;

beforeEach(() => {
  now = 0;
  collected = [];
  waiting = [];
  memory = new IdleMemory({
    clock: { now: () => instant(now), wall: () => 0 as never },
    timers: {
      start: (delay, run) => {
        const timer = { at: now + delay, run };
        waiting.push(timer);
        return { cancel: () => void waiting.splice(waiting.indexOf(timer), 1) };
      },
    },
    collect: () => collected.push(now),
  });
});

function pass(until: number): void {
  for (;;) {
    const [next] = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    if (next === undefined) break;
    waiting.splice(waiting.indexOf(next), 1);
    now = next.at;
    next.run();
  }
  now = until;
}

it('the idle memory is collected once, a second after much work', () => {
  for (let at = 100; at <= 5000; at += 100) {
    pass(at);
    memory.worked(100);
  }
  expect(collected).toEqual([]);
  pass(60_000);
  expect(collected).toEqual([6000]);
  expect(waiting).toEqual([]);
});

it('the idle memory is not collected after little work, which adds up', () => {
  memory.worked(1500);
  pass(60_000);
  expect(collected).toEqual([]);
  memory.worked(500);
  pass(120_000);
  expect(collected).toEqual([61_000]);
});

it('the idle memory is collected after the start', () => {
  memory.worked();
  pass(60_000);
  expect(collected).toEqual([1000]);
});

it('the idle memory is not collected after the close', () => {
  memory.worked(5000);
  memory.close();
  memory.worked(5000);
  pass(60_000);
  expect([collected, waiting]).toEqual([[], []]);
});

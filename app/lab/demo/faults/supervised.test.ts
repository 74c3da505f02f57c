import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Ending } from '../../../cli/children.ts';
import { Supervised } from './supervised.ts';

/** How the starts after the first end, one after the other; the last runs on. */
let starts: Array<() => Promise<void>>;
let startedAt: number[];
let ends: PromiseWithResolvers<Ending>;
let over: AbortController;

const program = {
  get ended(): Promise<Ending> {
    return ends.promise;
  },
  up: async (): Promise<void> => {
    startedAt.push(performance.now());
    ends = Promise.withResolvers();
    await starts.shift()?.();
  },
  kill: async (): Promise<void> => {
    ends.resolve({ code: null, signal: 'SIGKILL' });
    await ends.promise;
  },
};

/** A start that finds no room, and says so late. */
async function noRoom(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ends.resolve({ code: 5, signal: null });
  throw new Error('no room');
}

beforeEach(() => {
  [starts, startedAt, ends, over] = [[], [], Promise.withResolvers(), new AbortController()];
});
afterEach(() => over.abort());

it('a start that failed is judged by what was since it began, however long it took', async () => {
  const asked: number[] = [];
  starts = [noRoom];
  const supervised = new Supervised('B', program, over.signal, (since) => {
    asked.push(since);
    return true;
  });
  await supervised.kill(0);
  await supervised.running();
  expect(startedAt).toHaveLength(2);
  for (const since of asked) expect(since).toBeLessThanOrEqual((startedAt[0] ?? 0) + 1);
  expect([asked.length, supervised.faults]).toEqual([2, []]);
});

it('a program runs again only when a start has come about', async () => {
  starts = [noRoom, noRoom, noRoom];
  const supervised = new Supervised('B', program, over.signal, () => true);
  await supervised.kill(0);
  await supervised.running();
  expect(startedAt).toHaveLength(4);
});

it('a start that could come about and failed is a fault', async () => {
  starts = [noRoom];
  const supervised = new Supervised('B', program, over.signal);
  await supervised.kill(0);
  await supervised.running();
  expect(supervised.faults).toEqual(
    expect.arrayContaining(['B does not start: no room', 'B ended by itself (code 5)']),
  );
});

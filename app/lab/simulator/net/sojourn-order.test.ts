import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SojournOrder } from './sojourn-order.ts';

interface Arrival {
  readonly at: number;
  readonly bytes: number;
}

/** When each of them is done, where a byte leaves in each unit of time. */
function inSojourn(arrivals: readonly Arrival[]): number[] {
  const order = new SojournOrder<number>();
  const left = arrivals.map(({ bytes }) => bytes);
  const done: number[] = [];
  for (let now = 0; left.some((bytes) => bytes > 0); now++) {
    for (const [item, { at, bytes }] of arrivals.entries()) if (at === now) order.add(item, bytes);
    const item = order.first();
    if (item === null) continue;
    left[item] = (left[item] ?? 0) - 1;
    order.served(item, 1);
    if (left[item] > 0) continue;
    order.done(item);
    done[item] = now + 1;
  }
  return done;
}

/** The same where all that are there share each byte. */
function everySlice(arrivals: readonly Arrival[]): number[] {
  const left = arrivals.map(({ bytes }) => bytes);
  const done: number[] = [];
  for (let now = 0; left.some((bytes) => bytes > 1e-9); now++) {
    const isHere = (item: number): boolean =>
      (arrivals[item]?.at ?? 0) <= now && (left[item] ?? 0) > 1e-9;
    for (let share = 1; share > 1e-9;) {
      const here = [...left.keys()].filter(isHere);
      if (here.length === 0) break;
      const most = Math.min(share / here.length, ...here.map((item) => left[item] ?? 0));
      for (const item of here) {
        left[item] = (left[item] ?? 0) - most;
        if (!isHere(item)) done[item] = now + 1;
      }
      share -= most * here.length;
    }
  }
  return done;
}

describe('the sojourn order', () => {
  it('finishes nobody later than equal sharing would', () => {
    const arrival = fc.record({ at: fc.nat(40), bytes: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 12 }), (arrivals) => {
        const turns = everySlice(arrivals);
        for (const [item, at] of inSojourn(arrivals).entries()) {
          expect(at).toBeLessThanOrEqual(turns[item] ?? 0);
        }
      }),
    );
  });

  it('lets short work overtake long work, and equal work keep its order', () => {
    const done = inSojourn([
      { at: 0, bytes: 100 },
      { at: 10, bytes: 5 },
      { at: 10, bytes: 5 },
    ]);
    expect(done).toEqual([110, 15, 20]);
  });

  it('does not delay long work for ever', () => {
    const shorts = Array.from({ length: 200 }, (_, index) => ({ at: 4 * index, bytes: 2 }));
    const [long] = inSojourn([{ at: 0, bytes: 20 }, ...shorts]);
    expect(long).toBeLessThan(60);
  });

  it('forgets work that is removed', () => {
    const order = new SojournOrder<string>();
    order.add('long', 100);
    order.add('withdrawn', 50);
    expect([order.first(), order.remove('withdrawn'), order.remove('withdrawn')]).toEqual([
      'withdrawn',
      true,
      false,
    ]);
    order.served('long', 60);
    // It has had sixty turns alone, so this one is over after a hundred and ten.
    order.add('later', 50);
    expect(order.first()).toBe('long');
    expect([...order]).toEqual(['long', 'later']);
    for (const item of ['long', 'later']) order.done(item);
    expect(order.first()).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const TURNS = { turn: 1, mostDebt: 64 };

/** Works for so long, in simulated time; what each piece costs is in it. Returns what was done. */
function work(queue: FairQueue<number>, until: number): Array<{ whose: number; cost: number }> {
  const done: Array<{ whose: number; cost: number }> = [];
  for (let now = 0; now < until;) {
    const next = queue.take();
    if (next === null) break;
    queue.charge(next.whose, next.item);
    now += next.item;
    done.push({ whose: next.whose, cost: next.item });
  }
  return done;
}

function fill(queue: FairQueue<number>, whose: number, cost: number, count: number): void {
  for (let n = 0; n < count; n++) queue.push(whose, cost);
}

const timeOf = (done: ReturnType<typeof work>, whose: number): number =>
  done.filter((each) => each.whose === whose).reduce((sum, { cost }) => sum + cost, 0);

describe('the fair queue', () => {
  it('serves a device with little work before the next piece of a busy one', () => {
    const queue = new FairQueue<number>(TURNS);
    fill(queue, 1, 5, 1000);
    work(queue, 100);
    queue.push(2, 0.1);
    expect(queue.take()).toEqual({ whose: 2, item: 0.1 });
  });

  it('serves a device with little work first, however many are busy', () => {
    const queue = new FairQueue<number>(TURNS);
    for (let whose = 1; whose <= 50; whose++) fill(queue, whose, 5, 100);
    work(queue, 1000);
    queue.push(99, 0.1);
    expect(queue.take()).toEqual({ whose: 99, item: 0.1 });
  });

  it('treats a device that keeps asking as busy', () => {
    const queue = new FairQueue<number>(TURNS);
    fill(queue, 1, 5, 100);
    queue.push(2, 5);
    work(queue, 10);
    queue.push(2, 5);
    const done = work(queue, 500);
    expect(timeOf(done, 2)).toBe(5);
    expect(done[0]?.whose).toBe(1);
  });

  it('gives the same time to all busy devices, whatever a piece costs', () => {
    const cost = fc.double({ min: 0.05, max: 8, noNaN: true });
    fc.assert(
      fc.property(fc.array(cost, { minLength: 2, maxLength: 6 }), (costs) => {
        const queue = new FairQueue<number>(TURNS);
        const all = 200 * costs.length;
        costs.forEach((each, whose) => fill(queue, whose, each, Math.ceil(all / each)));
        const done = work(queue, all);
        for (const [whose, each] of costs.entries()) {
          expect(Math.abs(timeOf(done, whose) - 200)).toBeLessThan(2 * (Math.max(...costs) + 1));
          expect(done.filter((one) => one.whose === whose).length * each).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('serves a piece that was put back as the next of its owner', () => {
    const queue = new FairQueue<number>(TURNS);
    queue.push(1, 0.2);
    queue.push(1, 0.3);
    const first = queue.take();
    queue.putBack(1, first?.item ?? 0);
    expect([queue.take()?.item, queue.take()?.item, queue.take()]).toEqual([0.2, 0.3, null]);
  });

  it('forgets used time when nobody waits', () => {
    const queue = new FairQueue<number>(TURNS);
    queue.push(1, 50);
    work(queue, 100);
    fill(queue, 2, 1, 10);
    queue.push(1, 1);
    expect(
      work(queue, 100)
        .slice(0, 2)
        .map(({ whose }) => whose),
    ).toEqual([2, 1]);
    expect(queue.size).toBe(0);
  });
});

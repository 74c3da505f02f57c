/** What every Clock and Timers must do, whether the world is real or simulated. */
import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '../../shared/model/time.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';

export interface ClockHarness {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Lets time pass until the promise is settled. */
  until<T>(promise: Promise<T>): Promise<T>;
}

export function clockSuite(name: string, make: () => ClockHarness): void {
  /** Resolves when a timer of this delay rings. */
  const ring = (harness: ClockHarness, delay: number): Promise<void> =>
    harness.until(
      new Promise((resolve) => {
        harness.timers.start(milliseconds(delay), resolve);
      }),
    );

  describe(`Clock and Timers (${name})`, () => {
    it('never go backwards', async () => {
      const harness = make();
      let last = harness.clock.now();
      for (let i = 0; i < 20; i++) {
        await ring(harness, i % 2);
        expect(harness.clock.now()).toBeGreaterThanOrEqual(last);
        last = harness.clock.now();
      }
    });

    it.each([0, 1, 3, 12.5])('fire a timer at or after its time: %d ms', async (delay) => {
      const harness = make();
      const start = harness.clock.now();
      await ring(harness, delay);
      expect(harness.clock.now() - start).toBeGreaterThanOrEqual(delay);
    });

    it('fire no timer from inside start and none twice', async () => {
      const harness = make();
      let rings = 0;
      harness.timers.start(milliseconds(0), () => rings++);
      expect(rings).toBe(0);
      await ring(harness, 5);
      expect(rings).toBe(1);
    });

    it('do not fire a timer after cancel', async () => {
      const harness = make();
      const rung: string[] = [];
      const [soon, later] = ['soon', 'later'].map((label, i) =>
        harness.timers.start(milliseconds(i), () => rung.push(label)),
      );
      later?.cancel();
      await ring(harness, 5);
      expect(rung).toEqual(['soon']);
      soon?.cancel();
      later?.cancel();
    });

    it('allow a timer to cancel or start another one', async () => {
      const harness = make();
      const rung: string[] = [];
      const victim = harness.timers.start(milliseconds(8), () => rung.push('victim'));
      const child = new Promise<void>((resolve) => {
        harness.timers.start(milliseconds(1), () => {
          victim.cancel();
          harness.timers.start(milliseconds(1), () => {
            rung.push('child');
            resolve();
          });
        });
      });
      await harness.until(child);
      await ring(harness, 10);
      expect(rung).toEqual(['child']);
    });

    it('fire timers in the order of their times', async () => {
      const harness = make();
      const rung: number[] = [];
      for (const delay of [9, 1, 5]) {
        harness.timers.start(milliseconds(delay), () => rung.push(delay));
      }
      await ring(harness, 20);
      expect(rung).toEqual([1, 5, 9]);
    });

    it('know the wall time in milliseconds since 1970', () => {
      expect(make().clock.wall()).toBeGreaterThan(Date.UTC(2025));
    });
  });
}

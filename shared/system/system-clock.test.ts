import { expect, it } from '@jest/globals';
import { milliseconds } from '../model/time.ts';
import { SystemClock, SystemTimers } from './system-clock.ts';

it('the timers follow the clock of the host, not that of Node', async () => {
  // This host's time stands still for its first ten readings.
  let readings = 0;
  const clock = new SystemClock({ bootTimeMs: () => (readings++ < 10 ? 0 : 5) });
  const timers = new SystemTimers(clock);
  await new Promise<void>((resolve) => {
    timers.start(milliseconds(1), resolve);
  });
  expect(readings).toBeGreaterThan(10);
});

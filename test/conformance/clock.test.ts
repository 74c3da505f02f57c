import { VirtualClock, VirtualTimers } from '../../app/lab/simulator/clock/virtual-clock.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { SystemClock, SystemTimers } from '../../shared/system/system-clock.ts';
import { clockSuite } from './clock.suite.ts';

clockSuite('simulated', () => {
  const world = new World(1);
  return {
    clock: new VirtualClock(world.time),
    timers: new VirtualTimers(world.time, 'test'),
    until: (promise) => world.runFor(promise, 'a timer'),
  };
});

function real(clock: SystemClock) {
  return {
    clock,
    timers: new SystemTimers(clock),
    until: <T>(promise: Promise<T>): Promise<T> => promise,
  };
}

clockSuite('real', () => real(new SystemClock()));
clockSuite('real, on a host', () =>
  real(new SystemClock({ bootTimeMs: () => performance.now() + 1e6 })),
);

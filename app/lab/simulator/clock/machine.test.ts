import { describe, expect, it } from '@jest/globals';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { World } from '../world.ts';
import { Machine } from './machine.ts';
import { VirtualClock, VirtualTimers } from './virtual-clock.ts';

describe('a suspended machine', () => {
  it('runs nothing, and everything overdue in order when it wakes', async () => {
    const world = new World(1);
    const machine = new Machine(world.time);
    const timers = new VirtualTimers(machine, 'laptop');
    const seen: string[] = [];
    for (const delay of [30, 10, 20]) {
      timers.start(milliseconds(delay), () => seen.push(`${delay}@${world.time.now()}`));
    }
    timers.start(milliseconds(2_000), () => seen.push(`later@${world.time.now()}`));
    await world.pass(milliseconds(10));
    machine.sleep();
    await world.pass(milliseconds(990));
    expect(seen).toEqual(['10@10']);
    machine.wake();
    await world.pass(seconds(5));
    expect(seen).toEqual(['10@10', '20@1000', '30@1000', 'later@2000']);
  });

  it('has a clock that goes on', async () => {
    const world = new World(1);
    const machine = new Machine(world.time);
    const clock = new VirtualClock(machine);
    machine.sleep();
    await world.pass(seconds(3600));
    expect(clock.now()).toBe(3_600_000);
  });

  it('forgets cancelled timers and keeps others over a second sleep', async () => {
    const world = new World(1);
    const machine = new Machine(world.time);
    const seen: string[] = [];
    const cancelled = machine.in(1, 'cancelled', () => seen.push('cancelled'));
    machine.in(2, 'kept', () => seen.push('kept'));
    machine.sleep();
    await world.pass(milliseconds(10));
    cancelled.cancel();
    machine.wake();
    machine.sleep();
    await world.pass(milliseconds(10));
    expect(seen).toEqual([]);
    machine.wake();
    await world.pass(milliseconds(10));
    expect(seen).toEqual(['kept']);
  });
});

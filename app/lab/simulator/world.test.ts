import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '../../../shared/model/time.ts';
import { VirtualClock, VirtualTimers } from './clock/virtual-clock.ts';
import { World, WorldStuck } from './world.ts';

describe('the simulated world', () => {
  it('runs events in order of time and then of insertion', async () => {
    const world = new World(1);
    const seen: string[] = [];
    for (const [delay, label] of [
      [5, 'c'],
      [1, 'a'],
      [5, 'd'],
      [1, 'b'],
    ] as const) {
      world.time.in(delay, label, () => seen.push(`${label}@${world.time.now()}`));
    }
    await world.runUntilIdle();
    expect(seen).toEqual(['a@1', 'b@1', 'c@5', 'd@5']);
  });

  it('lets all promises settle between two events, however long their chain', async () => {
    const world = new World(1);
    const seen: string[] = [];
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 1000; i++) await Promise.resolve();
      seen.push('chain');
    };
    world.time.soon('first', () => void chain());
    world.time.soon('second', () => seen.push('second'));
    await world.runUntilIdle();
    expect(seen).toEqual(['chain', 'second']);
  });

  it('lets promises settle also when two users wait at the same time', async () => {
    const world = new World(1);
    const seen: string[] = [];
    const plan = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
      world.time.in(10, 'planned', () => seen.push(`planned@${world.time.now()}`));
    };
    world.time.in(10, 'first', () => void plan());
    const other = world.runUntil(() => seen.length > 0, 'what is planned');
    await world.pass(milliseconds(30));
    expect(seen).toEqual(['planned@20']);
    await other;
    expect(world.time.now()).toBe(30);
  });

  it('fails with an error when it does not come to rest', async () => {
    const world = new World(7);
    const again = (): void => void world.time.in(1, 'tick', again);
    again();
    await expect(world.runUntilIdle({ stepLimit: 50 })).rejects.toThrow(/seed 7.*at 50 ms/);
    await expect(
      world.runUntil(() => false, 'godot', { within: milliseconds(10) }),
    ).rejects.toThrow(/in vain: godot: not in the time given/);
    await expect(new World(1).runUntil(() => false, 'godot')).rejects.toThrow(WorldStuck);
  });

  it('reports a fault outside of any call', async () => {
    const world = new World(1);
    world.time.soon('break', () => world.fault(new Error('broken')));
    await expect(world.runUntilIdle()).rejects.toThrow('broken');
  });

  it('lets time pass without an event', async () => {
    const world = new World(1);
    const clock = new VirtualClock(world.time, { wallSkewMs: 3 });
    const wall = clock.wall();
    await world.pass(milliseconds(250));
    expect(clock.now()).toBe(250);
    expect(clock.wall() - wall).toBe(250);
    clock.jumpWall(-1000);
    expect(clock.wall() - wall).toBe(-750);
  });

  it('silences the timers of a process that has ended', async () => {
    const world = new World(1);
    const timers = new VirtualTimers(world.time, 'p');
    const seen: string[] = [];
    timers.start(milliseconds(1), () => seen.push('one'));
    timers.start(milliseconds(5), () => seen.push('two'));
    await world.pass(milliseconds(2));
    timers.stop();
    timers.start(milliseconds(1), () => seen.push('three'));
    await world.runUntilIdle();
    expect([seen, timers.waiting]).toEqual([['one'], 0]);
  });

  it('has one trace for one seed', async () => {
    const digest = async (seed: number): Promise<string> => {
      const world = new World(seed);
      for (let i = 0; i < 20; i++) world.time.in(world.random.below(100), `event ${i}`, () => {});
      await world.runUntilIdle();
      return world.trace.digest();
    };
    expect(await digest(1)).toBe(await digest(1));
    expect(await digest(1)).not.toBe(await digest(2));
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock, VirtualTimers } from '../../../app/lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../../../app/lab/simulator/clock/virtual-time.ts';
import { instant } from '../../../shared/model/time.ts';
import { FakeDaemon } from '../../../test/support/fake-daemon.ts';
import { MemoryEnd } from '../../../test/support/memory-end.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import type { TimedEnd } from './pause-ends.ts';
import { TimedPause } from './timed-pause.ts';

const MINUTE = 60_000;

let folder: string;
let store: MemoryEnd<TimedEnd>;
let time: VirtualTime;
let clock: VirtualClock;
let daemon: FakeDaemon;
let pause: TimedPause;
let timers: VirtualTimers;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-pause-'));
  store = new MemoryEnd();
  time = new VirtualTime(instant(1_000_000));
  clock = new VirtualClock(time);
  daemon = new FakeDaemon(join(folder, 'contents'));
  timers = new VirtualTimers(time, 'first');
  pause = begin('boot 1');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function begin(boot: string | null): TimedPause {
  return new TimedPause({ daemon, store, clock, timers, boot, log: SILENT });
}

/** The process ends, and another begins on the same folder. */
function again(boot: string | null = 'boot 1'): TimedPause {
  timers.stop();
  timers = new VirtualTimers(time, 'next');
  return begin(boot);
}

function pass(ms: number): void {
  const end = time.now() + ms;
  for (let next = time.next(); next !== null && next <= end; next = time.next()) time.step();
  time.skipTo(instant(end));
}

const isPaused = (): boolean => daemon.snapshot().paused;

describe('a timed pause', () => {
  it('ends by itself and reports its end', () => {
    pause.pause(30 * MINUTE);
    expect(pause.until).toBe(clock.wall() + 30 * MINUTE);
    pass(30 * MINUTE - 1);
    expect(isPaused()).toBe(true);
    pass(1);
    expect([isPaused(), pause.until]).toEqual([false, null]);
  });

  it('is ended early by `resume` and not revived later', () => {
    pause.pause(30 * MINUTE);
    pause.resume();
    expect([isPaused(), pause.until, timers.waiting]).toEqual([false, null, 0]);
    pause = again();
    expect(isPaused()).toBe(false);
  });

  it('is replaced by another pause, also by one without an end', () => {
    pause.pause(5 * MINUTE);
    pause.pause(60 * MINUTE);
    pass(59 * MINUTE);
    expect(isPaused()).toBe(true);
    pause.pause(null);
    expect(pause.until).toBe(null);
    pass(10_000 * MINUTE);
    pause = again('boot 2');
    pass(10_000 * MINUTE);
    expect([isPaused(), store.kept]).toEqual([true, null]);
  });

  it('continues over a restart and is over at a later start', () => {
    pause.pause(30 * MINUTE);
    pass(10 * MINUTE);
    pause = again();
    expect(pause.until).toBe(clock.wall() + 20 * MINUTE);
    pass(19 * MINUTE);
    expect(isPaused()).toBe(true);
    timers.stop();
    pass(2 * MINUTE);
    expect(isPaused()).toBe(true);
    pause = again();
    expect([isPaused(), pause.until]).toEqual([false, null]);
  });

  it.each([
    ['back', -1000 * 24 * 60 * MINUTE],
    ['forward', 1000 * 24 * 60 * MINUTE],
  ])('keeps its length when the wall clock jumps %s', (_, jump) => {
    pause.pause(30 * MINUTE);
    clock.jumpWall(jump);
    expect(pause.until).toBe(clock.wall() + 30 * MINUTE);
    pass(10 * MINUTE);
    pause = again();
    expect(isPaused()).toBe(true);
    pass(20 * MINUTE - 1);
    expect(isPaused()).toBe(true);
    pass(1);
    expect(isPaused()).toBe(false);
  });

  it('never exceeds its length after a boot with the wall clock set back', () => {
    pause.pause(30 * MINUTE);
    clock.jumpWall(-1000 * 24 * 60 * MINUTE);
    pause = again('boot 2');
    pass(30 * MINUTE);
    expect(isPaused()).toBe(false);
    // It was over: the wall clock that is behind its end does not bring it back.
    pause = again('boot 3');
    expect(isPaused()).toBe(false);
  });

  it('follows the wall clock over a boot of the machine', () => {
    pause.pause(30 * MINUTE);
    clock.jumpWall(31 * MINUTE);
    pause = again('boot 2');
    expect(isPaused()).toBe(false);
  });

  it('reports the same end all the time', () => {
    pause.pause(30 * MINUTE);
    const { until } = pause;
    clock.jumpWall(1);
    pass(MINUTE);
    expect(pause.until).toBe(until);
    clock.jumpWall(1);
    pause = again();
    expect(pause.until).toBe(until);
  });

  it('notifies listeners of each change and nobody else', () => {
    let heard = 0;
    const stop = pause.listen(() => (heard += 1));
    pause.pause(MINUTE);
    pause.pause(2 * MINUTE);
    expect([heard, pause.edition]).toEqual([2, 2]);
    stop();
    pause.resume();
    expect([heard, pause.edition]).toEqual([2, 3]);
  });
});

describe('a timed pause with crashes and faults', () => {
  it('is in force with its end when the daemon crashed before it paused', () => {
    daemon.pause = () => {
      throw new Error('crash');
    };
    expect(() => pause.pause(30 * MINUTE)).toThrow('crash');
    daemon = new FakeDaemon(join(folder, 'contents'));
    pause = again();
    expect([isPaused(), pause.until]).toEqual([true, clock.wall() + 30 * MINUTE]);
  });

  it('is over when the daemon crashed before the resume was durable', () => {
    pause.pause(30 * MINUTE);
    pause.resume();
    daemon.become({ paused: true });
    pause = again();
    expect(isPaused()).toBe(false);
  });

  it('is refused when nothing can be written, while a resume is not', () => {
    pause.pause(30 * MINUTE);
    store.refused = new Error('no room');
    expect(() => pause.pause(MINUTE)).toThrow('no room');
    expect(pause.until).toBe(clock.wall() + 30 * MINUTE);
    pause.resume();
    expect(isPaused()).toBe(false);
  });
});

import { describe, expect, it } from '@jest/globals';
import { VirtualTimers } from '../lab/simulator/clock/virtual-clock.ts';
import { VirtualTime } from '../lab/simulator/clock/virtual-time.ts';
import { instant } from '../../shared/model/time.ts';
import { CLOSED, IDLE, UNOPENED } from './first-run-limits.ts';
import { PageLife, type PageEnd } from './page-life.ts';

interface Watched {
  readonly life: PageLife;
  readonly timers: VirtualTimers;
  /** Why it has ended by then; null: it goes on. */
  readonly after: (ms: number) => Promise<PageEnd | null>;
}

function begun(): Watched {
  const time = new VirtualTime(instant(0));
  const timers = new VirtualTimers(time, 'set-up');
  const life = new PageLife(timers);
  let end: PageEnd | null = null;
  void life.ended.then((why) => (end = why));
  const after = async (ms: number): Promise<PageEnd | null> => {
    const until = time.now() + ms;
    for (let next = time.next(); next !== null && next <= until; next = time.next()) time.step();
    time.skipTo(instant(until));
    await Promise.resolve();
    return end;
  };
  return { life, timers, after };
}

describe('a set-up in a browser', () => {
  it('ends when nobody opens its page', async () => {
    const { after } = begun();
    expect(await after(UNOPENED - 1)).toBeNull();
    expect(await after(1)).toBe('unopened');
  });

  it('ends some time after its page has gone, unless that comes back', async () => {
    const { life, after } = begun();
    life.holds();
    expect(await after(UNOPENED)).toBeNull();
    life.released(true);
    expect(await after(CLOSED - 1)).toBeNull();
    life.isThere();
    life.holds();
    expect(await after(IDLE / 2)).toBeNull();
    life.released(true);
    expect(await after(CLOSED)).toBe('closed');
  });

  it('goes on while a second page is open', async () => {
    const { life, after } = begun();
    life.holds();
    life.holds();
    life.released(true);
    expect(await after(IDLE / 2)).toBeNull();
  });

  it('goes on between two requests that a page holds', async () => {
    const { life, after } = begun();
    life.holds();
    life.released(false);
    expect(await after(IDLE - 1)).toBeNull();
  });

  it('ends when the page stays open and nobody does anything', async () => {
    const { life, after } = begun();
    life.holds();
    await life.act(() => undefined);
    for (let i = 0; i < 9; i++) {
      life.released(false);
      life.holds();
      life.isThere();
      expect(await after(IDLE / 10)).toBeNull();
    }
    expect(await after(IDLE / 10)).toBe('idle');
  });

  it('does not end while something is done for a person, and closes after that', async () => {
    const { life, after } = begun();
    const { promise, resolve } = Promise.withResolvers<void>();
    life.holds();
    const act = life.act(() => promise);
    life.released(true);
    expect(await after(10 * IDLE)).toBeNull();
    let rested = false;
    void life.rest().then(() => (rested = true));
    expect([await after(0), rested]).toEqual([null, false]);
    resolve();
    await act;
    expect([await after(CLOSED - 1), rested]).toEqual([null, true]);
    expect(await after(1)).toBe('closed');
  });

  it('goes on after an act that has failed', async () => {
    const { life, after } = begun();
    life.holds();
    await expect(life.act(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await after(IDLE - 1)).toBeNull();
    expect(await after(1)).toBe('idle');
  });

  it('ends at once when its page has left for that of the daemon', async () => {
    const { life, after } = begun();
    life.holds();
    await life.act(() => life.leaves());
    expect(await after(0)).toBeNull();
    life.released(true);
    expect(await after(0)).toBe('left');
  });

  it('ends only once, and nothing keeps the process alive then', async () => {
    const { life, timers, after } = begun();
    life.holds();
    life.interrupt();
    expect(await after(0)).toBe('interrupted');
    life.released(true);
    await life.act(() => undefined);
    expect(timers.waiting).toBe(0);
    expect(await after(IDLE)).toBe('interrupted');
  });
});

import { describe, expect, it } from '@jest/globals';
import { RateEstimate } from './rate-estimate.ts';

const SECOND = 1000;

describe('the estimate of a rate', () => {
  it('is unknown before the link was busy for a while', () => {
    const rate = new RateEstimate(10 * SECOND, SECOND);
    expect(rate.at(0)).toBeNull();
    rate.tell(true, 0);
    rate.moved(500, 500);
    expect(rate.at(999)).toBeNull();
    expect(rate.at(1000)).toBeGreaterThan(0);
  });

  it('is that of a steady link, however long it is idle in between', () => {
    const rate = new RateEstimate(10 * SECOND, SECOND);
    let now = 0;
    for (let round = 0; round < 50; round++) {
      rate.tell(true, now);
      for (let part = 0; part < 10; part++) rate.moved(6400, (now += 100));
      rate.tell(false, now);
      now += 60 * SECOND;
    }
    expect(rate.at(now)).toBeGreaterThan(62_000);
    expect(rate.at(now)).toBeLessThan(66_000);
  });

  it('falls while nothing moves and follows changes of the link', () => {
    const rate = new RateEstimate(10 * SECOND, SECOND);
    rate.tell(true, 0);
    for (let now = 100; now <= 20_000; now += 100) rate.moved(100_000, now);
    const before = rate.at(20_000) ?? 0;
    const stalled = rate.at(50_000) ?? 0;
    expect(stalled).toBeLessThan(before / 2);
    for (let now = 20_100; now <= 120_000; now += 100) rate.moved(3200, now);
    const after = rate.at(120_000) ?? 0;
    expect(after).toBeGreaterThan(31_000);
    expect(after).toBeLessThan(40_000);
  });

  it('is forgotten with its link', () => {
    const rate = new RateEstimate(10 * SECOND, SECOND);
    rate.tell(true, 0);
    rate.moved(1000, 5000);
    rate.forget();
    expect(rate.at(60_000)).toBeNull();
  });
});

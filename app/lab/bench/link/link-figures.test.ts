import { describe, expect, it } from '@jest/globals';
import { delayFigure, delayLines, rateFigure, rateLines } from './link-figures.ts';
import { percentile } from './received.ts';

describe('a figure of the link bench', () => {
  it.each([
    [rateFigure('relay', 1000, 1010, 5, 5), true],
    [rateFigure('relay', 1000, 1010.1, 5, 5), false],
    [rateFigure('relay', 1000, 989.9, 5, 5), false],
    [rateFigure('relay', 1000, NaN, 5, 5), false],
    [rateFigure('tbf', 1000, 10, 5, 5), null],
    [delayFigure(20, 21.1, 30, 0.1), true],
    [delayFigure(20, 21.2, 30, 0.1), false],
    [delayFigure(20, 19, 30, 0.1), false],
  ])('is compared with the request: %j', (figure, met) => {
    expect(figure.met).toBe(met);
  });

  it('is printed beside the request', () => {
    const rates = rateLines([rateFigure('relay', 65_536, 65_600, 50, 100)]);
    expect(rates[1]).toMatch(/^relay +65536 +65600 +0\.10 % +100 ms +50 ms +met$/);
    const delays = delayLines([delayFigure(5, 7.5, 9, 0.5)]);
    expect(delays[1]).toMatch(/^ *5 ms +7 ms +2 ms +8\.5 ms +missed$/);
  });

  it('is the middle one of the measured values', () => {
    expect([percentile([1, 2, 3], 0.5), percentile([1], 0.99), percentile([], 0.5)]).toEqual([
      2, 1, 0,
    ]);
  });
});

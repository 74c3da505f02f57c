import { describe, expect, it } from '@jest/globals';
import {
  figureLines,
  filesFigure,
  idleFigure,
  largeFigure,
  memoryFigure,
  startFigure,
} from './figures.ts';

describe('a figure of the bench', () => {
  it.each([
    [filesFigure(10_000, 10), 1000, true],
    [filesFigure(10_000, 10.1), 990.1, false],
    [largeFigure(500e6, 2), 250, true],
    [largeFigure(500e6, 2.01), 248.76, false],
    [startFigure(7, 5), 5, true],
    [startFigure(7, 5.01), 5.01, false],
    [idleFigure(0.5, 7), 0.5, true],
    [idleFigure(0.51, 7), 0.51, false],
    [memoryFigure('memory', 10_000, 200e6), 200, true],
    [memoryFigure('memory', 10_000, 201e6), 201, false],
    [memoryFigure('memory', 10_001, 650e6), 650, true],
    [memoryFigure('memory', 100_001, 1e6), 1, null],
  ])('is compared with its target: %j', (figure, value, met) => {
    expect({ value: figure.value, met: figure.met }).toEqual({ value, met });
  });

  it('is printed beside its target', () => {
    const lines = figureLines([filesFigure(30, 0.01), memoryFigure('memory', 200_000, 5e6)]);
    expect(lines[1]).toMatch(/30 files, .* 3000 files\/s +at least 1000 files\/s +met$/);
    expect(lines[2]).toMatch(/5 MB +none set$/);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { DelayCell } from './delay-cells.ts';
import { cellFigure, cellLines, type Measured } from './delay-figures.ts';
import { NO_ANSWER_MS } from './urgent-messages.ts';

const CELL: DelayCell = {
  name: '',
  direction: 'up',
  rate: [{ atMs: 0, bytesPerSecond: 64_000 }],
  queueMs: 50,
  roundTripMs: 200,
  loss: 0,
};
const MEASURED: Measured = {
  idleMs: [201, 200, 210],
  answeredMs: [221, 231, 211],
  unanswered: 0,
  up: 0.98,
  down: 0.05,
};

describe('a figure of the bulk window', () => {
  it('is the delay above that of an idle link, in order', () => {
    expect(cellFigure(CELL, MEASURED)).toMatchObject({
      idleMs: 201,
      p50Ms: 20,
      p95Ms: 30,
      mostMs: 30,
      urgent: 3,
      up: 0.98,
      down: null,
      met: true,
    });
  });

  it.each<[string, DelayCell, Measured, boolean | null]>([
    ['a line that is not full', CELL, { ...MEASURED, up: 0.969 }, false],
    ['a delay over the most', CELL, { ...MEASURED, answeredMs: [262] }, false],
    ['no urgent message', CELL, { ...MEASURED, answeredMs: [] }, false],
    [
      'more where both ways are full',
      { ...CELL, direction: 'both' },
      { ...MEASURED, answeredMs: [262], down: 0.99 },
      true,
    ],
    ['one way of both that is not full', { ...CELL, direction: 'both' }, MEASURED, false],
    ['a line that changes', { ...CELL, name: 'falls' }, { ...MEASURED, up: 0.1 }, null],
  ])('is judged as missed for %s', (_what, cell, measured, met) => {
    expect(cellFigure(cell, measured).met).toBe(met);
  });

  it('counts unanswered messages as late', () => {
    const figure = cellFigure(CELL, { ...MEASURED, unanswered: 1 });
    expect(figure).toMatchObject({ urgent: 4, unanswered: 1, mostMs: NO_ANSWER_MS - 201 });
  });

  it('is printed as a row of a table', () => {
    const [title, row] = cellLines([cellFigure(CELL, MEASURED)]);
    expect(title).toMatch(/^KB\/s +queue +RTT +bulk +of the line +idle +50 in 100 +95 in 100/);
    expect(row).toMatch(/^ *64 +50 ms +200 ms +up +98\.0 % +201 ms +\+20 ms +\+30 ms +met$/);
  });
});

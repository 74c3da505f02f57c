import { describe, expect, it } from '@jest/globals';
import type { DelayCell } from '../delay/delay-cells.ts';
import { rivalFigure, rivalLines, type Phase, type RivalMeasured } from './rival-figures.ts';

const CELL: DelayCell = {
  name: '',
  direction: 'up',
  rate: [{ atMs: 0, bytesPerSecond: 64_000 }],
  queueMs: 50,
  roundTripMs: 0,
  loss: 0,
};
/** In ten seconds 640,000 bytes pass. */
const phase = (answeredMs: number[], all: number, tcp: number): Phase => {
  return { answeredMs, unanswered: 0, ms: 10_000, came: { up: { all, tcp }, down: { all, tcp } } };
};
const MEASURED: RivalMeasured = {
  idleMs: [11, 10, 12],
  besideTcp: phase([41, 61, 51], 640_000, 608_000),
  besideBoth: phase([71, 61, 81], 640_000, 544_000),
};

describe('a figure beside a rival', () => {
  it('shows the delay above an idle link and how the link is divided', () => {
    expect(rivalFigure(CELL, MEASURED)).toMatchObject({
      queueMs: 50,
      queueBytes: 3200,
      idleMs: 11,
      besideTcp: { p50Ms: 40, p95Ms: 50, urgent: 3, up: { tcp: 0.95, bulk: null }, down: null },
      // 5 of 100 were messages when there was no bulk.
      besideBoth: { p50Ms: 60, p95Ms: 70, up: { tcp: 0.85, bulk: 0.1 }, down: null },
    });
  });

  it('counts a negative share of bulk as none', () => {
    const besideBoth = phase([50], 640_000, 630_000);
    const { up } = rivalFigure(CELL, { ...MEASURED, besideBoth }).besideBoth;
    expect(up).toEqual({ tcp: 0.984, bulk: 0 });
  });

  it('covers both directions when bulk goes both ways', () => {
    const { besideBoth } = rivalFigure({ ...CELL, direction: 'both' }, MEASURED);
    expect(besideBoth).toMatchObject({ up: { bulk: 0.1 }, down: { bulk: 0.1 } });
  });

  it('is printed as two rows of a table', () => {
    const [title, tcp, both] = rivalLines([rivalFigure(CELL, MEASURED)]);
    expect(title).toMatch(/^KB\/s +queue +way +idle +beside +50 in 100 +95 in 100 +TCP +bulk$/);
    expect(tcp).toMatch(/^ *64 +50 ms +up +11 ms +TCP +\+40 ms +\+50 ms +95\.0 %$/);
    expect(both).toMatch(/ up +11 ms +bulk and TCP +\+60 ms +\+70 ms +85\.0 % +10\.0 %$/);
  });
});

/** What is said of experiments that are no replays. */
import { describe, expect, it } from '@jest/globals';
import { isMet } from '../../replay/bench/paper-experiment.ts';
import type { CellFigure } from '../delay/delay-figures.ts';
import { figure, isolatedFigure } from '../figures.ts';
import type { Outcome } from '../real/experiment.ts';
import { outcomeReport } from '../real/report.ts';
import { latencyReport } from './latency-under-load.ts';

const figureOf = (p95Ms: number, direction: 'up' | 'both'): CellFigure => ({
  ...{ name: '', direction, rate: [{ atMs: 0, bytesPerSecond: 65_536 }], queueMs: 50 },
  ...{ roundTripMs: 0, loss: 0, idleMs: 2, p50Ms: 20, p95Ms, mostMs: 99 },
  ...{ urgent: 70, unanswered: 0, up: 0.98, down: direction === 'both' ? 0.96 : null, met: true },
});

describe('the report of latency under load', () => {
  it('judges by the mean of its runs, with a bound of its own for both directions', () => {
    const figures = [figureOf(50, 'up'), figureOf(74, 'up'), figureOf(100, 'both')];
    const { checks } = latencyReport([...figures, figureOf(118, 'both')], 2);
    expect(checks.map(({ value, bound }) => [value, bound])).toEqual([
      [62, 60],
      [109, 110],
    ]);
    expect(checks.map(isMet)).toEqual([false, true]);
  });

  it('shows how full the link was in each loaded direction', () => {
    const { sections } = latencyReport([figureOf(50, 'up'), figureOf(50, 'both')], 1);
    const rows = sections[0]?.table ?? [];
    expect(rows.map((row) => row.at(-1))).toEqual(['of the line', '98.0 %', '98.0 %, 96.0 %']);
    expect(rows[1]?.slice(0, 3)).toEqual(['64', '50 ms', 'up']);
  });
});

it('a real run is judged by its figures that have a target', () => {
  const outcome: Outcome = {
    name: 'roam',
    title: 'another address',
    line: { bytesPerSecond: 1, queueMs: 1, roundTripMs: 0 },
    configuration: { scheduling: 'priorities' },
    shaper: 'relay',
    figures: [
      figure('up', 'it goes on', 1.5, 's', 1, 'most'),
      isolatedFigure('all', 'took', 9, 's'),
    ],
    load: [1, 2],
  };
  const { sections, checks } = outcomeReport([outcome]);
  expect(checks.map((check) => [check.what, isMet(check)])).toEqual([
    ['roam, another address: it goes on', false],
  ]);
  expect(sections.map(({ heading, table = [] }) => [heading, table.length])).toEqual([
    ['roam, another address', 3],
  ]);
});

import { describe, expect, it } from '@jest/globals';
import { PARTS, cellsOf, runCoop } from '../../caches/coop/study.ts';
import { coopReport } from './coop-report.ts';

const ACCESSES = 7000;
const done = (parts: readonly (typeof PARTS)[number][]) =>
  cellsOf(parts, 1, ACCESSES).map((cell) => ({ cell, result: runCoop(cell) }));

describe('the study of cooperative caching', () => {
  it('gives the same figures again for the same seed', () => {
    expect(done(['chances'])).toEqual(done(['chances']));
  });

  it('says a speed-up for each algorithm, and has each figure of the paper', () => {
    const { raw, sections, checks } = coopReport(done(PARTS));
    const names = [
      'base',
      'direct',
      'greedy',
      'central',
      'hash',
      'weighted-lru',
      'n-chance',
      'best',
    ];
    expect(raw).toMatchObject({
      speedups: Object.fromEntries(names.map((name) => [name, expect.any(Number)])),
    });
    const headings = sections.map(({ heading }) => heading).join('\n');
    expect(headings).toContain('known answer');
    for (let figure = 4; figure <= 14; figure++) expect(headings).toContain(`Figure ${figure}:`);
    expect(checks.length).toBeGreaterThan(0);
  });

  it('has the parts that were asked for alone', () => {
    const { sections } = coopReport(done(['share']));
    expect(sections.map(({ heading }) => heading)).toEqual([
      'Figure 9: central coordination by its share',
    ]);
  });

  it('with no share for all and with no chance, nothing is faster than the base case', () => {
    const { raw } = coopReport(done(['share', 'remote']));
    const { curves } = raw as {
      curves: Record<string, ReadonlyArray<{ x: number; speedups: Record<string, number> }>>;
    };
    expect(curves.share?.[0]?.speedups.central).toBe(1);
    expect(curves.remote?.[0]?.speedups.direct).toBe(1);
  });
});

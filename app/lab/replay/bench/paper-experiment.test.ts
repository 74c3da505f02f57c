import { describe, expect, it } from '@jest/globals';
import { PRIORITY_CLASSES } from '../../../../shared/model/priority-class.ts';
import { noSums } from '../../../../shared/metrics/call-meter.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import { keyOf, type Cell } from './cell.ts';
import { EXPERIMENTS } from './experiments.ts';
import { FIG8 } from './fig8.ts';
import { TABLE2 } from './table2.ts';
import { atLeast, atMost, deviationOf, isMet, meanOf, shown } from './paper-experiment.ts';

const OPTIONS = { bandwidths: null, traces: [] };
const PROGRAMS = [
  ...['grep', 'read', 'write', 'compile', 'writer', 'reader'],
  ...['order', 'bad-groups', 'pause', 'foreground'],
];
/** They have bandwidths of their own, that change. */
const CHANGING = ['fig2', 'fig7'];

function resultIn(seconds: number): ReplayResult {
  const classes = Object.fromEntries(PRIORITY_CLASSES.map((name) => [name, noSums()]));
  return {
    ...{ traced: 1, lastRead: seconds, lastWrite: seconds, ended: seconds, drained: seconds },
    ...{
      steps: 1,
      away: 0,
      unlike: 0,
      firstUnlike: [],
      skipped: 0,
      lost: 0,
      readBytes: 0,
      writtenBytes: 0,
    },
    ...{ cacheHits: 0, cacheMisses: 0, meanFetchMs: 0, longestFetchMs: 0, staleReads: 0 },
    ...{ disorderedReads: 0, pulled: [{ bytes: 1, ms: seconds * 1000 }] },
    processes: PROGRAMS.map((program) => {
      return {
        name: program,
        program,
        laptop: 'l',
        steps: 1,
        began: 0,
        ended: seconds,
        waited: 0,
        fetches: 1,
        meanFetchMs: seconds,
      };
    }),
    operations: [],
    classes: classes as ReplayResult['classes'],
    periods: [],
    machine: null,
    byLaptop: [
      {
        name: 'l',
        crossed: { up: 1, down: 1, packets: null },
        classes: classes as ReplayResult['classes'],
      },
    ],
  };
}

describe('the statistics of an experiment', () => {
  it('are computed from the sample', () => {
    expect(meanOf([1, 2, 6])).toBe(3);
    expect(deviationOf([1, 2, 6])).toBeCloseTo(Math.sqrt(7));
    expect([meanOf([]), deviationOf([4])]).toEqual([0, 0]);
    expect([shown([1]), shown([1, 3])]).toEqual(['1.0', '2.0 (1.4)']);
  });

  it('are judged by a bound, which itself counts as met', () => {
    expect([atMost('', 2, 2), atMost('', 2.1, 2)].map(isMet)).toEqual([true, false]);
    expect([atLeast('', 2, 2), atLeast('', 1.9, 2)].map(isMet)).toEqual([true, false]);
  });
});

describe.each(EXPERIMENTS.map((experiment) => [experiment.name, experiment] as const))(
  'the experiment %s',
  (_, experiment) => {
    const cells = experiment.cells(OPTIONS);

    it('requests exactly the cells that it runs', () => {
      const known = new Set(cells.map(keyOf));
      const asked = new Set<string>();
      const results = (cell: Cell): readonly ReplayResult[] => {
        asked.add(keyOf(cell));
        return [resultIn(10)];
      };
      const { sections, checks } = experiment.report(OPTIONS, results);
      expect([...asked].filter((key) => !known.has(key))).toEqual([]);
      expect([...known].filter((key) => !asked.has(key))).toEqual([]);
      expect([sections.length > 0, checks.length > 0]).toEqual([true, true]);
      expect(checks.filter(({ value, bound }) => !Number.isFinite(value + bound))).toEqual([]);
    });

    it('misses its targets when one of two compared runs takes a hundred times as long', () => {
      const missed = [0, 1].map((first) => {
        let asked = first;
        const results = (): readonly ReplayResult[] => [
          resultIn((asked += 1) % 2 === 0 ? 36 : 3600),
        ];
        const { checks } = experiment.report(OPTIONS, results);
        return checks.some((check) => !isMet(check));
      });
      expect(missed).toContain(true);
    });

    it('uses the given bandwidths when it has none of its own', () => {
      const ratesWith = (bandwidths: readonly number[] | null): Set<number> => {
        const given = experiment.cells({ ...OPTIONS, bandwidths });
        return new Set(given.flatMap(({ rate }) => rate.map((step) => step.bytesPerSecond)));
      };
      const isOwn = CHANGING.includes(experiment.name);
      expect(ratesWith([100])).toEqual(isOwn ? ratesWith(null) : new Set([100 * 1024]));
    });
  },
);

it("table 2 has the paper's figures beside ours", () => {
  const { sections } = TABLE2.report(OPTIONS, () => [resultIn(10)]);
  const [head, first] = sections[0]?.table ?? [];
  expect(head?.slice(0, 4)).toEqual(['test', 'activity', 'sync uniform', 'sync priorities']);
  expect(first?.slice(0, 4)).toEqual(['GC', 'grep', '10.0 / 2.9', '10.0 / 3.4']);
});

it.each([
  [126, true],
  [144, false],
])('figure 8 judges %d s of drain against 148 without the 120 of the trace', (ours, met) => {
  const results = ({ policy }: Cell): readonly ReplayResult[] => {
    return [{ ...resultIn(policy === 'sync' ? 148 : ours), traced: 120 }];
  };
  const { checks } = FIG8.report({ ...OPTIONS, bandwidths: [1024] }, results);
  expect(checks.filter(({ what }) => what.includes('committed')).map(isMet)).toEqual([met]);
});

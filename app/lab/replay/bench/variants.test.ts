import { describe, expect, it } from '@jest/globals';
import { keyOf, settingsOf, type Cell } from './cell.ts';
import { EXPERIMENTS } from './experiments.ts';
import { FIG4 } from './fig4.ts';
import { TABLE2 } from './table2.ts';
import { variantsOf, variantText, varying } from './variants.ts';

const OPTIONS = { bandwidths: null, traces: [] };
const FAR_FIFO = { roundTripMs: 100, baseline: { uniform: 'fifo' } } as const;

describe('the variants of an experiment', () => {
  it('are the one of the paper without flags', () => {
    const [only, ...more] = variantsOf({});
    expect([only, more]).toEqual([{ roundTripMs: 0, baseline: {} }, []]);
    if (only === undefined) return;
    expect(variantText(only)).toBeNull();
    expect(varying(TABLE2, only)).toBe(TABLE2);
  });

  it('are each round trip with each meaning of uniform', () => {
    const all = variantsOf({ rtt: [0, 20], uniform: ['turns', 'fifo'], validations: 'always' });
    expect(all.map(variantText)).toEqual([
      'no promise is believed',
      'uniform is first in, first out without a window, no promise is believed',
      'round trip 20 ms, no promise is believed',
      'round trip 20 ms, uniform is first in, first out without a window, no promise is believed',
    ]);
    expect(variantsOf({ readAhead: 'off' }).map(variantText)).toEqual(['no read-ahead']);
  });

  it('believe no promise in all runs, or only in those that stand for another system', () => {
    const always = { roundTripMs: 0, baseline: { validations: 'always' } } as const;
    const told = (experiment: typeof TABLE2): boolean[] =>
      varying(experiment, always)
        .cells(OPTIONS)
        .map(({ baseline }) => baseline?.validations === 'always');
    expect(told(TABLE2)).not.toContain(false);
    expect(told(FIG4)).toEqual(
      FIG4.cells(OPTIONS).map(({ scheduling }) => scheduling === 'uniform'),
    );
  });

  it.each(EXPERIMENTS.map((experiment) => [experiment.name, experiment] as const))(
    'run and report their own cells of %s',
    (_, experiment) => {
      const variant = varying(experiment, FAR_FIFO);
      const known = new Set(variant.cells(OPTIONS).map(keyOf));
      const asked = new Set<string>();
      const refuse = (cell: Cell): never[] => {
        asked.add(keyOf(cell));
        return [];
      };
      const { sections, checks } = variant.report(OPTIONS, refuse);
      expect([...asked].filter((key) => !known.has(key))).toEqual([]);
      expect(checks).toEqual([]);
      expect(sections.every(({ heading }) => heading.includes('(round trip 100 ms'))).toBe(true);
      for (const cell of variant.cells(OPTIONS)) {
        const { lines, baseline } = settingsOf(cell);
        expect(lines.every(({ roundTripMs }) => roundTripMs === 100)).toBe(true);
        const isUniform = cell.scheduling === 'uniform';
        expect(baseline).toEqual(isUniform ? { uniform: 'fifo' } : undefined);
      }
    },
  );
});

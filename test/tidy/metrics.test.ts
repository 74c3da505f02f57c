import { describe, expect, test } from '@jest/globals';
import type { Figure } from '../../shared/metrics/figure.ts';
import { busyDaemon, busyServer } from '../support/told-metrics.ts';

const TOLD: ReadonlyArray<readonly Figure[]> = [
  busyDaemon().figures() ?? [],
  busyServer().figures() ?? [],
];

describe('the metrics of the programs', () => {
  const all = TOLD.flat();

  test('have names as Prometheus requires, and descriptions', () => {
    const wrong = all.filter(
      ({ name, kind, help }) =>
        !/^(godwit|process|nodejs)(_[a-z]+)+$/.test(name) ||
        name.endsWith('_total') !== (kind === 'counter') ||
        !/^[A-Z01].{8,}[^.]\.$/.test(help),
    );
    expect(wrong).toEqual([]);
  });

  test('are exported once each', () => {
    for (const figures of TOLD) {
      const names = figures.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Figure } from '../../shared/metrics/figure.ts';
import { busyDaemon, busyServer } from '../support/told-metrics.ts';
import { readText } from './repository.ts';

const TOLD: ReadonlyArray<readonly [string, readonly Figure[]]> = [
  ['## A daemon', busyDaemon().figures() ?? []],
  ['## A server', busyServer().figures() ?? []],
];

const isOfProcess = ({ name }: Figure): boolean => !name.startsWith('godwit');

function row({ name, kind, help, samples }: Figure): string {
  const labels = Object.keys(samples[0]?.labels ?? {});
  const place = labels.length === 0 ? '' : `{${labels.join()}}`;
  return `| \`${name}${place}\` | ${kind} | ${help} |`;
}

function rowsUnder(page: string, heading: string): string[] {
  const [, part = ''] = page.split(`${heading}\n`);
  const [section = ''] = part.split(/^## /m);
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

describe('docs/metrics.md', () => {
  const page = readText('docs/metrics.md');

  test.each(TOLD)(
    '%s: has a row for each figure, in its words, and no other',
    (heading, figures) => {
      const own = figures.filter((figure) => !isOfProcess(figure));
      expect(rowsUnder(page, heading)).toEqual(own.map(row));
    },
  );

  test('has what both tell of their processes', () => {
    for (const [, figures] of TOLD) {
      expect(rowsUnder(page, '## Both')).toEqual(figures.filter(isOfProcess).map(row));
    }
  });

  test('a row too many or in other words is found', () => {
    const figure: Figure = { kind: 'gauge', name: 'godwit_x', help: 'X.', samples: [] };
    expect(rowsUnder('## A daemon\n| `godwit_x` | gauge | X. |\n', '## A daemon')).toEqual([
      row(figure),
    ]);
    expect(rowsUnder('## A daemon\n## B\n| `godwit_x` | gauge | X. |\n', '## A daemon')).toEqual(
      [],
    );
  });
});

describe('figures', () => {
  const all = TOLD.flatMap(([, figures]) => figures);

  test('have names as Prometheus wants them, and say what they are', () => {
    const wrong = all.filter(
      ({ name, kind, help }) =>
        !/^(godwit|process|nodejs)(_[a-z]+)+$/.test(name) ||
        name.endsWith('_total') !== (kind === 'counter') ||
        !/^[A-Z01].{8,}[^.]\.$/.test(help),
    );
    expect(wrong).toEqual([]);
  });

  test('are told once', () => {
    for (const [, figures] of TOLD) {
      const names = figures.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });
});

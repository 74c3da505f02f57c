/** What a daemon counted, in lines for people. */
import type { LookStats, SparedStats, StatsReport } from '../../shared/control/stats.ts';
import { lengthText, sizeText } from '../../shared/util/amounts.ts';
import { callTable } from './call-table.ts';
import { formatCount, formatLocal, formatNumber, formatTable } from './format.ts';

const LOOKED_AT: Readonly<Record<LookStats['of'], string>> = {
  open: 'opens of files',
  status: 'attributes',
  name: 'names',
  listing: 'listings',
  obtain: 'contents for the folder',
};

const SPARED: Readonly<Record<SparedStats['by'], string>> = {
  overwritten: 'overwritten before',
  removed: 'removed before',
  merged: 'merged with another',
};

/** The whole report: since when, calls by name, looks, and what never had to be sent. */
export function statsLines(report: StatsReport): string[] {
  const { since, forMs, isSinceStart, calls, stepsMs } = report;
  const began = isSinceStart ? ', when the daemon began' : '';
  const head = `counted for ${lengthText(forMs / 1000)}, since ${formatLocal(Date.parse(since))}${began}`;
  const table = callTable(calls, stepsMs);
  return [
    head,
    '',
    ...(table.length === 0 ? ['no calls'] : table),
    ...lookLines(report.looks),
    ...sparedLines(report.spared),
  ];
}

function lookLines(looks: readonly LookStats[]): string[] {
  const rows = (['program', 'folder'] as const).flatMap((by) =>
    (Object.keys(LOOKED_AT) as Array<LookStats['of']>).flatMap((of) => {
      const its = looks.filter((look) => look.by === by && look.of === of);
      const count = (end: LookStats['end']): number =>
        its.find((look) => look.end === end)?.count ?? 0;
      const all = its.reduce((sum, look) => sum + look.count, 0);
      if (all === 0) return [];
      const ends = (['asked', 'fetched', 'in-vain'] as const).map((end) =>
        formatNumber(count(end)),
      );
      const whose = by === 'program' ? ', by programs' : '';
      return [
        [`${LOOKED_AT[of]}${whose}`, formatNumber(all), shareText(count('here'), all), ...ends],
      ];
    }),
  );
  if (rows.length === 0) return [];
  const head = ['looked at', 'number', 'from here', 'asked', 'fetched', 'in vain'];
  return ['', ...formatTable([head, ...rows], [1, 2, 3, 4, 5])];
}

/** Never 100 % where something is missing. */
function shareText(part: number, all: number): string {
  const share = Math.floor((1000 * part) / all) / 10;
  return `${share.toFixed(1)} %`;
}

function sparedLines(spared: readonly SparedStats[]): string[] {
  const rows = spared.map(({ by, updates, bytes }) => [
    SPARED[by],
    formatCount(updates, 'update'),
    bytes === 0 ? '' : sizeText(bytes),
  ]);
  if (rows.length === 0) return [];
  return ['', 'never had to be sent:', ...formatTable(rows, [1, 2]).map((line) => `  ${line}`)];
}

/** What experiments have shown, in words and as a page: their tables, and what ours must show. */
import { isMet, type Check, type ExperimentReport } from '../../replay/bench/paper-experiment.ts';
import { htmlReport, type Section } from '../../replay/report/html-report.ts';
import { formatTable } from '../../../cli/format.ts';
import { printable } from '../../../cli/printable.ts';

export const HOW_REAL = 'With real processes on this machine.';
export const HOW_SIMULATED = 'In simulated worlds.';

const sectionLines = ({ heading, text = [], table = [] }: Section): string[] => {
  const right = Array.from({ length: 12 }, (_, index) => index + 2);
  const rows = table.map((row) => row.map(printable));
  return ['', heading, ...text, ...formatTable(rows, right)];
};

/** Writes the tables of experiments for people, and then what ours must show and misses. */
export function reportLines(reports: readonly ExperimentReport[]): string[] {
  const checks = reports.flatMap((report) => report.checks);
  const missed = checks.filter((check) => !isMet(check));
  return [
    ...reports.flatMap(({ sections }) => sections.flatMap(sectionLines)),
    ...(checks.length === 0 ? [] : checkLines(checks, missed)),
  ];
}

function checkLines(checks: readonly Check[], missed: readonly Check[]): string[] {
  return [
    '',
    `${checks.length - missed.length} of ${checks.length} hold of what ours must show` +
      (missed.length === 0 ? '.' : '; missed:'),
    ...formatTable(missed.map(checkRow)),
  ];
}

function checkRow(check: Check): string[] {
  const { what, value, wanted, bound, unit } = check;
  const off = bound === 0 ? '' : `, ${(Math.abs(value / bound - 1) * 100).toFixed(1)} % off`;
  return [
    `  ${printable(what)}`,
    `${value.toFixed(2)} ${unit}`,
    `at ${wanted} ${bound.toFixed(2)} ${unit}${isMet(check) ? '' : off}`,
  ];
}

/** Writes experiments as an HTML page, with the raw results in it. `how` says how they were run. */
export function pageOf(
  name: string,
  reports: readonly ExperimentReport[],
  how: string,
  raw: object,
): string {
  const checks = reports.flatMap((report) => report.checks);
  const rows = checks.map((check) => [...checkRow(check), isMet(check) ? 'met' : 'missed']);
  const missed = rows.filter((row) => row.at(-1) === 'missed');
  const head = ['', 'measured', 'wanted', ''];
  const held = `${checks.length - missed.length} of ${checks.length} hold of what ours must show`;
  const summary: Section = {
    heading: 'What ours must show',
    text: [how, missed.length === 0 ? `${held}.` : `${held}; missed:`],
    ...(missed.length === 0 ? {} : { table: [head, ...missed] }),
  };
  const judged: Section = { heading: 'All that was judged', table: [head, ...rows] };
  const sections = [summary, ...reports.flatMap((report) => report.sections), judged];
  return htmlReport(`godwit bench ${name}`, sections, raw);
}

/** `godwit bench table2`, `fig3` ...: the experiments of the papers, their figures beside ours, and what ours must show. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parseRate } from '../../../shared/link/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { EXPERIMENTS } from '../../replay/bench/experiments.ts';
import {
  isMet,
  type BenchOptions,
  type Check,
  type ExperimentReport,
  type PaperExperiment,
} from '../../replay/bench/paper-experiment.ts';
import { htmlReport, type Section } from '../../replay/report/html-report.ts';
import { parseCount } from '../arguments.ts';
import { listOf } from '../bench/bench-lists.ts';
import { flag, type Cli } from '../cli.ts';
import type { CommonOptions, Context } from '../context.ts';
import { about } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { formatTable } from '../format.ts';
import { LiveLine } from '../live-line.ts';
import { printable } from '../printable.ts';
import { reportFile, writeReport } from '../replay/report-file.ts';
import { runCells } from '../replay/run-cells.ts';

interface PaperFlags extends Omit<CommonOptions, 'json'> {
  readonly json?: boolean | string;
  readonly html?: string;
  readonly bandwidth?: readonly number[];
  readonly runs?: number;
  readonly simulate?: boolean;
  readonly traces?: string;
}

const KB = 1024;

export function paperCommands(cli: Cli): Command[] {
  const all = `all of these: ${EXPERIMENTS.map(({ name }) => name).join(', ')}`;
  return [
    ...EXPERIMENTS.map((experiment) =>
      paperCommand(cli, experiment.name, experiment.about, [experiment]),
    ),
    paperCommand(cli, 'all', all, EXPERIMENTS),
  ];
}

function paperFlags(command: Command): Command {
  const add = (name: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--simulate', 'in simulated worlds, on all cores (default: with real processes)');
  const rates = 'such as 64KiB/s,1MiB/s (default: those of the paper)';
  add('--bandwidth <list>', rates, listOf('bandwidth', parseRate));
  add('--runs <n>', 'of each, with seeds from 1 on (default: 1)', parseCount);
  add('--traces <dir>', 'fig5: also the CSV files of Process Monitor in this folder');
  add('--html <file>', 'write a report with plots, which needs no network');
  return command;
}

function paperCommand(
  cli: Cli,
  name: string,
  text: string,
  experiments: readonly PaperExperiment[],
): Command {
  const command = paperFlags(cli.withReport(name, text));
  return cli.does<PaperFlags>(command, (context, flags) =>
    runPaper(context, name, flags, experiments),
  );
}

async function runPaper(
  context: Context,
  name: string,
  flags: PaperFlags,
  experiments: readonly PaperExperiment[],
): Promise<number> {
  const json = typeof flags.json === 'string' ? reportFile('--json', flags.json) : null;
  const html = flags.html === undefined ? null : reportFile('--html', flags.html);
  const { bandwidth, runs = 1, simulate = false } = flags;
  const options: BenchOptions = {
    bandwidths: bandwidth?.map((rate) => rate / KB) ?? null,
    traces: flags.traces === undefined ? [] : tracesIn(flags.traces),
  };
  const live = new LiveLine(context.io.stderr);
  const onStep = (step: string): void => void (context.shows && live.show(`... ${step}`));
  const signal = context.interruption.claim();
  const cells = experiments.flatMap((experiment) => [...experiment.cells(options)]);
  const results = await runCells(cells, { simulate, runs, signal, onStep }).finally(
    () => context.shows && live.show(''),
  );
  const reports = experiments.map((experiment) => {
    return { name: experiment.name, ...experiment.report(options, results.of) };
  });
  const checks = reports.flatMap((report) => report.checks);
  const raw = {
    ...{ bench: name, simulated: simulate, runs },
    checks: checks.map((check) => ({ ...check, met: isMet(check) })),
    cells: results.raw,
  };
  if (json !== null) writeReport('--json', json, `${JSON.stringify(raw)}\n`);
  if (html !== null) writeReport('--html', html, pageOf(name, reports, simulate, raw));
  context.result(raw, linesOf(reports));
  return checks.every(isMet) ? EXIT.fine : EXIT.failed;
}

function tracesIn(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => name.toLowerCase().endsWith('.csv'));
    if (names.length > 0) return names.sort().map((name) => join(dir, name));
  } catch (error) {
    throw about(dir, error);
  }
  throw new GodwitError('usage', `--traces ${dir}: there is no CSV file in it`);
}

const sectionLines = ({ heading, text = [], table = [] }: Section): string[] => {
  // It has charts alone, which are for the page.
  if (text.length + table.length === 0) return [];
  const right = Array.from({ length: 12 }, (_, index) => index + 2);
  const rows = table.map((row) => row.map(printable));
  return ['', heading, ...text, ...formatTable(rows, right)];
};

function linesOf(reports: readonly ExperimentReport[]): string[] {
  const checks = reports.flatMap((report) => report.checks);
  const missed = checks.filter((check) => !isMet(check));
  return [
    ...reports.flatMap(({ sections }) => sections.flatMap(sectionLines)),
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

function pageOf(
  name: string,
  reports: readonly ExperimentReport[],
  simulated: boolean,
  raw: object,
): string {
  const checks = reports.flatMap((report) => report.checks);
  const judged: Section = {
    heading: 'What ours must show',
    table: [
      ['', 'measured', 'wanted', ''],
      ...checks.map((check) => [...checkRow(check), isMet(check) ? 'met' : 'missed']),
    ],
  };
  const world: Section = {
    heading: 'How',
    text: [simulated ? 'In simulated worlds.' : 'With real processes on this machine.'],
  };
  const sections = [world, judged, ...reports.flatMap((report) => report.sections)];
  return htmlReport(`godwit bench ${name}`, sections, raw);
}

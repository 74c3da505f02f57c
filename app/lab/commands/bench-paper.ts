/** `godwit bench table2`, `fig3` ... `all`: the experiments of the papers and those beyond, and what ours must show. */
import { readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parseRate } from '../shaper/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { agreementOf, machineOf } from '../replay/bench/agreement.ts';
import { sampleOf } from '../replay/bench/cell.ts';
import { EXPERIMENTS } from '../replay/bench/experiments.ts';
import {
  isMet,
  type BenchOptions,
  type ExperimentReport,
  type PaperExperiment,
} from '../replay/bench/paper-experiment.ts';
import {
  UNIFORMS,
  variantsOf,
  variantText,
  varying,
  type VariantFlags,
} from '../replay/bench/variants.ts';
import { baselineText } from '../replay/engine/baseline.ts';
import { parseCount } from '../../cli/arguments.ts';
import { oneOf } from '../../cli/fixed-values.ts';
import { listOf, parseDelay } from '../bench/bench-lists.ts';
import { HOW_REAL, HOW_SIMULATED, pageOf, reportLines } from '../bench/measured/experiment-page.ts';
import { LATENCY_UNDER_LOAD } from '../bench/measured/latency-under-load.ts';
import type { MeasuredExperiment, MeasuredReport } from '../bench/measured/measured-experiment.ts';
import { ROAM } from '../bench/measured/measured-roam.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { listFrom } from './bench-real.ts';
import type { CommonOptions, Context } from '../../cli/context.ts';
import { about } from '../../cli/errors.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { readRealRuns } from '../replay/real/read-real-runs.ts';
import { reportFile, writeReport } from '../replay/real/report-file.ts';
import { runCells } from '../replay/real/run-cells.ts';

interface PaperFlags extends Omit<CommonOptions, 'json'>, VariantFlags {
  readonly json?: boolean | string;
  readonly html?: string;
  readonly bandwidth?: readonly number[];
  readonly runs?: number;
  readonly simulate?: boolean;
  readonly traces?: string;
  readonly against?: string;
  readonly sample?: number;
}

const KB = 1024;

/** Some that replay, and some that measure what has no simulated form. */
interface Chosen {
  readonly name: string;
  readonly replayed: readonly PaperExperiment[];
  readonly measured: readonly MeasuredExperiment[];
}

const MEASURED = [LATENCY_UNDER_LOAD, ROAM];

/** `roam` alone has a command of its own, with more flags (bench-roam.ts). */
export function paperCommands(cli: Cli): Command[] {
  const names = [...EXPERIMENTS, ...MEASURED].map(({ name }) => name);
  const { name, about: text } = LATENCY_UNDER_LOAD;
  return [
    ...EXPERIMENTS.map((experiment) =>
      paperCommand(cli, experiment.about, {
        name: experiment.name,
        replayed: [experiment],
        measured: [],
      }),
    ),
    paperCommand(cli, text, { name, replayed: [], measured: [LATENCY_UNDER_LOAD] }),
    paperCommand(cli, `all of these: ${names.join(', ')}`, {
      name: 'all',
      replayed: EXPERIMENTS,
      measured: MEASURED,
    }),
  ];
}

/** What is measured there is the transport, or processes, as they are. */
export const notSimulated = (name: string): GodwitError =>
  new GodwitError('usage', `bench ${name}: it has no simulated form; leave out --simulate`);

function paperFlags(command: Command): Command {
  const add = (name: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--simulate', 'in simulated worlds, on all cores (default: with real processes)');
  const rates = 'such as 64KiB/s,1MiB/s (default: those of the paper)';
  add('--bandwidth <list>', rates, listOf('bandwidth', parseRate));
  const far = 'of the path without a queue, such as 20ms,100ms,300ms (default: 0ms)';
  add('--rtt <list>', far, listOf('rtt', parseDelay, { zero: true }));
  const uniform =
    'simulated: what no priorities are: turns, fifo without a window (default: turns)';
  add('--uniform <list>', uniform, listFrom(...UNIFORMS));
  add('--validations <how>', 'simulated: always: no promise is believed', oneOf('always'));
  add('--read-ahead <how>', 'simulated: off: only file groups are prefetched', oneOf('off'));
  add('--runs <n>', 'of each, with seeds from 1 on (default: 1)', parseCount);
  add('--traces <dir>', 'fig5: also the CSV files of Process Monitor in this folder');
  add('--against <file>', 'with --simulate: the --json file of a real run, to compare with');
  add(
    '--sample <n>',
    'only so many of its runs, spread over all, to compare; no report',
    parseCount,
  );
  add('--html <file>', 'write a report with plots, which needs no network');
  return command;
}

function paperCommand(cli: Cli, text: string, chosen: Chosen): Command {
  const command = paperFlags(cli.withReport(chosen.name, text));
  return cli.does<PaperFlags>(command, (context, flags) => runPaper(context, flags, chosen));
}

async function runPaper(context: Context, flags: PaperFlags, chosen: Chosen): Promise<number> {
  const { name } = chosen;
  const replayed = replayedIn(flags, chosen);
  const json = typeof flags.json === 'string' ? reportFile('--json', flags.json) : null;
  const html = flags.html === undefined ? null : reportFile('--html', flags.html);
  const { bandwidth, runs = 1, simulate = false, sample } = flags;
  if (simulate && replayed.length === 0) throw notSimulated(name);
  if (sample !== undefined && replayed.length === 0) {
    throw new GodwitError('usage', `--sample: bench ${name} has no runs to choose from`);
  }
  if (flags.against !== undefined && !simulate) {
    throw new GodwitError('usage', '--against: it is for simulated runs; add --simulate');
  }
  const real = flags.against === undefined ? [] : readRealRuns(flags.against);
  const options: BenchOptions = {
    bandwidths: bandwidth?.map((rate) => rate / KB) ?? null,
    traces: flags.traces === undefined ? [] : tracesIn(flags.traces),
  };
  const live = new LiveLine(context.io.stderr);
  const onStep = (step: string): void => void (context.shows && live.show(`... ${step}`));
  const signal = context.interruption.claim();
  const [loadBefore] = loadavg();
  const run = async () => {
    const all = replayed.flatMap((experiment) => [...experiment.cells(options)]);
    const cells = sample === undefined ? all : sampleOf(all, sample);
    const results = await runCells(cells, {
      ...{ simulate, runs, signal, onStep },
      machineOf: (cell) => machineOf(real, cell),
    });
    const measured: MeasuredReport[] = [];
    for (const { measure } of simulate || sample !== undefined ? [] : chosen.measured) {
      measured.push(await measure({ options, runs, signal, onStep }));
    }
    return { results, measured };
  };
  const { results, measured } = await run().finally(() => context.shows && live.show(''));
  const compared = agreementOf(real, results.of);
  const reports: ExperimentReport[] = [
    ...(compared === null ? [] : [{ sections: [compared], checks: [] }]),
    ...(sample === undefined ? replayed : []).map((experiment) =>
      experiment.report(options, results.of),
    ),
    ...measured,
  ];
  const checks = reports.flatMap((report) => report.checks);
  const load = { before: loadBefore ?? 0, after: loadavg()[0] ?? 0 };
  const leftOut = simulate ? chosen.measured.map((each) => each.name) : [];
  const raw = {
    ...{ bench: name, simulated: simulate, runs, leftOut, load },
    checks: checks.map((check) => ({ ...check, met: isMet(check) })),
    agreement: compared?.table ?? null,
    cells: results.raw,
    measured: measured.map((each) => each.raw),
  };
  const how = simulate ? HOW_SIMULATED : HOW_REAL;
  if (json !== null) writeReport('--json', json, `${JSON.stringify(raw)}\n`);
  if (html !== null) writeReport('--html', html, pageOf(name, reports, how, raw));
  context.result(raw, [
    ...reportLines(reports),
    ...leftOut.map(leftOutLine),
    ...(simulate ? [] : [`load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`]),
  ]);
  return checks.every(isMet) ? EXIT.fine : EXIT.failed;
}

/** The experiments in each variant that was asked for. Throws `usage` for one that can't be run so. */
function replayedIn(flags: PaperFlags, { name, replayed }: Chosen): readonly PaperExperiment[] {
  const variants = variantsOf(flags);
  const other = variants.find((variant) => variantText(variant) !== null);
  if (other !== undefined && replayed.length === 0) {
    throw new GodwitError(
      'usage',
      `bench ${name}: it has no runs with ${variantText(other) ?? ''}`,
    );
  }
  for (const { baseline } of flags.simulate === true ? [] : variants) {
    const text = baselineText(baseline);
    if (text === null) continue;
    throw new GodwitError('usage', `${text}: that is only simulated; add --simulate`);
  }
  return variants.flatMap((variant) => replayed.map((each) => varying(each, variant)));
}

const leftOutLine = (name: string): string => `${name} is left out: it has no simulated form.`;

function tracesIn(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => name.toLowerCase().endsWith('.csv'));
    if (names.length > 0) return names.sort().map((name) => join(dir, name));
  } catch (error) {
    throw about(dir, error);
  }
  throw new GodwitError('usage', `--traces ${dir}: there is no CSV file in it`);
}

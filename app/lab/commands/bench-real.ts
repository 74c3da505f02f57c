/** What the commands for real runs have in common: their flags, the run with its progress, and the report. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { parseRate } from '../shaper/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount } from '../../cli/arguments.ts';
import { oneOf } from '../../cli/fixed-values.ts';
import { listOf, parseDelay } from '../bench/bench-lists.ts';
import type { Experiment } from '../bench/real/experiment.ts';
import type { LineShape } from '../bench/real/line.ts';
import { HOW_REAL, pageOf } from '../bench/measured/experiment-page.ts';
import { outcomeLines, outcomeReport } from '../bench/real/report.ts';
import { runExperiments } from '../bench/real/run-experiments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import type { CommonOptions, Context } from '../../cli/context.ts';
import { formatCount } from '../../cli/format.ts';
import { asUsage } from '../shaper/cli/link-flags.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { reportFile, writeReport } from '../replay/real/report-file.ts';

export interface RealFlags extends Omit<CommonOptions, 'json'> {
  readonly json?: boolean | string;
  readonly bandwidth?: readonly number[];
  readonly queue?: number;
  readonly rtt?: number;
  readonly tbf?: boolean;
  readonly runs?: number;
  readonly html?: string;
}

const DEFAULT_QUEUE_MS = 100;

/**
 * Builds a command for real runs, with the flags that all of them have. `bandwidth`: the default,
 * for the help.
 */
export function realCommand(
  cli: Cli,
  name: string,
  description: string,
  bandwidth: string,
): Command {
  const command = cli.withReport(name, description);
  const add = (name: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  const rates = `of each laptop's line, both ways (default: ${bandwidth})`;
  add('--bandwidth <list>', rates, listOf('bandwidth', parseRate));
  add('--queue <time>', 'before it (default: 100ms)', asUsage('queue', parseDelay));
  add('--rtt <time>', 'of the path without a queue (default: 0ms)', asUsage('rtt', parseDelay));
  add('--tbf', 'over `tc tbf` between network namespaces; needs root and iproute2');
  add('--runs <n>', 'of each (default: 1)', parseCount);
  add('--html <file>', 'write a report, which needs no network');
  return command;
}

/**
 * Reads the lines of real runs from the flags; `bandwidth` is the default, in bytes a second.
 * Throws GodwitError `usage` for a line without a queue, or a round trip with `--tbf`.
 */
export function linesOf(flags: RealFlags, bandwidth: readonly number[]): LineShape[] {
  const { queue: queueMs = DEFAULT_QUEUE_MS, rtt: roundTripMs = 0 } = flags;
  if (queueMs === 0) throw new GodwitError('usage', '--queue 0: a line has some room');
  if (flags.tbf === true && roundTripMs > 0) {
    throw new GodwitError('usage', '--rtt: `tc tbf` adds no delay; leave out --rtt, or --tbf');
  }
  return (flags.bandwidth ?? bandwidth).map((bytesPerSecond) => {
    return { bytesPerSecond, queueMs, roundTripMs };
  });
}

/** Some of these, separated by commas. */
export function listFrom<T extends string>(...choices: readonly T[]): (text: string) => T[] {
  const one = oneOf(...choices);
  return (text) => text.split(',').map(one);
}

/** Runs the experiments and prints their results. */
export async function showExperiments(
  context: Context,
  flags: RealFlags,
  experiments: readonly Experiment[],
): Promise<void> {
  const file = typeof flags.json === 'string' ? reportFile('--json', flags.json) : null;
  const html = flags.html === undefined ? null : reportFile('--html', flags.html);
  const line = new LiveLine(context.io.stderr);
  const signal = context.interruption.claim();
  const onStep = (step: string): void => void (context.shows && line.show(`... ${step}`));
  const all = Array.from({ length: flags.runs ?? 1 }, () => experiments).flat();
  const settings = { tbf: flags.tbf === true, signal, onStep };
  const outcomes = await runExperiments(all, settings).finally(
    () => context.shows && line.show(''),
  );
  const cores = availableParallelism();
  const result = { experiments: outcomes, machine: { cores } };
  if (file !== null) writeReport('--json', file, `${JSON.stringify(result, null, 2)}\n`);
  if (html !== null) {
    const [{ name = '' } = {}] = outcomes;
    writeReport('--html', html, pageOf(name, [outcomeReport(outcomes)], HOW_REAL, result));
  }
  context.result(result, [formatCount(cores, 'core'), ...outcomeLines(outcomes)]);
}

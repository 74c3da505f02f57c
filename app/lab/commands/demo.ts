/**
 * `godwit demo [SOURCE]`: shows on this machine that two laptops stay the same, through edits, conflicts, an absent server
 * and a killed daemon; with `--day`, that three people can share. Exit code 0 only where every comparison holds.
 */
import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount, parseSeconds } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import type { Context } from '../../cli/context.ts';
import { isInOwnNetwork, runInOwnNetwork, whyNoNetwork } from '../demo/day/own-network.ts';
import { runDay } from '../demo/day/run-day.ts';
import type { StepResult } from '../demo/demo-step.ts';
import { comparedHead, comparedRow, dayHead, dayRow, type StepRow } from '../demo/demo-table.ts';
import { runFaultDemo } from '../demo/faults/run-fault-demo.ts';
import { canHaveMounts, mayMount, runInside } from '../demo/faults/small-disk.ts';
import { readTree } from '../demo/read-tree.ts';
import { runDemo } from '../demo/run-demo.ts';
import { describeTree } from '../demo/tree-steps.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { printable } from '../../cli/printable.ts';

const DEFAULT_AWAY_MS = 3000;
const DEFAULT_FLUSH_MS = 600_000;
/** The rest is in --json. */
const MAX_FAULTS_SHOWN = 10;

const MAX_SEED = 1_000_000;
const DEFAULT_FAULTS = 100;

interface DemoFlags {
  readonly keep?: boolean;
  readonly away?: number;
  readonly timeout?: number;
  readonly day?: boolean;
  readonly faults?: boolean;
  readonly seed?: number;
  readonly kills?: number;
  readonly cuts?: number;
}

/**
 * Builds `godwit demo`, which shows on this machine that two laptops stay the same. With `--faults`
 * it runs itself again in a namespace where it may mount a small disk.
 */
export function demoCommand(cli: Cli): Command {
  const command = cli
    .plain('demo', 'show two laptops staying the same, on this machine')
    .argument('[source]', 'folder to begin with, such as a git checkout; else one is made');
  flag(command, '--keep', 'leave the folders where they are afterwards');
  flag(
    command,
    '--away <seconds>',
    'how long the server is away (default: 3)',
    undefined,
    parseSeconds,
  );
  flag(
    command,
    '--timeout <seconds>',
    'how long one flush may take (default: 600)',
    undefined,
    parseSeconds,
  );
  flag(command, '--day', 'three people with six laptops, who share folders; needs namespaces');
  flag(command, '--faults', 'with kills and cuts at random instants, and a disk that runs full');
  flag(
    command,
    '--seed <n>',
    'of what happens under faults (default: a random one)',
    undefined,
    parseCount,
  );
  flag(command, '--kills <n>', 'how many (default: 100)', undefined, parseCount);
  flag(command, '--cuts <n>', 'how many (default: 100)', undefined, parseCount);
  return cli.does<DemoFlags>(command, (context, options, [source]) => {
    if (options.day === true) return showDay(context, options, source);
    if (options.faults === true && canHaveMounts()) {
      return runInside(process.argv.slice(2), context.interruption.claim());
    }
    return showLaptops(context, options, source);
  });
}

/** The demo of two laptops, also under faults. */
async function showLaptops(context: Context, options: DemoFlags, given?: string): Promise<number> {
  const source = given === undefined ? null : checkedSource(given);
  let root = '';
  const run = {
    ...stepsShown(context, options, comparedRow),
    source,
    awaySeconds: (options.away ?? DEFAULT_AWAY_MS) / 1000,
    onReady(from: string, made: string) {
      root = made;
      printHead(context, from, source === null);
    },
  };
  if (options.faults !== true) {
    const results = await runDemo(run);
    return finish(context, results, options.keep === true ? root : null);
  }
  const settings = faultSettings(context, options);
  const results = await runFaultDemo({ ...run, ...settings });
  const keeps = options.keep === true || results.some(({ faults }) => faults.length > 0);
  return finish(context, results, keeps ? root : null, { seed: settings.seed, disk: mayMount() });
}

/** The day of three people. It runs itself again where each laptop can have a network of its own. */
async function showDay(context: Context, options: DemoFlags, source?: string): Promise<number> {
  const { faults, away } = options;
  const unfit = [source && 'a source', faults && '--faults', away !== undefined && '--away'];
  for (const what of unfit) {
    if (what) throw new GodwitError('usage', `demo --day: leave out ${what}`);
  }
  if (!isInOwnNetwork()) {
    const why = whyNoNetwork();
    if (why === null) {
      return runInOwnNetwork(process.argv.slice(2), context.interruption.claim());
    }
    throw new GodwitError('usage', `demo --day: ${why}`, 'run it as root, or leave out --day');
  }
  let root = '';
  const results = await runDay({
    ...stepsShown(context, options, dayRow),
    onReady(made: string) {
      root = made;
      print(context, dayHead);
    },
  });
  return finish(context, results, options.keep === true ? root : null);
}

/** What all demos need: how long a flush may take, when to end, and where their steps are shown. */
function stepsShown(context: Context, { timeout, keep }: DemoFlags, row: StepRow) {
  const line = new LiveLine(context.io.stderr);
  return {
    flushSeconds: (timeout ?? DEFAULT_FLUSH_MS) / 1000,
    keep: keep === true,
    signal: context.interruption.claim(),
    onStep: (title: string): void => void (context.shows && line.show(`... ${title}`)),
    onResult(result: StepResult): void {
      if (context.shows) line.show('');
      printResult(context, result, row);
    },
  };
}

function faultSettings(context: Context, { seed, kills, cuts }: DemoFlags) {
  const drawn = seed ?? randomInt(1, MAX_SEED);
  print(context, `seed: ${drawn}`);
  if (!mayMount())
    print(context, 'no disk runs full: this system lets nobody mount one without being root');
  return { seed: drawn, kills: kills ?? DEFAULT_FAULTS, cuts: cuts ?? DEFAULT_FAULTS };
}

function checkedSource(given: string): string {
  const path = resolve(given);
  if (!statSync(path).isDirectory()) {
    throw new GodwitError('not-a-directory', `${path}: that is not a folder`);
  }
  return path;
}

function printHead(context: Context, source: string, made: boolean): void {
  print(context, `source: ${made ? 'made for this' : source}: ${describeTree(readTree(source))}`);
  print(context, comparedHead);
}

function printResult(context: Context, result: StepResult, row: StepRow): void {
  const { faults } = result;
  print(context, row(result));
  for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) print(context, `    ${printable(fault)}`);
  const more = faults.length - MAX_FAULTS_SHOWN;
  if (more > 0) print(context, `    and ${more} more`);
}

function finish(
  context: Context,
  results: readonly StepResult[],
  kept: string | null,
  more: object = {},
): number {
  const holds = results.every(({ faults }) => faults.length === 0);
  if (context.json) context.result({ ok: holds, ...more, steps: results, kept });
  print(context, holds ? 'every comparison holds' : 'not every comparison holds');
  if (kept !== null) print(context, `kept in ${kept}`);
  return holds ? EXIT.fine : EXIT.failed;
}

/** The table grows while the demo runs; with --json it is one object at the end. */
function print(context: Context, text: string): void {
  if (!context.json && !context.quiet) context.io.stdout.write(`${text}\n`);
}

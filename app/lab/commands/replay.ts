/** `godwit replay TRACE`: what programs did once, done again over a line of your choice, by real processes or simulated. */
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { RateStep } from '../shaper/conditions.ts';
import { parseRate, parseRateTrace } from '../shaper/rate-trace.ts';
import type { Scheduling } from '../../../shared/model/scheduling.ts';
import { WRITEBACK_POLICIES, type WritebackPolicy } from '../../../shared/model/writeback.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { machinesOf } from '../replay/engine/deal-laptops.ts';
import type { ReplaySettings } from '../replay/engine/replay.ts';
import { htmlReport } from '../replay/report/html-report.ts';
import {
  classTable,
  processTable,
  replayLines,
  replaySections,
} from '../replay/report/replay-report.ts';
import { parseBytes, parseCount, parseCountOrNone, parsePeriod } from '../../cli/arguments.ts';
import { oneOf } from '../../cli/fixed-values.ts';
import { parseDelay } from '../bench/bench-lists.ts';
import { rateName } from '../bench/real/report.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import type { Context } from '../../cli/context.ts';
import { about } from '../../cli/errors.ts';
import { formatCount, formatTable } from '../../cli/format.ts';
import { asUsage } from '../shaper/cli/link-flags.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { printable } from '../../cli/printable.ts';
import { planOf, type NamedPlan } from '../replay/real/plan-of.ts';
import { reportFile, writeReport } from '../replay/real/report-file.ts';
import { progressTeller, runReplay } from '../replay/real/run-replay.ts';
import { withReadFlags, type ReadFlags } from '../trace/cli/trace-input.ts';

interface ReplayFlags extends ReadFlags {
  readonly link?: readonly RateStep[];
  readonly rtt?: number;
  readonly queue?: number;
  readonly policy?: WritebackPolicy;
  readonly priorities?: 'classes' | 'uniform' | 'fifo';
  readonly delay?: number;
  readonly cache?: number;
  readonly prefetch?: 'on' | 'off';
  readonly speed?: 'real' | 'max';
  readonly clients?: number;
  readonly simulate?: boolean;
  readonly seed?: number;
  readonly html?: string;
}

const DEFAULT_LINK: readonly RateStep[] = [{ atMs: 0, bytesPerSecond: 1024 * 1024 }];
const DEFAULT_QUEUE_MS = 100;
const MOST_LAPTOPS = 64;
const ABOUT = `
TRACE is a file that \`godwit trace info\` reads, or the name of a workload of \`godwit trace generate\`.
What was there before is built on the server; each process thinks as long as it did, and waits as long
as it must. Real server and laptops run on this machine, in a temporary folder, over \`godwit link\`;
with --simulate the same programs run in a simulated world, and a seed gives the same run again.`;

/**
 * Builds `godwit replay`, which replays a trace or a workload over a line, with real processes or
 * simulated.
 */
export function replayCommand(cli: Cli): Command {
  const command = cli
    .plain('replay', 'do again what programs did to files, over a slow line')
    .argument('<trace>', 'a trace, or the name of a workload')
    .addHelpText('after', ABOUT);
  const add = (name: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add(
    '--link <rate|file>',
    'such as 256KiB/s, or lines of SECONDS,RATE (default: 1MiB/s)',
    parseLink,
  );
  add('--rtt <time>', 'of the path without a queue (default: 0ms)', asUsage('rtt', parseDelay));
  add('--queue <time>', 'before the line (default: 100ms)', asUsage('queue', parseDelay));
  const policies = `${WRITEBACK_POLICIES.join(', ')} (default: async)`;
  add('--policy <policy>', policies, oneOf(...WRITEBACK_POLICIES));
  const order = 'classes (as usual), uniform, or, simulated, fifo without a window';
  add('--priorities <how>', order, oneOf('classes', 'uniform', 'fifo'));
  const delay = 'how long a store waits for another write (default: 0s; logging: 1s)';
  add('--delay <time>', delay, parsePeriod);
  add('--cache <size>', 'the most that a laptop keeps (default: as without replays)', parseBytes);
  add(
    '--prefetch <on|off>',
    'by the file groups of the trace, where it has some (default: on)',
    oneOf('on', 'off'),
  );
  add('--speed <how>', 'real: with the time programs thought; max: without', oneOf('real', 'max'));
  const clients =
    'laptops, to which the machines of the trace are dealt out (default: as many; or 1)';
  add('--clients <n>', clients, parseCount);
  add('--simulate', 'in a simulated world, in no more time than it takes to compute');
  add('--seed <n>', 'of a workload and of the simulated world (default: 1)', parseCountOrNone);
  add('--html <file>', 'write a report with plots, which needs no network');
  withReadFlags(command);
  return cli.does<ReplayFlags>(command, async (context, flags, [name = '']) => {
    const html = flags.html === undefined ? null : reportFile('--html', flags.html);
    const settings = settingsOf(flags);
    const { seed = 1, clients } = flags;
    const named = await planOf(name, flags, seed);
    const laptops = clients ?? laptopsFor(named);
    await play(
      context,
      named,
      { ...settings, laptops },
      flags.simulate === true ? seed : null,
      html,
    );
  });
}

function parseLink(text: string): RateStep[] {
  if (existsSync(text)) return asUsage(printable(text), () => parseRateTrace(readText(text)))(text);
  const bytesPerSecond = asUsage('link', parseRate)(text);
  if (bytesPerSecond > 0) return [{ atMs: 0, bytesPerSecond }];
  throw new GodwitError('usage', 'link: at a rate of 0 nothing would get through');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw about(file, error);
  }
}

function settingsOf(flags: ReplayFlags): ReplaySettings {
  const { link = DEFAULT_LINK, rtt = 0, queue = DEFAULT_QUEUE_MS, policy = 'async' } = flags;
  const { priorities = 'classes', speed = 'real', clients = 1 } = flags;
  if (queue === 0) throw new GodwitError('usage', '--queue 0: a line has some room');
  if (clients > MOST_LAPTOPS) {
    throw new GodwitError('usage', `--clients ${clients}: ${MOST_LAPTOPS} at most`);
  }
  const scheduling: Scheduling = priorities === 'classes' ? 'priorities' : 'uniform';
  const lines = [{ rate: link, roundTripMs: rtt, queueMs: queue }];
  const prefetch = flags.prefetch !== 'off';
  return {
    ...{ policy, scheduling, prefetch, lines, laptops: clients, pace: speed },
    ...(priorities === 'fifo' ? { baseline: { uniform: 'fifo' } } : {}),
    ...(flags.delay === undefined ? {} : { delayMs: flags.delay }),
    ...(flags.cache === undefined ? {} : { cacheBytes: flags.cache }),
  };
}

/** One for each machine that the trace names, as far as that goes. */
const laptopsFor = ({ plan }: NamedPlan): number =>
  Math.min(MOST_LAPTOPS, Math.max(1, machinesOf(plan.processes)));

async function play(
  context: Context,
  { plan, about: trace, notes }: NamedPlan,
  settings: ReplaySettings,
  simulated: number | null,
  html: string | null,
): Promise<void> {
  const live = new LiveLine(context.io.stderr);
  const signal = context.interruption.claim();
  const onProgress = progressTeller((line) => void (context.shows && live.show(`... ${line}`)));
  const result = await runReplay({ plan, settings, simulated, signal, onProgress }).finally(
    () => context.shows && live.show(''),
  );
  const { policy, scheduling, prefetch, lines, laptops, pace } = settings;
  const [line] = lines;
  const rates = line?.rate ?? DEFAULT_LINK;
  const link =
    rates.length === 1 ? rateName(rates[0]?.bytesPerSecond ?? 0) : `${rates.length} rates`;
  const how = [
    `${trace}: ${formatCount(plan.steps, 'operation')} by ${formatCount(plan.processes.length, 'process', 'processes')}, ` +
      (simulated === null ? 'real processes' : `simulated, seed ${simulated}`),
    `${link}, round trip ${line?.roundTripMs ?? 0} ms, ${policy}, ${scheduling}, ${formatCount(laptops, 'laptop')}` +
      (plan.groups.length === 0 ? '' : `, prefetch ${prefetch === false ? 'off' : 'on'}`) +
      (pace === 'max' ? ', without thinking' : ''),
  ];
  const raw = { trace, notes, settings: { ...settings, simulated }, result };
  if (html !== null) {
    const page = htmlReport(`Replay of ${trace}`, replaySections(result, [...how, ...notes]), raw);
    writeReport('--html', html, page);
  }
  context.result(raw, [
    ...how,
    ...notes,
    ...replayLines(result).map(printable),
    '',
    ...formatTable(classTable(result), [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    '',
    ...formatTable(
      processTable(result).map((row) => row.map(printable)),
      [2, 3, 4, 5],
    ),
  ]);
}

/** `godwit bench delay`: how long an urgent message waits beside bulk on slow lines, and how full those are. */
import { availableParallelism, loadavg } from 'node:os';
import type { Command } from 'commander';
import { parseRate } from '../shaper/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parsePeriod } from '../../cli/arguments.ts';
import { oneOf } from '../../cli/fixed-values.ts';
import { listOf, parseDelay } from '../bench/bench-lists.ts';
import { cellsOf, type Direction } from '../bench/delay/delay-cells.ts';
import { cellLines } from '../bench/delay/delay-figures.ts';
import { runDelayBench, type DelayBenchSettings } from '../bench/delay/run-delay-bench.ts';
import { rivalLines, TCP } from '../bench/rival/rival-figures.ts';
import { runRivalBench } from '../bench/rival/run-rival-bench.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { formatCount } from '../../cli/format.ts';
import { LiveLine } from '../../cli/live-line.ts';

interface DelayBenchFlags {
  readonly rates?: readonly number[];
  readonly queues?: readonly number[];
  readonly rtts?: readonly number[];
  readonly bulk?: Direction;
  readonly changing?: boolean;
  readonly rival?: boolean;
  readonly uniform?: boolean;
  readonly time?: number;
}

const DEFAULT_RATES = [64_000, 256_000, 1_024_000];
const DEFAULT_QUEUES_MS = [50, 1000];
const DEFAULT_ROUND_TRIPS_MS = [0, 50, 200];
const DEFAULT_MS = 10_000;
const WARM_UP_MS = 3000;

/**
 * Builds `godwit bench delay`, which measures how long urgent messages wait beside bulk or a TCP
 * flow. A missed target leaves the exit code 0.
 */
export function benchDelayCommand(cli: Cli): Command {
  const command = cli.plain('delay', 'how long an urgent message waits beside bulk on slow lines');
  const add = (name: string, text: string, parse?: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add(
    '--rates <list>',
    'of the lines (default: 64KB/s,256KB/s,1024KB/s)',
    listOf('rates', parseRate),
  );
  add(
    '--queues <list>',
    'before them, in time (default: 50ms,1000ms)',
    listOf('queues', parseDelay),
  );
  add(
    '--rtts <list>',
    'of the paths (default: 0ms,50ms,200ms)',
    listOf('rtts', parseDelay, { zero: true }),
  );
  add('--bulk <way>', 'up (the default), down or both', oneOf('up', 'down', 'both'));
  add(
    '--changing',
    'a line whose rate falls to a 16th and comes back, and one that loses 1 %, too',
  );
  add(
    '--rival',
    'with a TCP flow in the same queue, over `tc tbf` between network namespaces; needs root and iproute2',
  );
  add('--uniform', 'without priorities between the classes');
  add('--time <time>', 'of each line, after 3 s at most (default: 10s)', parsePeriod);
  return cli.does<DelayBenchFlags>(command, async (context, flags) => {
    const settings = settingsOf(flags);
    const { scheduling, warmUpMs, ms } = settings;
    const [load = 0] = loadavg();
    const machine = { cores: availableParallelism(), loadBefore: Math.round(load * 100) / 100 };
    const line = new LiveLine(context.io.stderr);
    const signal = context.interruption.claim();
    const onStep = (title: string): void => void (context.shows && line.show(`... ${title}`));
    const bench = flags.rival === true ? besideRival : besideBulk;
    const { figures, lines, rival } = await bench(settings, signal, onStep).finally(
      () => context.shows && line.show(''),
    );
    context.result({ figures, settings: { rival, scheduling, warmUpMs, ms }, machine }, [
      `${formatCount(machine.cores, 'core')}, load before: ${machine.loadBefore}; ${ms / 1000} s each, single runs`,
      ...lines,
    ]);
  });
}

function settingsOf(flags: DelayBenchFlags): DelayBenchSettings {
  const { time: ms = DEFAULT_MS, rival = false, changing = false } = flags;
  if (ms === 0) throw new GodwitError('usage', '--time 0: some time is needed');
  if (rival && (flags.rtts ?? []).some((roundTripMs) => roundTripMs > 0))
    throw new GodwitError('usage', '--rtts: `tc tbf` adds no delay; leave out --rtts, or --rival');
  if (rival && changing)
    throw new GodwitError('usage', '--changing: not beside a rival; leave out one of the two');
  const warmUpMs = Math.min(WARM_UP_MS, ms);
  const cells = cellsOf({
    rates: flags.rates ?? DEFAULT_RATES,
    queuesMs: flags.queues ?? DEFAULT_QUEUES_MS,
    roundTripsMs: flags.rtts ?? (rival ? [0] : DEFAULT_ROUND_TRIPS_MS),
    direction: flags.bulk ?? 'up',
    changing,
    ms: warmUpMs + ms,
  });
  const scheduling = flags.uniform === true ? 'uniform' : 'priorities';
  return { cells, scheduling, warmUpMs, ms };
}

interface BenchOutput {
  readonly figures: readonly object[];
  readonly lines: readonly string[];
  /** The congestion control of the rival; null: there was none. */
  readonly rival: string | null;
}

type Bench = (
  settings: DelayBenchSettings,
  signal: AbortSignal,
  onStep: (title: string) => void,
) => Promise<BenchOutput>;

const besideBulk: Bench = async (...how) => {
  const figures = await runDelayBench(...how);
  return { figures, lines: cellLines(figures), rival: null };
};

const besideRival: Bench = async (...how) => {
  const figures = await runRivalBench(...how);
  return { figures, lines: rivalLines(figures), rival: TCP };
};

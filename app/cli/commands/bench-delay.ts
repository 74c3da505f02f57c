/** `godwit bench delay`: how long an urgent message waits beside bulk on slow lines, and how full those are. */
import { availableParallelism, loadavg } from 'node:os';
import type { Command } from 'commander';
import { parseRate } from '../../../shared/link/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { oneOf, parsePeriod } from '../arguments.ts';
import { listOf, parseDelay } from '../bench/bench-lists.ts';
import { cellsOf, type Direction } from '../bench/delay/delay-cells.ts';
import { cellLines } from '../bench/delay/delay-figures.ts';
import { runDelayBench } from '../bench/delay/run-delay-bench.ts';
import { flag, type Cli } from '../cli.ts';
import { formatCount } from '../format.ts';
import { LiveLine } from '../live-line.ts';

interface DelayBenchFlags {
  readonly rates?: readonly number[];
  readonly queues?: readonly number[];
  readonly rtts?: readonly number[];
  readonly bulk?: Direction;
  readonly changing?: boolean;
  readonly uniform?: boolean;
  readonly time?: number;
}

const DEFAULT_RATES = [64_000, 256_000, 1_024_000];
const DEFAULT_QUEUES_MS = [50, 1000];
const DEFAULT_ROUND_TRIPS_MS = [0, 50, 200];
const DEFAULT_MS = 10_000;
const WARM_UP_MS = 3000;

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
  add('--uniform', 'without priorities between the classes');
  add('--time <time>', 'of each line, after 3 s at most (default: 10s)', parsePeriod);
  return cli.does<DelayBenchFlags>(command, async (context, flags) => {
    const { time: ms = DEFAULT_MS } = flags;
    if (ms === 0) throw new GodwitError('usage', '--time 0: some time is needed');
    const warmUpMs = Math.min(WARM_UP_MS, ms);
    const cells = cellsOf({
      rates: flags.rates ?? DEFAULT_RATES,
      queuesMs: flags.queues ?? DEFAULT_QUEUES_MS,
      roundTripsMs: flags.rtts ?? DEFAULT_ROUND_TRIPS_MS,
      direction: flags.bulk ?? 'up',
      changing: flags.changing === true,
      ms: warmUpMs + ms,
    });
    const [load = 0] = loadavg();
    const machine = { cores: availableParallelism(), loadBefore: Math.round(load * 100) / 100 };
    const line = new LiveLine(context.io.stderr);
    const signal = context.interruption.claim();
    const onStep = (title: string): void => void (context.shows && line.show(`... ${title}`));
    const scheduling = flags.uniform === true ? 'uniform' : 'priorities';
    const settings = { cells, scheduling, warmUpMs, ms } as const;
    const figures = await runDelayBench(settings, signal, onStep).finally(
      () => context.shows && line.show(''),
    );
    context.result({ figures, settings: { scheduling, warmUpMs, ms }, machine }, [
      `${formatCount(machine.cores, 'core')}, load before: ${machine.loadBefore}; ${ms / 1000} s each, single runs`,
      ...cellLines(figures),
    ]);
  });
}

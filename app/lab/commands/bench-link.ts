/** `godwit bench link`: whether the link shaper keeps its conditions, compared with the kernel's own. */
import type { Command } from 'commander';
import { parseRate } from '../shaper/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { listOf, parseDelay } from '../bench/bench-lists.ts';
import { delayLines, rateLines } from '../bench/link/link-figures.ts';
import { runLinkBench } from '../bench/link/run-link-bench.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { parsePeriod } from '../../cli/arguments.ts';
import { LiveLine } from '../../cli/live-line.ts';

interface LinkBenchFlags {
  readonly rates?: readonly number[];
  readonly delays?: readonly number[];
  readonly time?: number;
  readonly tbf?: boolean;
}

const KIB = 1024;
const DEFAULT_RATES = [64, 256, 1024, 4096, 12_500].map((rate) => rate * KIB);
const DEFAULT_DELAYS_MS = [1, 5, 25, 100];
const DEFAULT_MS = 5000;

/**
 * Builds `godwit bench link`, which measures whether the link shaper keeps its rates and delays. A
 * missed target leaves the exit code 0.
 */
export function benchLinkCommand(cli: Cli): Command {
  const command = cli.plain('link', 'whether the link shaper keeps to its rates and delays');
  const rates = 'such as 64KiB/s,1MB/s (default: 64, 256, 1024, 4096, 12500 KiB/s)';
  flag(command, '--rates <list>', rates, undefined, listOf('rates', parseRate));
  const delays = 'such as 5ms,100ms (default: 1ms,5ms,25ms,100ms)';
  flag(command, '--delays <list>', delays, undefined, listOf('delays', parseDelay));
  flag(command, '--time <time>', 'of each measurement (default: 5s)', undefined, parsePeriod);
  flag(command, '--tbf', 'beside `tc tbf` between network namespaces; needs root and iproute2');
  return cli.does<LinkBenchFlags>(command, async (context, flags) => {
    const { rates = DEFAULT_RATES, delays = DEFAULT_DELAYS_MS, time = DEFAULT_MS } = flags;
    if (time === 0) throw new GodwitError('usage', '--time 0: some time is needed');
    const settings = { rates, delaysMs: delays, seconds: time / 1000, tbf: flags.tbf === true };
    const line = new LiveLine(context.io.stderr);
    const signal = context.interruption.claim();
    const onStep = (title: string): void => void (context.shows && line.show(`... ${title}`));
    const bench = await runLinkBench(settings, signal, onStep).finally(
      () => context.shows && line.show(''),
    );
    const { skipped } = bench;
    const compared = flags.tbf === true && skipped !== null ? [`no tc tbf: ${skipped}`] : [];
    context.result({ ...bench, settings }, [
      ...rateLines(bench.rates),
      ...compared,
      '',
      ...delayLines(bench.delays),
    ]);
  });
}

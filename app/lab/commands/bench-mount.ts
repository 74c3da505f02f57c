/** `godwit bench mount`: how fast programs are in a mount, beside the file system that its cache is on. */
import { availableParallelism, loadavg } from 'node:os';
import type { Command } from 'commander';
import { parseBytes, parseCount } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { formatCount } from '../../cli/format.ts';
import { LiveLine } from '../../cli/live-line.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { figureLines } from '../bench/figures.ts';
import type { MountSettings } from '../bench/mount/mount-rows.ts';
import { runMountBench } from '../bench/mount/run-mount-bench.ts';

const DEFAULTS: MountSettings = { large: 64 * 1024 * 1024, names: 10_000, rounds: 5 };

/** Builds `godwit bench mount`. Its figures are ratios to the file system of the cache, each beside its target. */
export function benchMountCommand(cli: Cli): Command {
  const command = cli.plain('mount', 'programs in a mount, beside the file system of its cache');
  const add = (name: string, text: string, parse: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--large <size>', 'of the large file (default: 64MiB)', parseBytes);
  add('--names <n>', 'in the large folder (default: 10000)', parseCount);
  add('--rounds <n>', 'of which the middle one counts (default: 5)', parseCount);
  return cli.does<Partial<MountSettings>>(command, async (context, flags) => {
    const settings = { ...DEFAULTS, ...flags };
    const [load = 0] = loadavg();
    const machine = { cores: availableParallelism(), loadBefore: Math.round(load * 100) / 100 };
    const line = new LiveLine(context.io.stderr);
    const signal = context.interruption.claim();
    const onStep = (title: string): void => void (context.shows && line.show(`... ${title}`));
    const figures = await runMountBench({ settings, signal, onStep }).finally(
      () => context.shows && line.show(''),
    );
    const { large, names, rounds } = settings;
    context.result({ figures, settings: { large, names, rounds }, machine }, [
      `${formatCount(machine.cores, 'core')}, load before: ${machine.loadBefore}; a file of ${sizeText(large)}, ` +
        `${names} names, ${formatCount(rounds, 'round')}`,
      ...figureLines(figures),
    ]);
  });
}

/** `godwit bench`; and `godwit bench ingest`: how fast this machine takes files in, and what an idle daemon costs. */
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCountOrNone, parsePeriod, parseBytes } from '../../cli/arguments.ts';
import { figureLines } from '../bench/figures.ts';
import { INGEST_PARTS, leftOut, refuseWithoutRoom } from '../bench/ingest-settings.ts';
import type { IngestPart, IngestSettings } from '../bench/ingest-settings.ts';
import { runIngest } from '../bench/run-ingest.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { benchCellsCommand } from './bench-cells.ts';
import { benchDelayCommand } from './bench-delay.ts';
import { benchLinkCommand } from './bench-link.ts';
import { benchMountCommand } from './bench-mount.ts';
import { paperCommands } from './bench-paper.ts';
import { benchPropagateCommand } from './bench-propagate.ts';
import { listFrom } from './bench-real.ts';
import { benchRoamCommand } from './bench-roam.ts';
import { benchRwCommand } from './bench-rw.ts';
import { studyCommands } from './bench-studies.ts';
import { formatCount } from '../../cli/format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { LiveLine } from '../../cli/live-line.ts';

interface IngestFlags {
  readonly files?: number;
  readonly size?: number;
  readonly large?: number;
  readonly known?: number;
  readonly idle?: number;
  readonly only?: readonly IngestPart[];
}

const DEFAULTS: IngestSettings = {
  files: 10_000,
  size: 4096,
  large: 1024 ** 3,
  known: 100_000,
  idleMs: 60_000,
};

/**
 * Builds `godwit bench` with all its measurements and the experiments of the papers. By itself it
 * throws GodwitError `usage`.
 */
export function benchCommand(cli: Cli): Command {
  const command = cli.holds(cli.plain('bench', 'measure this machine against the targets'));
  command.enablePositionalOptions();
  command.addCommand(ingestCommand(cli));
  command.addCommand(benchMountCommand(cli));
  command.addCommand(benchLinkCommand(cli));
  command.addCommand(benchDelayCommand(cli));
  command.addCommand(benchRwCommand(cli));
  command.addCommand(benchPropagateCommand(cli));
  command.addCommand(benchRoamCommand(cli));
  command.addCommand(benchCellsCommand(cli));
  for (const paper of paperCommands(cli)) command.addCommand(paper);
  for (const study of studyCommands(cli)) command.addCommand(study);
  return command;
}

function ingestCommand(cli: Cli): Command {
  const command = cli.plain('ingest', 'files taken in by a daemon and a server on this machine');
  const add = (name: string, text: string, parse: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--files <n>', 'new files (default: 10000; 0 leaves this out)', parseCountOrNone);
  add('--size <size>', 'of each of them (default: 4096)', parseBytes);
  add('--large <size>', 'of one large file (default: 1GiB; 0 leaves it out)', parseBytes);
  add('--known <n>', 'files known at a start (default: 100000; 0 leaves it out)', parseCountOrNone);
  add('--idle <time>', 'how long to watch it idle (default: 60s; 0 leaves it out)', parsePeriod);
  add('--only <list>', 'of files, large, known, idle (default: all)', listFrom(...INGEST_PARTS));
  return cli.does<IngestFlags>(command, async (context, flags) => {
    const settings = settingsOf(flags);
    refuseWithoutRoom(tmpdir(), settings);
    const [load = 0] = loadavg();
    const machine = { cores: availableParallelism(), loadBefore: Math.round(load * 100) / 100 };
    const line = new LiveLine(context.io.stderr);
    const signal = context.interruption.claim();
    const onStep = (title: string): void => void (context.shows && line.show(`... ${title}`));
    const figures = await runIngest({ settings, signal, onStep }).finally(
      () => context.shows && line.show(''),
    );
    const { files, size, large, known, idleMs } = settings;
    const shown = { files, size, large, known, idleSeconds: idleMs / 1000 };
    const cores = formatCount(machine.cores, 'core');
    context.result({ figures, settings: shown, machine }, [
      `${cores}, load before: ${machine.loadBefore}; files of ${sizeText(size)}` +
        (large > 0 ? `, the large one of ${sizeText(large)}` : ''),
      ...figureLines(figures),
    ]);
  });
}

function settingsOf({ files, size, large, known, idle, only }: IngestFlags): IngestSettings {
  const defaults = only === undefined ? DEFAULTS : { ...DEFAULTS, ...leftOut(only) };
  const settings: IngestSettings = {
    files: files ?? defaults.files,
    size: size ?? defaults.size,
    large: large ?? defaults.large,
    known: known ?? defaults.known,
    idleMs: idle ?? defaults.idleMs,
  };
  if (settings.size === 0) throw new GodwitError('usage', '--size 0: a file of at least 1 byte');
  const asked = settings.files + settings.large + settings.known + settings.idleMs;
  if (asked === 0) throw new GodwitError('usage', 'bench ingest: nothing is left to measure');
  return settings;
}

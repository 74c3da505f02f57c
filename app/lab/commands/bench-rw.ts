/** `godwit bench rw`: how much a background upload holds up a program that reads. */
import type { Command } from 'commander';
import { SCHEDULINGS, type Scheduling } from '../../../shared/model/scheduling.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount, parseBytes } from '../../cli/arguments.ts';
import { ALWAYS_IN_FULL } from '../bench/rw/programs.ts';
import { rwExperiments } from '../bench/rw/rw.ts';
import { THROUGH, type Through } from '../bench/real/through.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { linesOf, listFrom, realCommand, showExperiments, type RealFlags } from './bench-real.ts';

interface RwFlags extends RealFlags {
  readonly scheduling?: readonly Scheduling[];
  readonly through?: readonly Through[];
  readonly files?: number;
  readonly size?: number;
  readonly alone?: boolean;
}

const KIB = 1024;
const DEFAULT_RATES = [64 * KIB, 256 * KIB, 1024 * KIB];
const DEFAULT_FILES = 16;
const DEFAULT_SIZE = KIB * KIB;

/**
 * Builds `godwit bench rw`, which measures how much a background upload holds up reads (MFS,
 * section 3.4, test RW).
 */
export function benchRwCommand(cli: Cli): Command {
  const text = 'how much a background upload holds up a program that reads';
  const command = realCommand(cli, 'rw', text, '64KiB/s,256KiB/s,1024KiB/s');
  const add = (name: string, text: string, parse: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--scheduling <list>', 'priorities (as usual), uniform, or both', listFrom(...SCHEDULINGS));
  add('--through <list>', 'folder, port (default: port)', listFrom(...THROUGH));
  add('--files <n>', 'to read, and as many to write (default: 16)', parseCount);
  add('--size <size>', 'of each of them (default: 1MiB)', parseBytes);
  flag(command, '--alone', 'the reading without the writing, for comparison');
  return cli.does<RwFlags>(command, async (context, flags) => {
    const { scheduling: schedulings = ['priorities'], through = ['port'] } = flags;
    const { files = DEFAULT_FILES, size = DEFAULT_SIZE } = flags;
    if (size === 0) throw new GodwitError('usage', '--size 0: a file of at least 1 byte');
    if (through.includes('folder') && size <= ALWAYS_IN_FULL) {
      const least = `more than ${ALWAYS_IN_FULL} bytes, or the folder has it in full before it is read`;
      throw new GodwitError('usage', `--size ${size}: through the folder ${least}`);
    }
    const lines = linesOf(flags, DEFAULT_RATES);
    const alone = flags.alone === true;
    const experiments = rwExperiments({ lines, schedulings, through, files, size, alone });
    await showExperiments(context, flags, experiments);
  });
}

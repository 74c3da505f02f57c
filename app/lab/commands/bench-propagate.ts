/** `godwit bench propagate`: how soon one laptop sees what another has saved, and that it never sees anything else. */
import type { Command } from 'commander';
import { SCHEDULINGS, type Scheduling } from '../../../shared/model/scheduling.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount, parsePeriod, parseBytes } from '../../cli/arguments.ts';
import { oneOf } from '../../cli/fixed-values.ts';
import { PARTS, propagateExperiments, type Part } from '../bench/propagate/propagate.ts';
import { THROUGH, type Through } from '../bench/real/through.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { listFrom, linesOf, realCommand, showExperiments, type RealFlags } from './bench-real.ts';

interface PropagateFlags extends RealFlags {
  readonly scheduling?: Scheduling;
  readonly only?: readonly Part[];
  readonly through?: readonly Through[];
  readonly size?: number;
  readonly upload?: number;
  readonly large?: number;
  readonly files?: number;
  readonly times?: number;
  readonly away?: number;
}

const KIB = 1024;
const DEFAULT_RATES = [256 * KIB];
const INSERTED = 100;

/**
 * Builds `godwit bench propagate`, which measures how soon one laptop sees what another has saved.
 */
export function benchPropagateCommand(cli: Cli): Command {
  const text = 'how soon one laptop sees what another has saved';
  const command = realCommand(cli, 'propagate', text, '256KiB/s');
  const add = (name: string, text: string, parse: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--scheduling <how>', 'priorities (as usual), or uniform', oneOf(...SCHEDULINGS));
  add('--only <list>', 'of saves, edit, pull, bulk (default: all)', listFrom(...PARTS));
  add('--through <list>', 'folder, port (default: both)', listFrom(...THROUGH));
  add('--size <size>', 'of the file that is saved (default: 64KiB)', parseBytes);
  add('--upload <size>', 'beside which it is (default: 16MiB)', parseBytes);
  add('--large <size>', 'of the file that is edited (default: 10MiB)', parseBytes);
  add('--files <n>', 'that this is, where the other follows it (default: 16)', parseCount);
  add(
    '--times <n>',
    'saves on idle lines, and beside an upload (default: 5; followed: 20)',
    parseCount,
  );
  add('--away <time>', 'how long the writer is in the bag (default: 35s)', parsePeriod);
  return cli.does<PropagateFlags>(command, async (context, flags) => {
    const { size = 64 * KIB, upload = 16 * KIB * KIB, large = 10 * KIB * KIB } = flags;
    if (Math.min(size, upload, large) < KIB) {
      throw new GodwitError('usage', 'bench propagate: a size is 1 KiB or more');
    }
    const experiments = propagateExperiments({
      lines: linesOf(flags, DEFAULT_RATES),
      scheduling: flags.scheduling ?? 'priorities',
      parts: flags.only ?? PARTS,
      through: flags.through ?? THROUGH,
      ...{ size, upload, large },
      inserted: INSERTED,
      times: flags.times ?? 5,
      besideTimes: flags.times ?? 20,
      files: flags.files ?? 16,
      awayMs: flags.away ?? 35_000,
    });
    await showExperiments(context, flags, experiments);
  });
}

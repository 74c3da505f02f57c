/** `godwit bench cells`: what people who share ask of the product. The name is that of AFS for people and volumes under one rule. */
import type { Command } from 'commander';
import { parseBytes, parseCount } from '../../cli/arguments.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { CELL_PARTS, cellExperiments, type CellPart } from '../bench/cells/cells.ts';
import { linesOf, listFrom, realCommand, showExperiments, type RealFlags } from './bench-real.ts';

interface CellFlags extends RealFlags {
  readonly only?: readonly CellPart[];
  readonly size?: number;
  readonly times?: number;
}

const DEFAULT_RATES = [256_000];
const DEFAULT_SIZE = 16_000_000;
const DEFAULT_TIMES = 5;

/** Builds `godwit bench cells`, which measures rights that are taken, cold paths, and moves into a volume. */
export function benchCellsCommand(cli: Cli): Command {
  const text = 'rights that are taken, paths never looked at, moves into a volume';
  const command = realCommand(cli, 'cells', text, '256KB/s');
  const add = (name: string, says: string, parse: (text: string) => unknown): void =>
    void flag(command, name, says, undefined, parse);
  add('--only <list>', 'of withdraw, cold, move (default: all)', listFrom(...CELL_PARTS));
  add('--size <size>', 'of the upload beside it, and of what moves (default: 16MB)', parseBytes);
  add('--times <n>', 'of each that can be done again (default: 5)', parseCount);
  return cli.does<CellFlags>(command, async (context, flags) => {
    const { only: parts = CELL_PARTS, size = DEFAULT_SIZE, times = DEFAULT_TIMES } = flags;
    const lines = linesOf(flags, DEFAULT_RATES);
    const experiments = lines.flatMap((line) => cellExperiments({ line, parts, size, times }));
    await showExperiments(context, flags, experiments);
  });
}

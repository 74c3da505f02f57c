/** `godwit bench roam`: the results a laptop gets that changes networks in the middle of its transfers, and how soon they continue. */
import type { Command } from 'commander';
import { parseRate } from '../shaper/rate-trace.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parsePeriod, parseBytes } from '../../cli/arguments.ts';
import { listOf } from '../bench/bench-lists.ts';
import type { Break } from '../bench/roam/breaks.ts';
import {
  DEFAULT_FALL,
  DEFAULT_FALL_MS,
  DEFAULT_OUTAGES_MS,
  DEFAULT_ROAM_SIZE,
  roamExperiments,
} from '../bench/roam/roam.ts';
import { flag, type Cli } from '../../cli/cli.ts';
import { notSimulated } from './bench-paper.ts';
import { linesOf, listFrom, realCommand, showExperiments, type RealFlags } from './bench-real.ts';

type Kind = Break['kind'];

interface RoamFlags extends RealFlags {
  readonly only?: readonly Kind[];
  readonly outages?: readonly number[];
  readonly fall?: readonly number[];
  readonly fallTime?: number;
  readonly size?: number;
  readonly simulate?: boolean;
}

const KIB = 1024;
const DEFAULT_RATES = [1024 * KIB];
const KINDS = ['move', 'outage', 'fall'] as const;

/**
 * Builds `godwit bench roam`, which measures what a laptop meets that changes networks amid its
 * transfers.
 */
export function benchRoamCommand(cli: Cli): Command {
  const text = 'what a laptop that changes networks is told, and how soon its transfers go on';
  const command = realCommand(cli, 'roam', text, '1024KiB/s');
  const add = (name: string, text: string, parse: (text: string) => unknown): void =>
    void flag(command, name, text, undefined, parse);
  add('--only <list>', 'of move, outage, fall (default: all)', listFrom(...KINDS));
  add('--outages <list>', 'of the line (default: 1s,10s,60s)', listOf('outages', parsePeriod));
  add('--fall <list>', 'rates it falls to (default: 32KiB/s)', listOf('fall', parseRate));
  add('--fall-time <time>', 'until it is back (default: 10s)', parsePeriod);
  flag(command, '--simulate', 'there is no simulated form: refused');
  add('--size <size>', 'of the upload, and of the download (default: 8MiB)', parseBytes);
  return cli.does<RoamFlags>(command, async (context, flags) => {
    if (flags.simulate === true) throw notSimulated('roam');
    const { size = DEFAULT_ROAM_SIZE, only = KINDS } = flags;
    if (size < 64 * KIB) throw new GodwitError('usage', 'bench roam: --size is 64 KiB or more');
    const lines = linesOf(flags, DEFAULT_RATES);
    const breaks = breaksOf(flags).filter(({ kind }) => only.includes(kind));
    await showExperiments(context, flags, roamExperiments({ lines, breaks, size }));
  });
}

function breaksOf(flags: RoamFlags): Break[] {
  const { outages = DEFAULT_OUTAGES_MS, fall = DEFAULT_FALL, fallTime = DEFAULT_FALL_MS } = flags;
  return [
    { kind: 'move' },
    ...outages.map((ms): Break => ({ kind: 'outage', ms })),
    ...fall.map((bytesPerSecond): Break => ({ kind: 'fall', bytesPerSecond, ms: fallTime })),
  ];
}

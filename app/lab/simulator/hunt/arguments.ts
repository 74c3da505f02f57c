/** The arguments of `godwit sim`, as one of the things it can do. */
import { Command, CommanderError, Option } from 'commander';
import type { FaultFamily } from '../fault/fault.ts';
import { FAULTS, NAMED_FAULTS } from '../fault/faults.ts';
import { MOST_ENTRIES } from '../plan/plan-limits.ts';
import { faultsOf } from './fault-list.ts';
import { UsageError } from './usage-error.ts';

/** How the runs of a seed are made. */
export interface Making {
  /** Operations of programs; null: as many as is usual. */
  readonly steps: number | null;
  readonly faults: readonly FaultFamily[];
  /** The folder engine on simulated disks; left out: the protocol, with replicas in memory. */
  readonly world?: 'folder';
}

interface Saving {
  /** Where plans of failures go; null: the usual place. */
  readonly save: string | null;
  readonly shortenRuns: number;
  readonly json: boolean;
}

/** One of so many parts, which together are the whole; the first is number 1. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

export const WHOLE: Part = { number: 1, of: 1 };

export type Arguments =
  | { readonly what: 'help'; readonly text: string }
  | ({ readonly what: 'seed'; readonly seed: number; readonly making: Making } & Saving)
  | ({ readonly what: 'replay'; readonly file: string } & Saving)
  | ({
      readonly what: 'sequences';
      readonly depth: number;
      readonly part: Part;
      readonly workers: number | null;
    } & Saving)
  | ({
      readonly what: 'hunt';
      /** Null: until the seeds are through. */
      readonly minutes: number | null;
      /** Null: random seeds. */
      readonly range: { readonly from: number; readonly count: number } | null;
      readonly workers: number | null;
      readonly making: Making;
    } & Saving);

const MOST_STEPS = MOST_ENTRIES / 2;
const MOST_MINUTES = 10_000;
const MOST_SEEDS = 100_000_000;
const MOST_WORKERS = 256;
const MOST_SHORTEN_RUNS = 100_000;
const MOST_DEPTH = 3;
const MOST_PARTS = 1000;
const USUAL_SHORTEN_RUNS = 500;
const WORLDS = ['volume', 'folder'] as const;

interface Flags {
  readonly seed?: number;
  readonly steps?: number;
  readonly faults: readonly FaultFamily[];
  readonly world: (typeof WORLDS)[number];
  readonly minutes?: number;
  readonly from?: number;
  readonly count?: number;
  readonly workers?: number;
  readonly replay?: string;
  readonly sequences?: number;
  readonly part?: Part;
  readonly save?: string;
  readonly shortenRuns: number;
  readonly json: boolean;
}

/** Throws UsageError. */
export function parseArguments(args: readonly string[]): Arguments {
  const command = sim();
  if (args.includes('--help') || args.includes('-h')) {
    return { what: 'help', text: command.helpInformation() + closing() };
  }
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError('godwit sim', error.message.replace(/^error: /, ''));
  }
  return chosen(command.opts<Flags>());
}

function sim(): Command {
  const option = (flags: string, description: string, parse: (text: string) => unknown): Option =>
    new Option(flags, description).argParser(parse);
  return new Command('godwit sim')
    .description('Runs server and laptops in a simulated world, and looks for what must not be.')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addOption(option('--seed <n>', 'run the history of one seed', seed('--seed')))
    .addOption(option('--minutes <m>', 'run random seeds on all cores for that long', minutes))
    .addOption(option('--from <seed>', 'run this seed and those after it ...', seed('--from')))
    .addOption(option('--count <k>', '... so many', whole('--count', 1, MOST_SEEDS)))
    .option('--replay <file>', 'run a plan, or a saved failure, again')
    .addOption(
      option(
        '--sequences <depth>',
        'run every sequence of up to so many operations, with every crash',
        whole('--sequences', 1, MOST_DEPTH),
      ),
    )
    .addOption(option('--part <k/n>', 'of the sequences: the k-th of n parts, by itself', part))
    .addOption(
      option(
        '--steps <m>',
        'steps of each run: what programs do at one go',
        whole('--steps', 0, MOST_STEPS),
      ),
    )
    .addOption(
      option('--faults <list>', 'faults that a run may have', (text) =>
        faultsOf(text, FAULTS, NAMED_FAULTS),
      ).default(FAULTS, 'all'),
    )
    .addOption(
      new Option('--world <name>', 'replicas in memory, or the folder engine on simulated disks')
        .choices([...WORLDS])
        .default('volume'),
    )
    .option('--save <dir>', 'where the plan of a failure is written')
    .addOption(
      option(
        '--shorten-runs <n>',
        'runs that shortening a failure may take; 0: it stays as long as it is',
        whole('--shorten-runs', 0, MOST_SHORTEN_RUNS),
      ).default(USUAL_SHORTEN_RUNS),
    )
    .addOption(
      option(
        '--workers <n>',
        'with many seeds or sequences: how many run at once',
        whole('--workers', 1, MOST_WORKERS),
      ),
    )
    .option('--json', 'print one JSON object', false);
}

function closing(): string {
  return `
Faults: all, none, or names with commas: ${FAULTS.map(({ name }) => name).join(', ')}.
Beside all: ${NAMED_FAULTS.map(({ name }) => name).join(', ')}, as in --faults all,${NAMED_FAULTS[0]?.name ?? ''}.
A minus leaves one out: --faults all,-${FAULTS[0]?.name ?? ''}.

Exit codes: 0 nothing found, 1 something found, 2 usage, 5 the result could not be written.
`;
}

function chosen(flags: Flags): Arguments {
  const { seed: one, minutes: time, from, count, replay, workers, sequences } = flags;
  const modes = [
    ...(one === undefined ? [] : ['--seed']),
    ...(time === undefined ? [] : ['--minutes']),
    ...(from === undefined ? [] : ['--from']),
    ...(replay === undefined ? [] : ['--replay']),
    ...(sequences === undefined ? [] : ['--sequences']),
  ];
  if (modes.length === 0) {
    const reason = 'nothing says what to run';
    throw new UsageError(
      'godwit sim',
      reason,
      'give --seed, --minutes, --from with --count, --replay, or --sequences',
    );
  }
  if (modes.length > 1) {
    throw new UsageError(modes.join(' and '), 'each is a thing of its own', 'give one of them');
  }
  if ((from === undefined) !== (count === undefined)) {
    throw new UsageError('--from and --count', 'one of them is missing', 'give both');
  }
  const { save = null, shortenRuns, json, steps = null, faults } = flags;
  const saving = { save, shortenRuns, json };
  const isFolder = flags.world === 'folder';
  if (isFolder && (replay !== undefined || sequences !== undefined)) {
    const reason = 'a file says which world it is of, and sequences are of the other one';
    throw new UsageError('--world folder', reason, 'give --seed, --minutes or --from');
  }
  const making: Making = { steps, faults, ...(isFolder ? { world: 'folder' } : {}) };
  const oneRun = one !== undefined || replay !== undefined;
  if (oneRun && workers !== undefined) {
    throw new UsageError('--workers', 'there is one run only', 'leave it out');
  }
  if (sequences !== undefined) {
    const { part: asked = WHOLE } = flags;
    return {
      what: 'sequences',
      depth: sequences,
      part: asked,
      workers: workers ?? null,
      ...saving,
    };
  }
  if (flags.part !== undefined) {
    throw new UsageError('--part', 'there are no sequences to be parted', 'give --sequences');
  }
  if (replay !== undefined) {
    if (steps !== null) {
      throw new UsageError('--steps', 'the file says what is done', 'leave it out');
    }
    return { what: 'replay', file: replay, ...saving };
  }
  if (one !== undefined) return { what: 'seed', seed: one, making, ...saving };
  const range = from === undefined || count === undefined ? null : { from, count };
  if (range !== null && !Number.isSafeInteger(range.from + range.count)) {
    throw new UsageError('--from', 'the last seed is too large', 'give a smaller one');
  }
  return {
    what: 'hunt',
    minutes: time ?? null,
    range,
    workers: workers ?? null,
    making,
    ...saving,
  };
}

function seed(flag: string): (text: string) => number {
  return whole(flag, 0, Number.MAX_SAFE_INTEGER);
}

function part(text: string): Part {
  const [, number = NaN, of = NaN] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (number >= 1 && number <= of && of <= MOST_PARTS) return { number, of };
  const reason = `${text} is no part of at most ${MOST_PARTS}`;
  throw new UsageError('--part', reason, 'give one as 2/8, the second of eight');
}

function whole(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new UsageError(flag, `${text} is no whole number from ${least} to ${most}`, 'give one');
  };
}

function minutes(text: string): number {
  const value = /^\d{1,5}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value <= MOST_MINUTES) return value;
  throw new UsageError(
    '--minutes',
    `${text} is no time above 0 and up to ${MOST_MINUTES}`,
    'give one, such as 10 or 0.5',
  );
}

/** Which faults there are: every label that a recorded story has met, with every kind that can happen to such a call. */
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { CRASHES, type DiskFault, type FaultKind } from './disk-calls.ts';
import type { ProgramName } from './program.ts';
import type { StoryFaults } from './story.ts';

/** Calls of each label, by program. */
export type Recorded = ReadonlyMap<ProgramName, ReadonlyMap<string, number>>;

export interface Pair extends DiskFault {
  readonly program: ProgramName;
}

/** A disk that was full, or failing, is so for more than one call. */
const LATER_TIMES = 3;
/** Stories of a spread. */
const SPREAD = 3;
const HALVES: ReadonlySet<string> = new Set(['write']);
/** What a call that needs no room, or has a file open already, is never told. */
const NEEDS_NO_ROOM: ReadonlySet<string> = new Set(['remove', 'attributes']);
const IS_OPEN: ReadonlySet<string> = new Set(['write', 'sync', 'truncate', 'allocate']);

export function kindsOf(label: string): FaultKind[] {
  const call = label.slice(0, label.indexOf(' '));
  return [
    'before',
    'after',
    ...(HALVES.has(call) ? (['torn', 'short'] as const) : []),
    'EIO',
    ...(NEEDS_NO_ROOM.has(call) ? [] : (['ENOSPC'] as const)),
    ...(IS_OPEN.has(call) ? [] : (['EROFS'] as const)),
  ];
}

/**
 * Each label with each kind, at its first call and, where there are more, at one drawn from the later ones; in an order that is
 * drawn. Laptops are alike: a label counts once, with the laptop that has more of it.
 */
export function pairsOf(recorded: Recorded, random: SeededRandom): Pair[] {
  const pairs = alike(recorded).flatMap(({ program, label, calls }) =>
    kindsOf(label).flatMap((kind): Pair[] => {
      const first = { program, label, kind, from: 1, times: 1 };
      if (calls < 2) return [first];
      const from = random.fork(`${program} ${label} ${kind}`).between(2, calls);
      return [first, { ...first, from, times: kind.startsWith('E') ? LATER_TIMES : 1 }];
    }),
  );
  const order = random.fork('order');
  const drawn = pairs.map((pair) => ({ pair, at: order.next32() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ pair }) => pair);
}

interface Labelled {
  readonly program: ProgramName;
  readonly label: string;
  readonly calls: number;
}

function alike(recorded: Recorded): Labelled[] {
  const most = new Map<string, Labelled>();
  for (const [program, counts] of recorded) {
    for (const [label, calls] of counts) {
      const key = `${program === 'server' ? 'server' : 'laptop'} ${label}`;
      if ((most.get(key)?.calls ?? 0) < calls) most.set(key, { program, label, calls });
    }
  }
  return [...most.values()];
}

/** Packed so that the faults of one story are each in another program. */
export function together(pairs: readonly Pair[]): Pair[][] {
  const stories: Pair[][] = [];
  for (const pair of pairs) {
    const free = stories.find((story) => !story.some(({ program }) => program === pair.program));
    if (free === undefined) stories.push([pair]);
    else free.push(pair);
  }
  return stories;
}

/**
 * A few stories for every run of the tests, with a fault in each program. A crash of the server comes first and but once: nobody
 * hears of it before a lease has run out.
 */
export function spreadOf(recorded: Recorded, random: SeededRandom): Pair[][] {
  const all = pairsOf(recorded, random);
  const of = (test: (pair: Pair) => boolean, count: number): Pair[] =>
    all.filter(test).slice(0, count);
  const isCrash = ({ kind }: Pair): boolean => CRASHES.some((crash) => crash === kind);
  return together([
    ...of((pair) => pair.program === 'server' && isCrash(pair), 1),
    ...of((pair) => pair.program === 'server' && !isCrash(pair), SPREAD - 1),
    ...of(({ program }) => program === 'ann', SPREAD),
    ...of(({ program }) => program === 'bob', SPREAD),
  ]);
}

export function faultsOf(pairs: readonly Pair[]): StoryFaults {
  return Object.fromEntries(pairs.map((pair) => [pair.program, pair]));
}

export function nameOf({ program, label, kind, from, times }: Pair): string {
  return `${program}: ${label}: ${kind} at call ${from}${times > 1 ? ` and ${times - 1} more` : ''}`;
}

const NAME = /^(server|ann|bob): (.*): (\w+) at call (\d+)(?: and (\d+) more)?$/;

/** The other way round. */
export function pairOf(name: string): Pair {
  const [, program, label, kind, from, more = '0'] = NAME.exec(name) ?? [];
  if (label === undefined) throw new Error(`not the name of a fault: ${name}`);
  return {
    program: program as ProgramName,
    label,
    kind: kind as FaultKind,
    from: Number(from),
    times: 1 + Number(more),
  };
}

/** Which faults there are: every label that a recorded story has met, with every kind that can happen to such a call. */
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { isCrash, type DiskFault, type FaultKind } from './disk-calls.ts';
import type { ProgramName } from './program.ts';
import type { StoryFaults } from './story.ts';

/** Calls of each label, by program. */
export type Recorded = ReadonlyMap<ProgramName, ReadonlyMap<string, number>>;

export interface Pair extends DiskFault {
  readonly program: ProgramName;
}

/** How many calls a full or failing disk affects. */
const LATER_TIMES = 3;
/** The number of stories in a spread. */
const SPREAD = 3;
const HALVES: ReadonlySet<string> = new Set(['write']);
/** Calls that need no space, or have their file open already, never fail with a full disk. */
const NEEDS_NO_ROOM: ReadonlySet<string> = new Set(['remove', 'attributes']);
const IS_OPEN: ReadonlySet<string> = new Set(['write', 'sync', 'truncate', 'allocate']);

/** The kinds of fault that can happen to calls of a label. */
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
      const key = labelledOf({ program, label });
      if ((most.get(key)?.calls ?? 0) < calls) most.set(key, { program, label, calls });
    }
  }
  return [...most.values()];
}

/**
 * Of those of `pairs` that `log` does not tell of, in another order: before a label is tried again with a kind, each has been tried
 * with it, and before it is tried with another kind, each has been tried at all. What the log tells of counts as tried, at whichever
 * later call: how many there are differs from run to run.
 */
export function untried(pairs: readonly Pair[], log: string): Pair[] {
  const tried = new Set([...log.matchAll(TRIED)].map(([, name]) => keyOf(pairOf(name ?? ''))));
  const [labels, kinds] = [new Map<string, number>(), new Map<string, number>()];
  const next = (counts: Map<string, number>, key: string): number => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
  const isTried = (pair: Pair): boolean => tried.has(keyOf(pair));
  const ranked = [...pairs.filter(isTried), ...pairs.filter((pair) => !isTried(pair))].map(
    (pair) => ({
      pair,
      ofKind: next(kinds, `${labelledOf(pair)} ${pair.kind}`),
      ofLabel: next(labels, labelledOf(pair)),
    }),
  );
  const left = ranked.filter(({ pair }) => !isTried(pair));
  return left.sort((a, b) => a.ofKind - b.ofKind || a.ofLabel - b.ofLabel).map(({ pair }) => pair);
}

/** Lines of a log that tell how a fault ended that was met. */
const TRIED = /^(?:fine|FOUND) +[\d.]+ s {2}(.*)$/gm;

/** The label with its program, where both laptops count as one. */
function labelledOf({ program, label }: Pick<Pair, 'program' | 'label'>): string {
  return `${program === 'server' ? 'server' : 'laptop'} ${label}`;
}

function keyOf(pair: Pair): string {
  return `${labelledOf(pair)} ${pair.kind} ${pair.from === 1 ? 'first' : 'later'}`;
}

/**
 * Packed so that a program has up to `each` of the faults of one story: of other labels, for a fault changes how often its call is
 * made, and all crashes or all failures, for an end that a crash explains is not looked at.
 */
export function together(pairs: readonly Pair[], each = 1): Pair[][] {
  const stories: Pair[][] = [];
  for (const pair of pairs) {
    const free = stories.find((story) => {
      const beside = story.filter(({ program }) => program === pair.program);
      if (beside.length >= each) return false;
      return beside.every((one) => one.label !== pair.label && isCrash(one) === isCrash(pair));
    });
    if (free === undefined) stories.push([pair]);
    else free.push(pair);
  }
  return stories;
}

/** The faults of a story in which something was found, to be looked at apart: those of each program, and then each. */
export function apart(pairs: readonly Pair[]): Pair[][] {
  const groups = new Map<ProgramName, Pair[]>();
  for (const pair of pairs) groups.set(pair.program, [...(groups.get(pair.program) ?? []), pair]);
  return groups.size > 1 ? [...groups.values()] : pairs.map((pair) => [pair]);
}

/**
 * A few stories for every run of the tests, with a fault in each program. A crash of the server comes first and but once: nobody
 * hears of it before a lease has run out.
 */
export function spreadOf(recorded: Recorded, random: SeededRandom): Pair[][] {
  const all = pairsOf(recorded, random);
  const of = (test: (pair: Pair) => boolean, count: number): Pair[] =>
    all.filter(test).slice(0, count);
  return together([
    ...of((pair) => pair.program === 'server' && isCrash(pair), 1),
    ...of((pair) => pair.program === 'server' && !isCrash(pair), SPREAD - 1),
    ...of(({ program }) => program === 'ann', SPREAD),
    ...of(({ program }) => program === 'bob', SPREAD),
  ]);
}

/** The faults of a story, divided by program. */
export function faultsOf(pairs: readonly Pair[]): StoryFaults {
  const of = (name: ProgramName): Pair[] => pairs.filter(({ program }) => program === name);
  return { server: of('server'), ann: of('ann'), bob: of('bob') };
}

/** The name of a fault, as the log prints it. */
export function nameOf({ program, label, kind, from, times }: Pair): string {
  return `${program}: ${label}: ${kind} at call ${from}${times > 1 ? ` and ${times - 1} more` : ''}`;
}

const NAME = /^(server|ann|bob): (.*): (\w+) at call (\d+)(?: and (\d+) more)?$/;

/** The fault that `nameOf` has named. */
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

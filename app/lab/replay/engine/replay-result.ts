/** What a replay has shown, as plain data. Times are seconds since it began, unless a comment gives another unit. */
import { CALL_SUMS, noSums, type CallSums } from '../../../../shared/metrics/call-meter.ts';
import { PRIORITY_CLASSES, type PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { ReplayPlan } from '../plan/replay-plan.ts';
import type { ClassSums, Crossed, MachineCosts, ReplayLaptop } from './replay-world.ts';
import type { ProcessTally, PulledOpen, Tally, WaitSums } from './tally.ts';

export interface ProcessResult {
  readonly name: string;
  readonly program: string;
  readonly laptop: string;
  readonly steps: number;
  readonly began: number;
  readonly ended: number;
  /** Of that time, waiting for its operations. */
  readonly waited: number;
  /** Opens that had to fetch, and how long they took on average. */
  readonly fetches: number;
  readonly meanFetchMs: number;
}

export interface OperationResult {
  readonly operation: string;
  readonly count: number;
  readonly meanMs: number;
  readonly longestMs: number;
}

export interface ReplayResult {
  /** Of the trace. */
  readonly traced: number;
  readonly lastRead: number;
  /** When the last close of something written returned. */
  readonly lastWrite: number;
  readonly ended: number;
  /** When all of it was committed. */
  readonly drained: number;
  readonly steps: number;
  /** How often a program got the error that the server is away. */
  readonly away: number;
  readonly unlike: number;
  readonly firstUnlike: readonly string[];
  readonly skipped: number;
  /** Operations that the recorder had left out. */
  readonly lost: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  /** Of opens that had to fetch. */
  readonly meanFetchMs: number;
  readonly longestFetchMs: number;
  /** Opens that showed less than another laptop had closed before. */
  readonly staleReads: number;
  /** Opens that showed what breaks the order of another laptop's updates. */
  readonly disorderedReads: number;
  /** Opens of what another laptop had queued and not committed. */
  readonly pulled: readonly PulledOpen[];
  readonly processes: readonly ProcessResult[];
  readonly operations: readonly OperationResult[];
  /** Of all laptops together. */
  readonly classes: Readonly<Record<PriorityClass, Readonly<CallSums>>>;
  /** The same of each period between marks, by when calls ended; without marks there is none. */
  readonly periods: ReadonlyArray<{ readonly from: number; readonly classes: ClassSums }>;
  /** On average from the beginning until all was committed; null: it was simulated. */
  readonly machine: MachineCosts | null;
  /** The same as `classes`, of each laptop. */
  readonly byLaptop: ReadonlyArray<{
    readonly name: string;
    readonly crossed: Crossed;
    readonly classes: ClassSums;
  }>;
}

interface Measured {
  readonly before: readonly ClassSums[];
  /** At each mark. */
  readonly marked: ReadonlyArray<readonly ClassSums[]>;
  readonly after: readonly ClassSums[];
  readonly crossed: readonly Crossed[];
  /** Milliseconds. */
  readonly ended: number;
  readonly drained: number;
  readonly machine: MachineCosts | null;
}

/** Puts the tally and the counters of a replay together into its result. */
export function resultOf(
  plan: ReplayPlan,
  tally: Tally,
  laptops: readonly ReplayLaptop[],
  { before, marked, after, crossed, ended, drained, machine }: Measured,
  marksMs: readonly number[],
): ReplayResult {
  const byLaptop = laptops.map(({ name }, index) => ({
    name,
    crossed: crossed[index] ?? { up: 0, down: 0, packets: null },
    classes: lessOf(after[index], before[index]),
  }));
  const {
    hits,
    misses,
    stale,
    disordered,
    pulled,
    unlike,
    firstUnlike,
    skipped,
    readBytes,
    writtenBytes,
  } = tally;
  return {
    traced: plan.seconds,
    lastRead: tally.lastReadMs / 1000,
    lastWrite: tally.lastWriteMs / 1000,
    ended: ended / 1000,
    drained: drained / 1000,
    ...{ steps: tally.done, away: tally.away, unlike, firstUnlike, skipped, lost: plan.lost },
    ...{ readBytes, writtenBytes, cacheHits: hits, cacheMisses: misses.count },
    meanFetchMs: mean(misses),
    longestFetchMs: misses.longestMs,
    staleReads: stale,
    disorderedReads: disordered,
    pulled,
    processes: tally.processes.map(processResult),
    operations: [...tally.operations].map(([operation, sums]) => {
      return { operation, count: sums.count, meanMs: mean(sums), longestMs: sums.longestMs };
    }),
    classes: together(byLaptop.map(({ classes }) => classes)),
    periods: marked.length === 0 ? [] : periodsOf([before, ...marked, after], marksMs),
    machine,
    byLaptop,
  };
}

function periodsOf(
  all: ReadonlyArray<readonly ClassSums[]>,
  marksMs: readonly number[],
): ReplayResult['periods'] {
  return all.slice(1).map((sums, period) => ({
    from: period === 0 ? 0 : (marksMs[period - 1] ?? 0) / 1000,
    classes: together(sums.map((each, laptop) => lessOf(each, all[period]?.[laptop]))),
  }));
}

function processResult(tally: ProcessTally): ProcessResult {
  const { name, program, laptop, steps, began, ended, waitedMs, fetched } = tally;
  return {
    ...{ name, program, laptop, steps, fetches: fetched.count, meanFetchMs: mean(fetched) },
    ...{ began: (began ?? 0) / 1000, ended: ended / 1000, waited: waitedMs / 1000 },
  };
}

const mean = ({ count, ms }: WaitSums): number => (count === 0 ? 0 : ms / count);

function lessOf(after: ClassSums | undefined, before: ClassSums | undefined): ClassSums {
  return byClass((name) => combined(after?.[name] ?? noSums(), before?.[name] ?? noSums(), -1));
}

function together(all: readonly ClassSums[]): ClassSums {
  return byClass((name) =>
    all.reduce<CallSums>((sum, one) => combined(sum, one[name], 1), noSums()),
  );
}

function combined(one: CallSums, other: CallSums, sign: 1 | -1): CallSums {
  const sums = noSums();
  for (const name of CALL_SUMS) sums[name] = one[name] + sign * other[name];
  return sums;
}

function byClass(of: (name: PriorityClass) => CallSums): ClassSums {
  return Object.fromEntries(PRIORITY_CLASSES.map((name) => [name, of(name)])) as ClassSums;
}

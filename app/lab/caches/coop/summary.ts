/** What the runs of cooperative caching say: speed-ups, hits by level, server load, fairness, and where a ranking turns. */
import type { Algorithm } from './algorithms.ts';
import {
  COST_TABLES,
  LEVELS,
  PAPER_COSTS,
  withNetwork,
  type CostTable,
  type Level,
} from './costs.ts';
import { countOf, meanTime, sumOf, type LoadParts, type Outcome } from './run.ts';
import type { CoopCell, CoopResult } from './study.ts';
import type { Locality } from './workload.ts';

export interface Done {
  readonly cell: CoopCell;
  readonly result: CoopResult;
}

/** The paper's own figures (section 4.1 and 4.5); where it gives none, it is left out. */
export const PAPER_SPEEDUPS: Readonly<Partial<Record<Algorithm, number>>> = {
  base: 1,
  direct: 1.05,
  greedy: 1.22,
  central: 1.64,
  'n-chance': 1.73,
  'server-memory': 1.66,
};

export interface Ranked {
  readonly locality: Locality;
  readonly costs: string;
  /** The mean over all seeds, and the least and most. */
  readonly speedups: Readonly<Record<string, Spread>>;
  /** Shares of reads, of the mean run. */
  readonly levels: Readonly<Record<string, Readonly<Record<Level, number>>>>;
  /** Load of the server by what made it, as shares of the base case's. */
  readonly load: Readonly<Record<string, LoadParts>>;
  readonly fairness: Readonly<Record<string, Fairness>>;
}

export interface Spread {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
}

export interface Fairness {
  /** Clients of all runs with more than a hundred reads. */
  readonly clients: number;
  /** Of those, how many read more than a hundredth slower than in the base case. */
  readonly slower: number;
  /** The least speed-up of a client. */
  readonly worst: number;
}

/** Clients below it may differ by a few reads from the disk (section 4.1). */
const COUNTS_FROM = 100;
const SLOWER = 0.99;

/** One for each locality and table of costs. */
export function rankingsOf(done: readonly Done[]): Ranked[] {
  const localities = [...new Set(done.map(({ cell }) => cell.locality))];
  return localities.flatMap((locality) => {
    const runs = done.filter(({ cell }) => cell.locality === locality).map(({ result }) => result);
    return COST_TABLES.map((costs) => rankedOf(locality, costs, runs));
  });
}

function rankedOf(locality: Locality, costs: CostTable, runs: readonly CoopResult[]): Ranked {
  const names = (runs[0]?.outcomes ?? []).map(({ name }) => name);
  const each = <V>(make: (name: string) => V): Record<string, V> =>
    Object.fromEntries(names.map((name) => [name, make(name)]));
  return {
    locality,
    costs: costs.name,
    speedups: each((name) => spreadOf(runs.map((one) => speedup(one, name, costs)))),
    levels: each((name) => levelsOf(runs, name)),
    load: each((name) => loadsOf(runs, name)),
    fairness: each((name) => fairnessOf(runs, name, costs)),
  };
}

export function outcomeOf({ outcomes }: CoopResult, name: string): Outcome {
  const found = outcomes.find((outcome) => outcome.name === name);
  if (found === undefined) throw new RangeError(`no run of ${name}`);
  return found;
}

/** How many times as fast as the base case a mean read is. */
export function speedup(result: CoopResult, name: string, costs: CostTable, hidden = 0): number {
  return timeOf(result, 'base', costs, hidden) / timeOf(result, name, costs, hidden);
}

/** Microseconds of a mean read. */
export function timeOf(result: CoopResult, name: string, costs: CostTable, hidden = 0): number {
  const { reads, hops } = outcomeOf(result, name);
  return meanTime(sumOf(reads), hops, costs, hidden);
}

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, least: Math.min(...values), most: Math.max(...values) };
}

function levelsOf(runs: readonly CoopResult[], name: string): Record<Level, number> {
  const sum = sumOf(runs.flatMap((one) => outcomeOf(one, name).reads));
  const all = countOf(sum);
  for (const level of LEVELS) sum[level] /= all;
  return sum;
}

function loadsOf(runs: readonly CoopResult[], name: string): LoadParts {
  const parts = ['server', 'remote', 'disk', 'other'] as const;
  const total = (of: string, which: ReadonlyArray<keyof LoadParts>): number =>
    runs.reduce(
      (sum, one) => sum + which.reduce((part, key) => part + outcomeOf(one, of).load[key], 0),
      0,
    );
  const whole = total('base', parts);
  const share = (key: keyof LoadParts): number => total(name, [key]) / whole;
  return {
    server: share('server'),
    remote: share('remote'),
    disk: share('disk'),
    other: share('other'),
  };
}

function fairnessOf(runs: readonly CoopResult[], name: string, costs: CostTable): Fairness {
  const speedups = runs.flatMap((one) => {
    const [base, other] = [outcomeOf(one, 'base'), outcomeOf(one, name)];
    return base.reads.flatMap((counts, client) => {
      const theirs = other.reads[client];
      if (theirs === undefined || countOf(counts) <= COUNTS_FROM) return [];
      return [meanTime(counts, base.hops, costs) / meanTime(theirs, other.hops, costs)];
    });
  });
  return {
    clients: speedups.length,
    slower: speedups.filter((value) => value < SLOWER).length,
    worst: Math.min(...speedups),
  };
}

/** Where two algorithms change places: the paper's ranking by the mean at `middle`, held against each single run. */
export interface Flip {
  readonly faster: string;
  readonly slower: string;
  readonly locality: Locality;
  readonly costs: string;
  /** In so many of `of` seeds the one that is slower at `middle` is faster. */
  readonly runs: number;
  readonly of: number;
}

/** Less than this apart counts as even. */
const EVEN = 1.005;

export function flipsOf(done: readonly Done[]): Flip[] {
  const rankings = rankingsOf(done);
  const middle = rankings.find(
    (one) => one.locality === 'middle' && one.costs === PAPER_COSTS.name,
  );
  if (middle === undefined) return [];
  const order = Object.entries(middle.speedups)
    .filter(([name]) => name !== 'best')
    .sort(([, a], [, b]) => b.mean - a.mean)
    .map(([name]) => name);
  const pairs = order.slice(1).map((slower, at) => [order[at] as string, slower] as const);
  return rankings.flatMap(({ locality, costs: named }) => {
    const costs = COST_TABLES.find(({ name }) => name === named) as CostTable;
    const runs = done.filter(({ cell }) => cell.locality === locality);
    return pairs.flatMap(([faster, slower]) => {
      const turned = runs.filter(
        ({ result }) => speedup(result, slower, costs) > EVEN * speedup(result, faster, costs),
      ).length;
      const flip = { faster, slower, locality, costs: named, runs: turned, of: runs.length };
      return turned === 0 ? [] : [flip];
    });
  });
}

/** A point of a curve: microseconds of a mean read, and the speed-up over the base case of the same run. */
export interface Point {
  readonly x: number;
  readonly times: Readonly<Record<string, number>>;
  readonly speedups: Readonly<Record<string, number>>;
}

export function curveOf(done: readonly Done[]): Point[] {
  return done
    .map(({ cell, result }) => pointOf(cell.x, result, PAPER_COSTS))
    .sort((a, b) => a.x - b.x);
}

/** Microseconds to ask for a block and have it (figure 13). */
const ROUND_TRIPS = [100, 200, 400, 800, 1600, 3200, 6400, 10_000];

/** Figure 13 needs no runs of its own: the network changes what a hit costs, not where it is. */
export function networkCurve(result: CoopResult): Point[] {
  return ROUND_TRIPS.map((trip) => pointOf(trip, result, withNetwork(PAPER_COSTS, trip)));
}

/** Section 4.4 assumes how many of all reads hit where no trace sees it. */
const HIDDEN = [0.7, 0.8, 0.9];

export interface Hidden {
  /** Local hits of the base case, of all reads, as assumed. */
  readonly assumed: number;
  readonly speedups: Readonly<Record<string, number>>;
}

/** Figure 14, for the assumed shares and for what really was left out. */
export function hiddenOf(result: CoopResult): {
  readonly real: Hidden;
  readonly assumed: Hidden[];
} {
  const seen = sumOf(outcomeOf(result, 'base').reads);
  const all = countOf(seen);
  const names = result.outcomes.map(({ name }) => name);
  const at = (hidden: number): Hidden => ({
    assumed: (seen.local + hidden) / (all + hidden),
    speedups: Object.fromEntries(
      names.map((name) => [name, speedup(result, name, PAPER_COSTS, hidden)]),
    ),
  });
  const needed = (share: number): number => Math.max(0, (share * all - seen.local) / (1 - share));
  return { real: at(result.hidden), assumed: HIDDEN.map((share) => at(needed(share))) };
}

function pointOf(x: number, result: CoopResult, costs: CostTable): Point {
  const names = result.outcomes.map(({ name }) => name);
  const of = (value: (name: string) => number): Record<string, number> =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  return {
    x,
    times: of((name) => timeOf(result, name, costs)),
    speedups: of((name) => speedup(result, name, costs)),
  };
}

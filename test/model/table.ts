/** Runs the table: every scope with all rules, and every row without its rule. */
import { CELL_ROWS } from './cells/rows.ts';
import { CELL_SCOPES } from './cells/scopes.ts';
import { rulesWithout, type Rules } from './rules.ts';
import { ROWS, type Row } from './rows.ts';
import { SCOPES } from './scopes.ts';
import type { Scope } from './scope.ts';
import { machineOf, type Outcome } from './search.ts';
import { searched, type Searchable } from './searchable.ts';

/** More than any scope has: one that has more was made too wide. */
export const MOST_STATES = 400_000;

/** All that is searched: the scopes of the protocol of one volume, and those of a subject each. */
export const ALL_SCOPES: readonly Searchable[] = [...SCOPES.map(searchableOf), ...CELL_SCOPES];
export const ALL_ROWS: readonly Row[] = [...ROWS, ...CELL_ROWS];

export interface Run {
  readonly scope: Searchable;
  readonly outcome: Outcome;
  /** Of the processor: the machine may be busy with other things. */
  readonly seconds: number;
  readonly story: readonly string[];
}

export function scopeNamed(name: string): Scope {
  const scope = SCOPES.find((each) => each.name === name);
  if (scope === undefined) throw new Error(`there is no scope ${name}`);
  return scope;
}

function searchableOf(scope: Scope): Searchable {
  const { name, about, depth } = scope;
  return {
    name,
    about,
    depth,
    search: (rules, bounds) => searched(machineOf(scope, rules), bounds),
  };
}

/** A scope of any kind by its name. */
export function searchableNamed(name: string): Searchable {
  const scope = ALL_SCOPES.find((each) => each.name === name);
  if (scope === undefined) throw new Error(`there is no scope ${name}`);
  return scope;
}

export function run(scope: Searchable, rules: Rules, depth: number | null = scope.depth): Run {
  const begun = process.cpuUsage().user;
  const { outcome, story } = scope.search(rules, { depth, states: MOST_STATES });
  const seconds = (process.cpuUsage().user - begun) / 1e6;
  return { scope, outcome, seconds, story };
}

export function runWithout(row: Row): Run {
  return run(searchableNamed(row.scope), rulesWithout(row.off, ...(row.also ?? [])));
}

export interface Table {
  readonly withAll: readonly Run[];
  readonly without: readonly { readonly row: Row; readonly run: Run }[];
}

export function runTable(scopes: readonly Searchable[] = ALL_SCOPES): Table {
  const rows = ALL_ROWS.filter((row) => scopes.some(({ name }) => name === row.scope));
  return {
    withAll: scopes.map((scope) => run(scope, rulesWithout())),
    without: rows.map((row) => ({ row, run: runWithout(row) })),
  };
}

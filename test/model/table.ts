/** Runs the table: every scope with all rules, and every row without its rule. */
import { rulesWithout, type Rules } from './rules.ts';
import { ROWS, type Row } from './rows.ts';
import { SCOPES } from './scopes.ts';
import type { Scope } from './scope.ts';
import { search, type Outcome } from './search.ts';
import { storyOf } from './story.ts';

/** More than any scope has: one that has more was made too wide. */
export const MOST_STATES = 400_000;

export interface Run {
  readonly scope: Scope;
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

export function run(scope: Scope, rules: Rules, depth: number | null = scope.depth): Run {
  const begun = process.cpuUsage().user;
  const outcome = search(scope, rules, { depth, states: MOST_STATES });
  const seconds = (process.cpuUsage().user - begun) / 1e6;
  const { finding, path } = outcome;
  const story = finding === null ? [] : storyOf(scope, rules, path, finding);
  return { scope, outcome, seconds, story };
}

export function runWithout(row: Row): Run {
  return run(scopeNamed(row.scope), rulesWithout(row.off, ...(row.also ?? [])));
}

export interface Table {
  readonly withAll: readonly Run[];
  readonly without: readonly { readonly row: Row; readonly run: Run }[];
}

export function runTable(scopes: readonly Scope[] = SCOPES): Table {
  const rows = ROWS.filter((row) => scopes.some(({ name }) => name === row.scope));
  return {
    withAll: scopes.map((scope) => run(scope, rulesWithout())),
    without: rows.map((row) => ({ row, run: runWithout(row) })),
  };
}

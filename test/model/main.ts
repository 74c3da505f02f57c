/**
 * The door of the protocol model: `npm run model -- [options]`.
 *
 *   (nothing)             the table: every scope with all rules, every rule left out in turn
 *   --rule P2[,S1...]     only without these rules, with the stories
 *   --scope NAME          only this scope
 *   --rows                with --scope: its rows of the table too
 *   --depth N             how many steps deep; `full` is to the end
 *   --random N --seed S   N walks at random in the wide scope, with all rules
 *   --json                the answer as JSON
 *   --write-docs          writes the table into docs/internals/tables/model.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { shortened, walk } from './random-walk.ts';
import { numbered, plain, withTable } from './report.ts';
import { isSwitch, rulesWithout, type Switch } from './rules.ts';
import { WIDE } from './scopes.ts';
import { storyOf } from './story.ts';
import {
  ALL_ROWS,
  ALL_SCOPES,
  run,
  runTable,
  searchableNamed,
  type Run,
  type Table,
} from './table.ts';

const PAGE = new URL('../../docs/internals/tables/model.md', import.meta.url);
const STEPS_OF_A_WALK = 150;

const OPTIONS = {
  rule: { type: 'string' },
  scope: { type: 'string' },
  rows: { type: 'boolean', default: false },
  depth: { type: 'string' },
  random: { type: 'string' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  'write-docs': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;
const USAGE = `npm run model -- ${Object.keys(OPTIONS)
  .map((name) => `[--${name}]`)
  .join(' ')}`;

const values = flags();
if (values.help) console.log(USAGE);
else if (values.random !== undefined) walkAtRandom(Number(values.random), values.seed);
else if (values.rows) printTable(runTable([searchableNamed(values.scope ?? '')]));
else if (values.rule !== undefined || values.scope !== undefined || values.depth !== undefined)
  searchSome();
else wholeTable();

/** What is wrong with them is told in one line. */
function flags() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}; ${USAGE}\n`);
    process.exit(2);
  }
}

function walkAtRandom(walks: number, seed: string): void {
  const rules = rulesWithout(...switches());
  const walked = walk(WIDE, rules, walks, STEPS_OF_A_WALK, seed);
  const { finding, path } = walked.finding === null ? walked : shortened(WIDE, rules, walked);
  const story = finding === null ? [] : storyOf(WIDE, rules, path, finding);
  print({ walks: walked.walks, steps: walked.steps, seed, story }, () =>
    finding === null
      ? `${walked.walks} walks, ${walked.steps} steps, nothing found (seed ${seed})`
      : `walk ${walked.walks} of seed ${seed}:\n${numbered(story)}`,
  );
  if (finding !== null) process.exitCode = 1;
}

function switches(): Switch[] {
  const names = (values.rule ?? '').split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !isSwitch(name));
  if (unknown.length > 0) throw new Error(`no rule is called ${unknown.join(', ')}`);
  return names.filter(isSwitch);
}

function searchSome(): void {
  const off = switches();
  const found = ALL_ROWS.filter((row) => off.includes(row.off)).map(({ scope }) => scope);
  const names = values.scope === undefined ? found : [values.scope];
  const scopes = names.length === 0 ? ALL_SCOPES : names.map(searchableNamed);
  for (const scope of scopes) {
    const depth = values.depth === 'full' ? null : Number(values.depth ?? scope.depth ?? Infinity);
    const one = run(scope, rulesWithout(...off), depth);
    print(plainly(one), () => inWords(one));
    if (one.outcome.finding !== null && off.length === 0) process.exitCode = 1;
  }
}

function inWords({ scope, outcome, seconds, story }: Run): string {
  const { states, depth, complete, finding } = outcome;
  const end = complete ? 'all of it' : `to step ${depth}`;
  const what = finding === null ? `nothing found, ${end}` : `found:\n${numbered(story)}`;
  return `${scope.name} (${scope.about}): ${states} states, ${seconds.toFixed(1)} s, ${what}`;
}

function plainly({ scope, outcome, seconds, story }: Run): object {
  const { states, depth, complete, finding } = outcome;
  return { scope: scope.name, states, depth, complete, seconds, finding, story };
}

function wholeTable(): void {
  const table = runTable();
  printTable(table);
  if (values['write-docs']) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), table));
}

function printTable(table: Table): void {
  const bad = table.withAll.filter(({ outcome }) => outcome.finding !== null);
  const quiet = table.without.filter(({ run: { outcome } }) => outcome.finding === null);
  const json = {
    withAll: table.withAll.map(plainly),
    without: table.without.map(({ row, run: one }) => ({ ...row, ...plainly(one) })),
  };
  const stories = [...table.without.map(({ run: one }) => one), ...bad].map(inWords);
  print(json, () => `${plain(table)}\n\n${stories.join('\n\n')}`);
  if (bad.length + quiet.length > 0) process.exitCode = 1;
}

function print(json: object, text: () => string): void {
  process.stdout.write(`${values.json ? JSON.stringify(json) : text()}\n`);
}

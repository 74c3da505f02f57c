/** The table and the stories as text: for the terminal, and as the generated part of docs/internals/tables/model.md. */
import { broken } from './story.ts';
import type { Run, Table } from './table.ts';
import { kindOf } from './rules.ts';

export const BEGIN = '<!-- the table: written by `npm run model -- --write-docs` -->';
export const END = '<!-- end of the table -->';

/** Columns of a line of a story. */
const WIDTH = 100;
/** Of the cells, those that differ from run to run. */
const SECONDS: readonly number[] = [6, 9];

/** docs/internals/tables/model.md with its generated part replaced. Seconds stay out of it: they differ from run to run. */
export function withTable(page: string, table: Table): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/internals/tables/model.md has no place for the table');
  return `${before}${BEGIN}\n\n${markdown(table)}\n${END}${after}`;
}

export function markdown(table: Table): string {
  const head = [
    'without',
    'the hole',
    'scope',
    'breaks',
    'story',
    'states',
    'with all rules: states',
    'steps',
  ];
  const shown = cells(table).map((row) => row.filter((_, nth) => !SECONDS.includes(nth)));
  const lines = [head, head.map(() => '---'), ...shown].map((row) => `| ${row.join(' | ')} |`);
  const told = table.without.map(({ row, run }) => {
    const lines = run.story.map((line, nth) => wrapped(`${nth + 1}. `.padStart(4), line));
    return `### Without ${titled(row)} (${row.scope})\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
  });
  const scopes = new Set(table.without.map(({ row }) => row.scope));
  const others = table.withAll
    .filter(({ scope }) => !scopes.has(scope.name))
    .map((run) => {
      const { scope, outcome } = run;
      const what = `\`${scope.name}\` (${scope.about})`;
      return wrapped('- ', `${what}: ${outcome.states} states, ${stepsOf(run)}`);
    });
  const more =
    others.length === 0 ? '' : `\nSearched too, with nothing found:\n\n${others.join('\n')}\n`;
  return `${lines.join('\n')}\n${more}\n## The stories\n\n${told.join('\n')}`;
}

/** A step of a story, in lines of WIDTH columns beneath each other. */
function wrapped(number: string, text: string): string {
  const lines = [number];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const isFull = last.length + word.length > WIDTH;
    if (isFull) lines.push(`${' '.repeat(number.length)}${word} `);
    else lines[lines.length - 1] = `${last}${word} `;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

function titled(row: Table['without'][number]['row']): string {
  return [row.off, ...(row.also ?? [])].join(' and ');
}

function cells(table: Table): string[][] {
  return table.without.map(({ row, run }) => {
    const all = table.withAll.find(({ scope }) => scope.name === row.scope);
    const { finding, path, states } = run.outcome;
    return [
      kindOf(row.off) === 'protocol' ? `**${titled(row)}**` : titled(row),
      row.hole,
      row.scope,
      finding === null ? 'nothing found' : broken(finding),
      `${path.length} steps`,
      String(states),
      run.seconds.toFixed(1),
      all === undefined ? '' : String(all.outcome.states),
      all === undefined ? '' : stepsOf(all),
      all === undefined ? '' : all.seconds.toFixed(1),
    ];
  });
}

function stepsOf({ outcome }: Run): string {
  if (outcome.finding !== null) return `FOUND: ${outcome.finding.text}`;
  return outcome.complete ? `all (${outcome.depth} deep)` : `to ${outcome.depth}`;
}

/** For the terminal. */
export function plain(table: Table): string {
  const rows = [
    ['without', 'scope', 'breaks', 'steps', 'states', 's', 'with all: states', 'depth', 's'],
    ...cells(table).map((row) =>
      row.filter((_, nth) => nth !== 1).map((cell) => cell.replaceAll('*', '')),
    ),
  ];
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .join('\n');
}

export function numbered(story: readonly string[]): string {
  return story.map((line, nth) => `${String(nth + 1).padStart(3)}. ${line}`).join('\n');
}

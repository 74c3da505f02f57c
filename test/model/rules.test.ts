/** Without its rule, each hole is found again: the promise that breaks, and the step that the story turns on. */
import { expect, test } from '@jest/globals';
import { NOT_NEEDED, ROWS } from './rows.ts';
import { rulesWithout } from './rules.ts';
import { run, runWithout, scopeNamed } from './table.ts';

test.each(ROWS.map((row) => [row.off, row.scope, row] as const))(
  'without %s, in %s',
  (_, __, row) => {
    const { outcome, story } = runWithout(row);
    expect(outcome.finding?.promise).toBe(row.breaks);
    expect(story.join('\n')).toContain(row.step);
    expect(story.at(-1)).toMatch(/^Broken: /);
  },
);

test.each(NOT_NEEDED)('without %s alone nothing is found', (name) => {
  const scopes = { chain: 'copied-folder', owing: 'break-wait' } as Record<string, string>;
  const { outcome } = run(scopeNamed(scopes[name] ?? ''), rulesWithout(name));
  expect(outcome).toMatchObject({ finding: null, complete: true });
});

/**
 * With all rules nothing is found, in any scope, to its depth; without its rule each hole is found again, with the promise that
 * breaks and the step that the story turns on. Searches run in processes of their own: inside Jest they take ten times as long.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { NOT_NEEDED } from './rows.ts';
import { ALL_ROWS, ALL_SCOPES } from './table.ts';

interface Searched {
  readonly finding: { readonly promise: string } | null;
  readonly complete: boolean;
  readonly depth: number;
  readonly story: readonly string[];
}

interface Tables {
  readonly withAll: readonly Searched[];
  readonly without: readonly Searched[];
}

async function model(...args: string[]): Promise<string> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const call = promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 2 ** 26 });
  // A finding where there should be none is in what it prints; its exit code says the same.
  return (await call.catch((error: { stdout: string }) => error)).stdout;
}

test.each(ALL_SCOPES.map((scope) => [scope.name, scope] as const))(
  'the scope %s is free of findings with all rules, and each of its rows finds one',
  async (name, { depth }) => {
    const { withAll, without } = JSON.parse(
      await model('--scope', name, '--rows', '--json'),
    ) as Tables;
    const rows = ALL_ROWS.filter(({ scope }) => scope === name);
    expect(withAll.map(({ story }) => story)).toEqual([[]]);
    expect(withAll).toMatchObject([depth === null ? { complete: true } : { depth }]);
    expect(without.map(({ finding }) => finding?.promise)).toEqual(
      rows.map(({ breaks }) => breaks),
    );
    for (const [nth, { step }] of rows.entries()) {
      expect(without[nth]?.story.join('\n')).toContain(step);
      expect(without[nth]?.story.at(-1)).toMatch(/^Broken: /);
    }
  },
);

test.each(NOT_NEEDED)('leaving out the rule %s alone leads to no finding', async (name) => {
  const scopes: Record<string, string> = { chain: 'copied-folder', owing: 'break-wait' };
  const answer = await model('--rule', name, '--scope', scopes[name] ?? '', '--json');
  expect(JSON.parse(answer)).toMatchObject({ finding: null, complete: true });
});

test('random walks in the wide scope find nothing when all rules are on', async () => {
  const answer = await model('--random', '600', '--seed', 'all rules', '--json');
  expect(JSON.parse(answer)).toMatchObject({ walks: 600, story: [] });
});

test('the command prints the story of a finding in sentences', async () => {
  expect(await model('--rule', 'P2')).toContain('Broken: promise 3.');
});

/** With all rules nothing is found, in any scope, to its depth. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { allRules } from './rules.ts';
import { SCOPES } from './scopes.ts';
import { run } from './table.ts';

test.each(SCOPES.map((scope) => [scope.name, scope] as const))('%s', (_, scope) => {
  const { outcome, story } = run(scope, allRules());
  expect(story).toEqual([]);
  if (scope.depth === null) expect(outcome.complete).toBe(true);
  else expect(outcome.depth).toBe(scope.depth);
});

test('the command tells a story', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [main, '--rule', 'P2'], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toContain('Broken: promise 3.');
});

import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DEFAULT_IGNORES } from './default-ignores.ts';

it('the page of ignored files lists each default rule with its reason', () => {
  const file = new URL('../../docs/guide/ignored.md', import.meta.url);
  const rows = [...readFileSync(file, 'utf8').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  expect(rows.map(([, rule, why]) => [rule, why])).toEqual(DEFAULT_IGNORES.map((row) => [...row]));
});

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

it('the bench of counters prints time and memory of each of them', () => {
  const printed = execFileSync(process.execPath, [MAIN, '320'], { encoding: 'utf8' });
  const row = /^.{28} *\d+ ns +\d+ bytes of memory a call$/;
  expect(printed.trimEnd().split('\n')).toEqual(Array(5).fill(expect.stringMatching(row)));
});
